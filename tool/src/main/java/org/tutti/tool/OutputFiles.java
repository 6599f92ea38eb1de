/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

import org.tutti.TuttiException;

/** Files that commands write: checked before a command begins to work, and written at its end. */
public final class OutputFiles {
    private static final int STATUS_FAILED = 1;

    private OutputFiles() {}

    /**
     * Checks a file of the command line that will be written. A file that did not exist does not exist afterwards.
     *
     * @param option the option that names the file
     * @param file the file
     */
    public static void requireWritable(String option, Path file) {
        var absolute = file.toAbsolutePath();
        try {
            if (!Files.exists(absolute)) { // a directory may refuse new files although it is writable, such as /proc
                Files.delete(Files.createFile(absolute));
            } else if (Files.isDirectory(absolute) || !Files.isWritable(absolute)) {
                throw new IOException();
            }
        } catch (IOException _) {
            throw new UsageException(
                    option + " " + absolute + " cannot be written; name a file in a directory that can");
        }
    }

    /**
     * Writes a file.
     *
     * @param file the file
     * @param text its content
     * @throws LostException if the file cannot be written
     */
    public static void write(Path file, CharSequence text) {
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new LostException(file, e);
        }
    }

    /**
     * Writes a file.
     *
     * @param file the file
     * @param lines its lines
     * @throws LostException if the file cannot be written
     */
    public static void write(Path file, Iterable<String> lines) {
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new LostException(file, e);
        }
    }

    /** The content of a file. */
    @FunctionalInterface
    public interface Content {
        /** Writes the content. */
        void writeTo(OutputStream out) throws IOException;
    }

    /**
     * Writes a file beside the named one, which then takes its name, so that a reader sees whole versions.
     *
     * @param file the file, which may exist
     * @param beside a file in the same directory that does not exist, and does not exist afterwards
     * @param content the content of the file
     * @throws IOException if the file cannot be written; a file that existed keeps its content
     */
    public static void replace(Path file, Path beside, Content content) throws IOException {
        OutputStream out = Files.newOutputStream(beside, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try {
            try (out) {
                content.writeTo(out);
            }
            Files.move(beside, file, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(beside);
        }
    }

    /** The work of a rank. */
    @FunctionalInterface
    public interface Work {
        /** Does the work. */
        void run() throws IOException;
    }

    /**
     * Runs a program of the tool as a rank. If it loses a file, this method says so in a sentence instead of a stack
     * trace, and ends the process.
     *
     * @param work the program
     */
    public static void runAsRank(Work work) throws IOException {
        try {
            work.run();
        } catch (TuttiException e) {
            var lost = e.getCause() instanceof LostException cause ? cause : e; // ranks as threads have a cause
            if (lost instanceof LostException) {
                System.err.println("tutti: " + lost.getMessage());
                System.exit(STATUS_FAILED);
            }
            throw e;
        }
    }

    /** A file could not be written although it seemed possible. */
    public static final class LostException extends TuttiException {
        private static final long serialVersionUID = 1;

        /**
         * @param file the file
         * @param cause the reason
         */
        public LostException(Path file, IOException cause) {
            super(file + " could not be written (" + reason(cause) + "); make room for it, or name another file",
                    cause);
        }

        private static String reason(IOException cause) {
            return cause instanceof FileSystemException known && known.getReason() != null ? known.getReason()
                    : cause.getMessage();
        }
    }
}
