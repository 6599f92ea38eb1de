/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.tutti.TuttiException;
import org.tutti.tool.bench.BenchCommand;
import org.tutti.tool.info.InfoCommand;
import org.tutti.tool.report.ReportCommand;
import org.tutti.tool.run.Cleanup;
import org.tutti.tool.run.HostCommand;
import org.tutti.tool.run.PrepareCommand;
import org.tutti.tool.run.RunCommand;
import org.tutti.tool.run.StatusCommand;
import org.tutti.tool.run.SystemCharset;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The command line {@code tutti}: finds the command, runs it, and turns its exceptions into a sentence and an exit
 * status.
 */
@Command(name = "tutti", version = "tutti " + Main.VERSION, mixinStandardHelpOptions = true,
        description = "Runs and examines parallel Java programs.",
        footer = {"",
                "Exit statuses: 0 for success, 1 for a failure, 2 for a wrong command line; docs/exit-statuses.md has "
                        + "those of jobs.",
                "", "Example:", "  tutti run -n 4 Program.java"})
public final class Main implements Runnable {
    /** The version of Tutti. */
    public static final String VERSION = "0.1.0-SNAPSHOT";

    /** The names of the commands of the laboratory, which only a checkout has. */
    public static final List<String> LABORATORY = List.of("compare", "simulate", "explain", "draw", "chart", "tune");

    /** The commands that every user has. */
    static final List<Class<?>> COMMANDS = List.of(RunCommand.class, StatusCommand.class, BenchCommand.class,
            InfoCommand.class, ReportCommand.class, CompletionCommand.class, PrepareCommand.class, HostCommand.class);

    /**
     * The command that runs a program: words after the program's name are arguments of the program, not options of
     * ours.
     */
    private static final String WITH_PROGRAM = "run";

    private static final Pattern OF_THE_JVM =
            Pattern.compile("-(X|D\\w|ea\\b|da\\b|verbose|agent|javaagent|-add-(modules|opens|exports)|-enable-)");
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    private static final Path OUTPUT = Path.of("/proc/self/fd/1");
    private static final String NOTHING = "/dev/null";
    private static final int FILE_TYPE = 0170000; // the bits of a file's mode that tell its type
    private static final int PIPE = 0010000;
    private static final int STATUS_BROKEN_PIPE = 128 + 13; // as for a program that SIGPIPE has ended
    private static final int STATUS_FAILED = 1;
    private static final int STATUS_USAGE = 2;

    /**
     * Stays reachable as long as this process lives, because the JDK reopens this descriptor for writing when it closes
     * it.
     */
    private static @SuppressWarnings("unused") FileInputStream outputTaken;

    private Main() {}

    /** @param arguments the command line without {@code tutti} */
    public static void main(String[] arguments) {
        System.exit(run(List.of(), arguments));
    }

    /**
     * Runs a command on the standard streams of this process. It fails if the environment of the process spoils an
     * argument or the output. If the output is a pipe whose reader has ended, such as {@code head}, it fails without a
     * message.
     *
     * @param additional commands in addition to those that every user has
     * @param arguments the command line without {@code tutti}
     * @return the status to exit with
     */
    public static int run(List<Class<?>> additional, String... arguments) {
        keepClosedOutputClosed();
        useUnicode();
        try {
            SystemCharset.requireArguments(arguments);
        } catch (UsageException e) {
            return reportFailure(e);
        }
        int status = execute(additional, arguments);
        if (!System.out.checkError()) {
            return status;
        }
        if (isPipe(OUTPUT)) { // a write to a pipe fails only if the pipe has no reader
            return status == 0 ? STATUS_BROKEN_PIPE : status;
        }
        System.err
                .println("tutti: standard output could not be written to; see whether it is closed, or its disk full");
        return status == 0 ? STATUS_FAILED : status;
    }

    /** {@return the status after running a command} */
    static int execute(String... arguments) {
        return execute(List.of(), arguments);
    }

    /**
     * Runs a command.
     *
     * @param additional commands in addition to those that every user has
     * @param arguments the command line without {@code tutti}
     * @return the status to exit with
     */
    public static int execute(List<Class<?>> additional, String... arguments) {
        CommandLine line = new CommandLine(new Main());
        commands(additional, arguments).forEach(line::addSubcommand);
        line.setExpandAtFiles(false) // an argument of a program may begin with @,
                .setStopAtPositional(true) // or look like an option of ours
                .setParameterExceptionHandler(Main::reportUsage)
                .setExecutionExceptionHandler((exception, command, result) -> reportFailure(exception));
        line.getSubcommands().forEach((name, command) -> command.setStopAtPositional(name.equals(WITH_PROGRAM)));
        return line.execute(arguments);
    }

