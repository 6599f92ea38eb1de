/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * Where a rank waits for its turn, when several benchmarks alternate: a named pipe, from which it reads a byte a turn.
 * Waiting costs no processor time, so it does not disturb whose turn it is.
 */
final class Gate implements AutoCloseable {
    private final FileInputStream pipe;

    /**
     * @param directory where the pipes are, named by the ranks
     * @param rank whose it is
     */
    Gate(String directory, int rank) throws IOException {
        this.pipe = new FileInputStream(Path.of(directory, String.valueOf(rank)).toFile());
    }

    /** Waits for the next turn. */
    void await() throws IOException {
        // on a thread of the system, as a virtual one would keep its carrier
        int turn = CompletableFuture.supplyAsync(this::read, task -> Thread.ofPlatform().daemon().start(task)).join();
        if (turn < 0) {
            throw new IOException(
                    "who gives the turns has gone, and there will be no other; start tutti compare again");
        }
    }

    private int read() {
        try {
            return pipe.read();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        pipe.close();
    }
}
