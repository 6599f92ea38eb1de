/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/*
 * Writes the classes with calls that take arrays. Their templates, in org/tutti beside this file, are these classes
 * with each call once, for Span. A comment before a method says which other calls the method stands for:
 *
 * "also for int[], long[]": the same method with each of these types in place of Span.
 *
 * "also with int, double": the same method with each of these types in place of long, except for an offset or a count.
 *
 * "as in Communicator": the method of Communicator with the same parameters has the types, and the Javadoc. Text of a
 * Javadoc comment that follows is added to the summary. A prepared call leaves the text out.
 *
 * "all calls of NonBlockingCommunicator, prepared": the calls of that template with a comment "as in". Each returns a
 * PreparedCall in place of a Request, and a PreparedReceive in place of a ReceiveRequest.
 *
 * A parameter that may be null as a Span may be null as an array, too.
 *
 * In Javadoc, "[the same type|of the same length]" is the one for Span and the other one for arrays. A @throws without
 * any text left is omitted.
 */

private static final Pattern METHOD = Pattern.compile("""
        (?m)(?:^    // also (?:for (?<types>.*)|with (?<scalars>.*))\\n)?(?:^    // as in (?<model>\\w+)\\n)?\
        (?<javadoc>^    /\\*\\*\\n(?:^     \\*.*\\n)+)?\
        (?<head>^    public \\w+ (?<name>\\w+)\\((?<parameters>[^)]*)\\) \\{\\n)\
        (?<body>(?:^(?!    }).*\\n)+^    }\\n)""");
private static final Pattern COMMENT = Pattern.compile("(?m)^ +// (also for|also with|as in) .*");
private static final Pattern ALTERNATIVES = Pattern.compile("\\[([^\\[\\]|]*)\\|([^\\[\\]|]*)]");
private static final Pattern ALL_CALLS =
        Pattern.compile("(?m)^    // all calls of (\\w+), prepared\n");
private static final int COLUMNS = 120;

/** A method of a template, and what stands before it. */
record Method(String types, String scalars, String model, String javadoc, String head, String name, String parameters,
        String body) {
    Method(MatchResult found) {
        this(found.group("types"), found.group("scalars"), found.group("model"), found.group("javadoc"),
                found.group("head"), found.group("name"), found.group("parameters"), found.group("body"));
    }

    /** As {@code broadcast(Span, int)}. */
    String signature() {
        return name + "(" + parameters.replaceAll("\\s+", " ").replaceAll(" \\w+(?=,|$)", "") + ")";
    }

    /** As Javadoc links to it. */
    String link() {
        return signature().replace("@Nullable ", "");
    }
}

void main(String[] arguments) throws IOException {
    Path templates = Path.of(arguments[0]);
    Path target = Files.createDirectories(Path.of(arguments[1]));
    try (Stream<Path> files = Files.list(templates)) {
        for (Path template : files.toList()) {
            Path file = target.resolve(template.getFileName());
            String text = written(template);
            if (!Files.exists(file) || !Files.readString(file).equals(text)) { // or all would be compiled again
                Files.writeString(file, text);
            }
        }
    }
}

String written(Path template) throws IOException {
    StringBuilder text = new StringBuilder();
    Matcher found = METHOD.matcher(withAllCalls(template));
    while (found.find()) {
        Method method = new Method(found);
        if (method.model != null) {
            method = likeItsModel(method, template.resolveSibling(method.model + ".java"));
        }
        String all = method.types != null ? forAllTypes(method)
                : method.scalars != null ? forAllScalars(method) : found.group();
        found.appendReplacement(text, Matcher.quoteReplacement(all));
    }
    found.appendTail(text);
    COMMENT.matcher(text).results().findFirst().ifPresent(comment -> {
        throw new IllegalArgumentException("no method, formatted as the build does, follows in " + template + " on "
                + comment.group().strip());
    });
    return text.toString().replaceFirst("\n", "\n// Written by src/main/face/WriteFace.java from "
            + template.getFileName() + " beside it; change that.\n");
}

String withAllCalls(Path template) throws IOException {
    String text = Files.readString(template);
    Matcher other = ALL_CALLS.matcher(text);
    if (!other.find()) {
        return text;
    }
    String calls = METHOD.matcher(Files.readString(template.resolveSibling(other.group(1) + ".java"))).results()
            .filter(call -> call.group("model") != null)
            .map(call -> call.group().replaceFirst("public Request ", "public PreparedCall ")
                    .replaceFirst("public ReceiveRequest ", "public PreparedReceive "))
            .collect(Collectors.joining("\n"));
    return other.replaceFirst(Matcher.quoteReplacement(calls));
}