    /**
     * The named command alone, if the command line names one, because reading the options of all takes a tenth of a
     * second. The completion needs all.
     */
    private static List<Class<?>> commands(List<Class<?>> additional, String... arguments) {
        List<Class<?>> all = new ArrayList<>(COMMANDS);
        all.addAll(additional);
        for (Class<?> type : all) {
            if (arguments.length > 0 && type.getAnnotation(Command.class).name().equals(arguments[0])
                    && type != CompletionCommand.class) {
                return List.of(type);
            }
        }
        all.add(CommandLine.HelpCommand.class);
        return all;
    }

    /**
     * Opens the descriptor of a closed standard output for reading. Otherwise the next file opened for writing would
     * get that descriptor, and the output would silently disappear in that file. Standard input needs no such care: if
     * it is closed, the JVM takes its descriptor for files of its own before this method runs.
     */
    private static void keepClosedOutputClosed() {
        if (!Files.exists(OUTPUT)) {
            try {
                outputTaken = new FileInputStream(NOTHING);
            } catch (IOException _) {
                outputTaken = null; // a system without this file has no such descriptors either
            }
        }
    }

    private static boolean isPipe(Path file) {
        try {
            return ((int) Files.getAttribute(file, "unix:mode") & FILE_TYPE) == PIPE;
        } catch (IOException | UnsupportedOperationException _) {
            return false; // a system without this file or attribute
        }
    }

    /** Makes the standard streams write UTF-8 if there is no locale, because ASCII has no sign for micro. */
    private static void useUnicode() {
        if (System.out.charset().equals(StandardCharsets.US_ASCII)) {
            System.setOut(unicode(FileDescriptor.out));
            System.setErr(unicode(FileDescriptor.err));
        }
    }

    private static PrintStream unicode(FileDescriptor descriptor) {
        return new PrintStream(new BufferedOutputStream(new FileOutputStream(descriptor)), true,
                StandardCharsets.UTF_8);
    }

    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    @Command(name = "version", mixinStandardHelpOptions = true, description = "Prints the version.",
            footer = {"", "Example:", "  tutti version"})
    int version() {
        System.out.println("tutti " + VERSION);
        return 0;
    }

    private static int reportUsage(ParameterException exception, String[] arguments) {
        var command = exception.getCommandLine().getCommandSpec().qualifiedName();
        var said = exception instanceof UnmatchedArgumentException unmatched ? sentence(unmatched)
                : exception.getMessage();
        var sentence = said.replaceFirst("^Error: ", "").replaceFirst("\\.$", ""); // of picocli
        System.err.printf("tutti: %s (see %s --help)%n", printable(sentence), command);
        return STATUS_USAGE;
    }

    /** Replaces characters that control a terminal. They come from arguments and from files that are no text. */
    private static String printable(String sentence) {
        return CONTROL.matcher(sentence).replaceAll("?");
    }

    private static String sentence(UnmatchedArgumentException unmatched) {
        var given = unmatched.getUnmatched().getFirst();
        if (OF_THE_JVM.matcher(given).lookingAt()) {
            return given + " is an option of the JVM; tutti run takes it as -J" + given;
        }
        boolean isCommand = unmatched.getCommandLine().getParent() == null && !unmatched.isUnknownOption();
        if (isCommand && LABORATORY.contains(given)) {
            return given + " is part of a checkout of Tutti, and not of tutti.jar; run ./tutti " + given + " there";
        }
        var kind = unmatched.isUnknownOption() ? "there is no option "
                : isCommand ? "there is no command "
                        : unmatched.getCommandLine().getCommandSpec().qualifiedName() + " takes no argument ";
        return kind + given + unmatched.getSuggestions().stream().findFirst()
                .map(meant -> "; did you mean " + meant + "?").orElse("");
    }

    private static int reportFailure(Exception exception) {
        if (Cleanup.isEnding()) {
            return STATUS_FAILED; // not reported: a signal has ended the command, and the signal decides the status
        }
        switch (exception) {
            case UsageException usage -> {
                System.err.println("tutti: " + printable(usage.getMessage()));
                return STATUS_USAGE;
            }
            case TuttiException known -> System.err.println("tutti: " + known.getMessage());
            case IOException broken -> System.err.println("tutti: " + broken);
            default -> exception.printStackTrace();
        }
        return STATUS_FAILED;
    }
}
