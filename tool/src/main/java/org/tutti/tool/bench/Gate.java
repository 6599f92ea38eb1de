/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;

/**
 * Makes a rank wait for its turn when several benchmarks alternate. The rank reads one byte a turn from a named pipe.
 * Waiting takes no processor time, so it does not disturb the benchmark that has its turn.
 */
final class Gate implements AutoCloseable {
    private final FileInputStream pipe;

    /**
     * @param directory the directory of the pipes, which are named by the ranks
     * @param rank the rank that waits
     */
    Gate(String directory, int rank) throws IOException {
        this.pipe = new FileInputStream(Path.of(directory, String.valueOf(rank)).toFile());
    }

    /** Waits for the next turn. */
    void await() throws IOException {
        // on a platform thread, because a virtual thread would keep its carrier
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
