/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The named pipes at which the ranks of a contender wait for their turns, one for each rank. A byte is a turn. This
 * process opens the pipes for reading too, so that opening them does not block.
 */
final class Gates implements AutoCloseable {
    private final Path directory;
    private final List<RandomAccessFile> pipes = new ArrayList<>();

    /**
     * Makes the pipes.
     *
     * @param parent the directory for the directory of the pipes
     * @param ranks the number of ranks
     */
    Gates(Path parent, int ranks) throws IOException, InterruptedException {
        this.directory = Files.createTempDirectory(parent, "gates-");
        List<String> words = new ArrayList<>(List.of("mkfifo", "-m", "600"));
        for (int rank = 0; rank < ranks; rank++) {
            words.add(directory.resolve(String.valueOf(rank)).toString());
        }
        if (new ProcessBuilder(words).inheritIO().start().waitFor() != 0) {
            throw new IOException("mkfifo could not make pipes in " + directory);
        }
        for (int rank = 0; rank < ranks; rank++) {
            pipes.add(new RandomAccessFile(directory.resolve(String.valueOf(rank)).toFile(), "rw"));
        }
    }

    Path directory() {
        return directory;
    }

    /** Lets every rank go on once. */
    void open() throws IOException {
        for (var pipe : pipes) {
            pipe.write(1);
        }
    }

    @Override
    public void close() throws IOException {
        for (var pipe : pipes) {
            pipe.close();
        }
    }
}
