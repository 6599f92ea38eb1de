/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.house;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The sentences of comments and of pages, and those among them that have no named subject. */
final class Prose {
    private static final Pattern UNNAMED = Pattern
            .compile("\\b[Ww]ho(ever|m)?\\b|\\b[Bb]ut for\\b|^(What|Who|Of|So|Where)\\b");

    private static final Pattern COMMENT_OR_TEXT = Pattern.compile("\"\"\"[\\s\\S]*?\"\"\"|\"(?:\\\\.|[^\"\\\\\\n])*\""
            + "|'(?:\\\\.|[^'\\\\\\n])+'|/\\*([\\s\\S]*?)\\*/|((?://[^\\n]*(?:\\n[ \\t]*(?=//))?)+)");
    private static final Pattern INLINE_TAG = Pattern.compile("\\{@\\w+\\s+([^{}]*)}");
    private static final String PARAGRAPH = "<p>|<li>|<dd>|<td>|\\n\\s*\\n|\\n\\s*(?=@[a-z])";
    private static final String BLOCK_TAG = "^\\s*@(param\\s+\\S+|return|throws\\s+\\S+|see\\s.*)\\s*";
    private static final String SENTENCE_END = "(?<=[.!?:;])\\s+(?=[A-Z`])";
    private static final Pattern WORD = Pattern.compile("[a-z]{2}");

    private Prose() {}

    /** The sentences of all comments of a Java source. */
    static List<String> ofJava(String source) {
        List<String> found = new ArrayList<>();
        Matcher comments = COMMENT_OR_TEXT.matcher(source);
        while (comments.find()) {
            if (comments.group(1) != null) {
                String text = comments.group(1).replaceAll("(?m)^\\s*\\**", "").replaceAll("(?s)<pre>.*?</pre>", "");
                Stream.of(text.split(PARAGRAPH)).map(part -> part.replaceFirst(BLOCK_TAG, ""))
                        .map(part -> INLINE_TAG.matcher(part).replaceAll("$1").replaceAll("<[^>]+>", ""))
                        .forEach(part -> addSentences(part, found));
            } else if (comments.group(2) != null) {
                addSentences(comments.group(2).replaceAll("(?m)^\\s*/+", ""), found);
            }
        }
        return found;
    }

    /** The sentences of a page, without its code; each cell of a table has its own. */
    static List<String> ofPage(String markdown) {
        List<String> found = new ArrayList<>();
        String text = markdown.replaceAll("(?s)```.*?```", "").replaceAll("(?m)^ {4}.*$", "")
                .replaceAll("\\]\\([^)]*\\)", "]").replace("**", "");
        for (String part : text.split("\\n\\s*\\n|\\n(?=\\s*([-*|#]|\\d+\\.) ?)|\\|")) {
            addSentences(part.replaceFirst("^\\s*([-*#]+|\\d+\\.) ", "").replaceAll("`[^`]*`", "`"), found);
        }
        return found;
    }

    private static void addSentences(String text, List<String> found) {
        Stream.of(text.strip().replaceAll("\\s+", " ").split(SENTENCE_END))
                .filter(sentence -> WORD.matcher(sentence).find()).forEach(found::add);
    }

    /** Whether a sentence speaks of something that it does not name. */
    static boolean lacksSubject(String sentence) {
        return UNNAMED.matcher(sentence).find();
    }
}
