/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import static org.assertj.core.api.Assertions.assertThat;

/** Another process that does something with a memory file until it is closed. */
public final class OtherProcess implements AutoCloseable {
    private static final long LOCKS = 1L << 62;

    private final Process process;

    private OtherProcess(String... arguments) throws IOException {
        String[] command = new String[arguments.length + 5];
        command[0] = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        command[1] = "-XX:TieredStopAtLevel=1";
        command[2] = "-cp";
        command[3] = System.getProperty("java.class.path");
        command[4] = OtherProcess.class.getName();
        System.arraycopy(arguments, 0, command, 5, arguments.length);
        this.process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        BufferedReader output = process.inputReader();
        assertThat(output.readLine()).isEqualTo("ready");
    }

    /**
     * Holds the lock of a participant.
     *
     * @param file the file
     * @param participant the participant
     * @return the process, which holds it already
     */
    public static OtherProcess thatHolds(Path file, int participant) throws IOException {
        return new OtherProcess("hold", file.toString(), String.valueOf(LOCKS + participant), "1");
    }

    /**
     * Holds all locks, and removes the file in the end.
     *
     * @param file the file
     * @return the process, which holds them already
     */
    public static OtherProcess thatIsSweeping(Path file) throws IOException {
        return new OtherProcess("sweep", file.toString(), String.valueOf(LOCKS),
                String.valueOf(Long.MAX_VALUE - LOCKS));
    }

    /** What the process does. */
    public static void main(String[] arguments) throws IOException {
        Path path = Path.of(arguments[1]);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            file.lock(Long.parseLong(arguments[2]), Long.parseLong(arguments[3]), false);
            System.out.println("ready");
            System.in.read();
            if (arguments[0].equals("sweep")) {
                Files.delete(path);
            }
        }
    }

    /** Ends it. */
    @Override
    public void close() throws IOException {
        try (var input = process.getOutputStream()) {
            input.write('\n');
            input.flush();
            assertThat(process.waitFor()).isZero();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
