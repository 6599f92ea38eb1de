/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The command line as users start it: in a process of its own, or, for commands that end at once, one after another in
 * a process that all tests share.
 */
public final class CommandProcess {
    private static final long PATIENCE_SECONDS = 280;
    private static final String HOST_WAS_BUSY =
            "tutti: (the host of this virtual machine took|other programs use) .*\n";

    private static CommandProcess shared;

    private final DataOutputStream questions;
    private final DataInputStream answers;

    private CommandProcess(Process process) {
        this.questions = new DataOutputStream(process.getOutputStream());
        this.answers = new DataInputStream(process.getInputStream());
    }

    /** The result of a command. Its output is without messages about other virtual machines. */
    public record Ended(int status, String out, String err, long pid) {}

    /**
     * Runs a command in a process of its own.
     *
     * @param directory where it is started; gets its output, too
     * @param environment what to change in it; an empty value takes a variable away
     * @param arguments the words after {@code tutti}
     */
    public static Ended run(Path directory, Map<String, String> environment, String... arguments) throws Exception {
        Path out = directory.resolve("out");
        Path err = directory.resolve("err");
        List<String> command = new ArrayList<>(Installation.command());
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command).directory(directory.toFile()).redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(environment);
        builder.environment().values().removeIf(String::isEmpty);
        Process process = builder.start();
        try {
            assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("it ended in time").isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return new Ended(process.exitValue(), Files.readString(out),
                Files.readString(err).replaceAll(HOST_WAS_BUSY, ""), process.pid());
    }

    /** Runs a command that ends at once and writes no file, in the process that all share. */
    public static synchronized Ended runShared(String... arguments) throws IOException {
        if (shared == null) {
            var directory = Files.createTempDirectory("tutti-test");
            directory.toFile().deleteOnExit();
            var builder = new ProcessBuilder(Installation.java(),
                    "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "--enable-native-access=ALL-UNNAMED", "-cp",
                    System.getProperty("java.class.path"), CommandProcess.class.getName(),
                    Installation.main().getName()).directory(directory.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT);
            builder.environment().remove("TUTTI_RAILS");
            shared = new CommandProcess(builder.start());
        }
        return shared.ask(arguments);
    }

    private Ended ask(String... arguments) throws IOException {
        questions.writeInt(arguments.length);
        for (String argument : arguments) {
            questions.writeUTF(argument);
        }
        questions.flush();
        return new Ended(answers.readInt(), readText(), readText().replaceAll(HOST_WAS_BUSY, ""), -1);
    }

    private String readText() throws IOException {
        return new String(answers.readNBytes(answers.readInt()), StandardCharsets.UTF_8);
    }

    /**
     * The shared process: runs what it is told until its input ends, as it does with the JVM that started it.
     *
     * @param main the class that starts the command line
     */
    public static void main(String[] main) throws IOException, ReflectiveOperationException {
        var execute = Class.forName(main[0]).getDeclaredMethod("execute", String[].class);
        execute.setAccessible(true);
        var questions = new DataInputStream(System.in);
        var answers = new DataOutputStream(System.out);
        try {
            while (true) {
                var arguments = new String[questions.readInt()];
                for (int i = 0; i < arguments.length; i++) {
                    arguments[i] = questions.readUTF();
                }
                var out = new ByteArrayOutputStream();
                var err = new ByteArrayOutputStream();
                System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
                System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
                answers.writeInt((int) execute.invoke(null, (Object) arguments));
                for (var text : List.of(out, err)) {
                    answers.writeInt(text.size());
                    text.writeTo(answers);
                }
                answers.flush();
            }
        } catch (EOFException _) {
            return; // all that was asked has been answered
        }
    }
}