Method likeItsModel(Method method, Path template) throws IOException {
    Method model = METHOD.matcher(Files.readString(template)).results().map(Method::new)
            .filter(other -> other.signature().equals(method.signature())).findFirst()
            .orElseThrow(() -> new IllegalArgumentException(template + " has no " + method.signature()));
    String link = "{@link " + method.model + "#" + method.link().replace("Span", "[Span|ARRAY]") + "}";
    String tags = model.javadoc.substring(model.javadoc.indexOf("     * @param"))
            .replaceFirst("(?m)^     \\* @return .*\\n(?:     \\*  .*\\n)*", "")
            .replace("{@link #", "{@link " + method.model + "#")
            .replaceFirst("(?m)^     (?=\\* @throws|\\*/)",
                    "     * @return the " + (isPrepared(method) ? "prepared call" : "request") + "\n$0");
    String summary = isPrepared(method) ? "Prepares " + link + "."
            : "Starts " + link + " without waiting for it." + (method.javadoc == null ? "" : " " + text(method));
    return new Method(model.types == null ? "" : model.types, null, null, summary + "\n\n" + tags, method.head,
            method.name, method.parameters, method.body);
}

boolean isPrepared(Method method) {
    return method.head.contains(" PreparedCall ") || method.head.contains(" PreparedReceive ");
}

String forAllTypes(Method method) {
    Stream<String> arrays = Stream.of(method.types.split(", ")).filter(type -> !type.isEmpty())
            .map(array -> javadoc(method, "$2").replace("ARRAY", array)
                    + (array.equals("boolean[]") ? forBooleans(method) : forArray(method, array)));
    return Stream.concat(Stream.of(javadoc(method, "$1") + method.head + method.body), arrays)
            .collect(Collectors.joining("\n"));
}

String forAllScalars(Method method) {
    return Stream.concat(Stream.of("long"), Stream.of(method.scalars.split(", ")))
            .map(type -> method.javadoc + (method.head + method.body)
                    .replaceAll("\\blong(s?)\\b(?! offset| count)", type + "$1"))
            .collect(Collectors.joining("\n"));
}

/** An array can always be used, and stands for itself. */
String forArray(Method method, String array) {
    return withArray(array, (method.head + method.body).replaceAll("Span\\.(un)?staging\\([^)]*\\)", "NOTHING"))
            .replaceAll(
                    "(?m)^ +(.*\\bcheck(Usable|Writable|Shareable|Target|Types)\\(.*\\)|\\w+\\.(un)?stage\\(\\));\n",
                    "")
            .replaceAll("checkFits\\((\\w+), (\\w+)\\)", "checkLengths($1.length, $2.length)")
            .replaceAll("checkBlocks\\((\\w+), (\\w+),", "checkBlockLengths($1.length, $2.length,")
            .replaceAll("(\\w+)\\.segment\\(\\)", "segments.of($1)")
            .replaceAll("\\w+\\.type\\(\\)", "DataType." + array.replace("[]", "").toUpperCase(Locale.ROOT))
            .replaceAll("(\\w+)\\.count\\(\\)", "$1.length");
}

/** An array in place of each span: where that may be null, the array may be, not its elements. */
String withArray(String array, String text) {
    return text.replaceAll("@Nullable Span\\b", array.replace("[]", " @Nullable []")).replaceAll("\\bSpan\\b", array);
}

/** Booleans, which no segment can be over, go by a span that stands for them. */
String forBooleans(Method method) {
    String arguments = method.parameters.replaceAll("@Nullable Span (\\w+)", "$1 == null ? null : Span $1")
            .replaceAll("Span (\\w+)", "booleans.of($1)")
            .replaceAll("(@Nullable )?\\b\\w+ (?=\\w+(,|$))", "");
    return withArray("boolean[]", method.head)
            + (method.head.contains(" void ") ? "        " : "        return ")
            + method.name + "(" + arguments + ");\n    }\n";
}

String javadoc(Method method, String alternative) {
    String paragraphs = text(method).replaceAll("(?<!\n)\n(?![\n@<]) *", " ");
    return ALTERNATIVES.matcher(paragraphs).replaceAll(alternative).lines().map(String::strip)
            .filter(paragraph -> !paragraph.matches("@throws \\w+")).map(this::lines)
            .collect(Collectors.joining("", "    /**\n", "     */\n"));
}

/** The Javadoc comment of a method without the marks of a comment. */
String text(Method method) {
    return method.javadoc.replaceAll("(?m)^ +(/\\*\\*|\\*/|\\* ?)", "").strip();
}

/** A paragraph or tag of a Javadoc comment in as many lines as it takes. */
String lines(String paragraph) {
    StringBuilder lines = new StringBuilder();
    String line = "     *";
    for (String word : paragraph.split(" ")) {
        if (line.length() + 1 + word.length() > COLUMNS) {
            lines.append(line).append('\n');
            line = "     *" + (paragraph.startsWith("@") ? " ".repeat(paragraph.indexOf(' ') + 5) : "");
        }
        line += " " + word;
    }
    return lines.append(line.stripTrailing()).append('\n').toString();
}
