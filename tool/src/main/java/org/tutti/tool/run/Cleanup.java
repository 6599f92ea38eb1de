/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.ArrayDeque;
import java.util.Deque;

import org.tutti.JobStartException;

/**
 * Undoes things when the launcher ends: by itself, by Ctrl-C or by SIGTERM. It closes its resources once, the newest
 * first.
 */
public final class Cleanup implements AutoCloseable {
    private static volatile boolean ending;

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private boolean closed;

    /** Registers a shutdown hook with the JVM. */
    public Cleanup() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::closeAtTheEnd, "cleanup"));
    }

    /**
     * {@return whether this process is ending, for example after Ctrl-C or SIGTERM; that explains every failure from
     * then on}
     */
    public static boolean isEnding() {
        return ending;
    }

    private void closeAtTheEnd() {
        ending = true;
        close();
    }

    /**
     * Takes over a resource, and closes it immediately if the other resources have already been closed.
     *
     * @param resource the resource to close
     * @return the resource
     */
    public synchronized <T extends AutoCloseable> T add(T resource) {
        if (closed) {
            close(resource);
            throw new JobStartException("the launcher was told to end.");
        }
        resources.push(resource);
        return resource;
    }

    @Override
    public synchronized void close() {
        closed = true;
        while (!resources.isEmpty()) {
            close(resources.pop());
        }
    }

    private static void close(AutoCloseable resource) {
        try {
            resource.close();
        } catch (Exception e) { // whatever happened, the other resources are closed as well
            System.err.println("tutti: something of the job may be left behind: " + e);
        }
    }
}
