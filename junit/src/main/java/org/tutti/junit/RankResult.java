/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.junit;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

import org.opentest4j.AssertionFailedError;
import org.opentest4j.ValueWrapper;

/**
 * The result of the test in one rank's process. The process writes it to a file in the directory of the test.
 *
 * @param rank the rank
 * @param failure the exception of the test; null if the test has passed
 * @param atMillis the time at which the test ended, by the host's clock, in milliseconds since 1970
 * @param isConsequence whether the failure is only a consequence of another rank's failure
 * @param culprit the rank that caused the failure; −1 if it is unknown, or if no other rank caused it
 */
record RankResult(int rank, Throwable failure, long atMillis, boolean isConsequence, int culprit)
        implements
            Serializable {
    private static final int CAUSES_MAX = 100; // the chain of causes may be a circle

    /** A copy of a failure that cannot be serialized: its text, stack trace and causes. */
    private static final class Copy extends Exception {
        private static final long serialVersionUID = 1L;

        private final String text;

        private Copy(String text, Throwable cause) {
            super(text, cause);
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    private static Path file(Path directory, int rank) {
        return directory.resolve("rank-" + rank);
    }

    /** Writes the result, with a copy of the failure if it cannot be serialized. */
    void write(Path directory) throws IOException {
        byte[] bytes;
        try {
            bytes = serialize();
            deserialize(bytes);
        } catch (IOException | ClassNotFoundException | RuntimeException _) {
            bytes = new RankResult(rank, copy(failure, 0), atMillis, isConsequence, culprit).serialize();
        }
        Files.write(file(directory, rank), bytes);
    }

    /** {@return the result of a rank's process; empty if the process has not written any} */
    static Optional<RankResult> read(Path directory, int rank) {
        try {
            return Optional.of(deserialize(Files.readAllBytes(file(directory, rank))));
        } catch (NoSuchFileException _) {
            return Optional.empty();
        } catch (IOException | ClassNotFoundException | RuntimeException e) {
            return Optional.of(new RankResult(rank, new AssertionError("what it told of its failure cannot be read", e),
                    System.currentTimeMillis(), false, -1));
        }
    }

    private byte[] serialize() throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (var out = new ObjectOutputStream(bytes)) {
            out.writeObject(this);
        }
        return bytes.toByteArray();
    }

    private static RankResult deserialize(byte[] bytes) throws IOException, ClassNotFoundException {
        try (var in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return (RankResult) in.readObject();
        }
    }

    private static Throwable copy(Throwable failure, int depth) {
        if (failure == null || depth == CAUSES_MAX) {
            return null;
        }
        Throwable cause = copy(failure.getCause(), depth + 1);
        Throwable copy = switch (failure) {
            case AssertionFailedError values when values.isExpectedDefined() && values.isActualDefined() ->
                new AssertionFailedError(values.getMessage(), text(values.getExpected()), text(values.getActual()),
                        cause);
            case AssertionError error -> new AssertionError(error.getMessage(), cause);
            default -> new Copy(failure.toString(), cause);
        };
        copy.setStackTrace(failure.getStackTrace());
        return copy;
    }

    private static String text(ValueWrapper value) {
        return value.getStringRepresentation();
    }
}
