/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.tutti.tool.recording.RecordingFiles;

/**
 * The recording of a process on another host, which arrives in pieces. The thread that takes frames off the connection
 * writes them to the file, which takes it no longer than other work because the system buffers the bytes.
 */
final class ArrivingRecording {
    /** JFR exceeds its own limit by some chunks. */
    private static final long BYTES_MAX = 2 * RecordingFiles.BYTES_MAX;

    private static final long LOOK_INTERVAL_MILLIS = 50;

    private final Path file;
    private final RankRange ranks;
    private final CountDownLatch end = new CountDownLatch(1);
    private OutputStream out;
    private long bytes;
    private long lastNanos;
    private IOException failure;

    /**
     * @param files the directory of the recordings on this host
     * @param ranks the ranks of the process
     */
    ArrivingRecording(RecordingFiles files, RankRange ranks) {
        this.file = files.recording(ranks.fileName());
        this.ranks = ranks;
    }

    /** {@return the sentence about a recording that is missing or not complete} */
    static String sentence(RankRange ranks, IOException reason) {
        var said = reason instanceof FileSystemException at && at.getReason() != null
                ? at.getFile() + ": " + at.getReason()
                : String.valueOf(reason.getMessage());
        return "the recording of " + ranks.name() + " is not complete: " + said;
    }

    /** Writes a piece; an empty one is the end. After a failure, pieces are dropped, and the job goes on. */
    synchronized void append(byte[] piece) {
        lastNanos = System.nanoTime();
        try {
            if (piece.length == 0) {
                end.countDown();
            } else if (failure == null) {
                write(piece);
            }
        } catch (IOException e) {
            failure = e;
        }
    }

    private void write(byte[] piece) throws IOException {
        bytes += piece.length;
        if (bytes > BYTES_MAX) {
            throw new IOException("its host sent more than " + BYTES_MAX + " bytes");
        }
        if (out == null) {
            out = Files.newOutputStream(file, StandardOpenOption.CREATE_NEW);
        }
        out.write(piece);
    }

    /**
     * Waits for the end, but not for long. {@return whether the recording has not ended, and its last piece or the
     * first call of this method is not longer ago than a time}
     */
    boolean isArriving(Duration patience) throws InterruptedException {
        boolean hasEnded = end.await(LOOK_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        synchronized (this) {
            lastNanos = lastNanos == 0 ? System.nanoTime() : lastNanos;
            return !hasEnded && System.nanoTime() - lastNanos < patience.toNanos();
        }
    }

    /** Closes the file. {@return a sentence, if the recording is missing or not complete} */
    synchronized Optional<String> close() {
        if (out != null) {
            try {
                out.close();
            } catch (IOException e) {
                failure = failure == null ? e : failure;
            }
        }
        boolean hasEnded = end.getCount() == 0;
        if (failure == null && (!hasEnded || bytes == 0)) {
            failure = new IOException(hasEnded ? "the process has not recorded anything"
                    : "its host has not sent all of it");
        }
        return Optional.ofNullable(failure).map(reason -> sentence(ranks, reason));
    }
}
