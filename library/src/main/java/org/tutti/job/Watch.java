/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;

/**
 * Watches over the others from a process: a daemon thread that looks, every {@value #INTERVAL_MILLIS} ms, whether the
 * next process of the job lives, whether the launcher lives, and whether the job was aborted.
 *
 * <p>Each process watches only the next one in the order of first ranks that is still part of the job, and marks its
 * ranks as failed when it has died; then it watches the one after that. So any number of deaths is seen, and each
 * process does the work of one. A process whose launcher is gone ends, as nobody is left to end it later.
 */
final class Watch implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 200;
    private static final long ABORT_GRACE_MILLIS = 1000;
    private static final int STATUS_LAUNCHER_GONE = 143;

    private final NodeFile file;
    private final int self;
    private final Thread thread;

    Watch(NodeFile file, int self) {
        this.file = file;
        this.self = self;
        this.thread = Thread.ofPlatform().daemon().name("tutti watch").start(this::run);
    }

    private void run() {
        try {
            while (true) {
                Thread.sleep(INTERVAL_MILLIS);
                watchAll();
            }
        } catch (InterruptedException _) {
            return; // closed
        }
    }

    private void watchAll() throws InterruptedException {
        try {
            watchLauncher();
            watchNeighbour();
        } catch (IOException e) { // perhaps not the next time
            System.getLogger(Watch.class.getName()).log(System.Logger.Level.WARNING,
                    "process of rank " + self + " cannot see whether the others live", e);
        }
        watchAbort();
    }

    private void watchLauncher() throws IOException {
        if (file.node().hasLauncher() && !file.livesLauncher()) {
            try {
                file.unlink();
                System.err.println("tutti: the process of rank " + self + " ends, because its launcher is gone");
            } finally {
                Runtime.getRuntime().halt(STATUS_LAUNCHER_GONE);
            }
        }
    }

    private void watchNeighbour() throws IOException {
        Node node = file.node();
        int size = node.size();
        for (int distance = 1; distance < size; distance++) {
            int rank = (self + distance) % size;
            if (node.state(rank) == NodeLayout.JOINED && node.firstRankOfProcess(rank) != self) {
                if (file.livesProcess(node.firstRankOfProcess(rank))) {
                    return;
                }
                node.markFailed(rank);
            }
        }
    }

    private void watchAbort() throws InterruptedException {
        int status = file.node().abortStatus();
        if (status >= 0) {
            Thread.sleep(ABORT_GRACE_MILLIS);
            Runtime.getRuntime().halt(status);
        }
    }

    @Override
    public void close() {
        thread.interrupt();
        boolean interrupted = false;
        while (thread.isAlive()) { // it must not look at memory that is given back next
            try {
                thread.join();
            } catch (InterruptedException _) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
