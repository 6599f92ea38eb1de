/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.ArrayDeque;
import java.util.Deque;

import org.tutti.JobStartException;

/**
 * What has to be undone however the launcher ends: by itself, by Ctrl-C or by SIGTERM. Closes its resources once, the
 * newest first.
 */
public final class Cleanup implements AutoCloseable {
    private static volatile boolean ending;

    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private boolean closed;

    /** Registers with the JVM, for its end. */
    public Cleanup() {
        Runtime.getRuntime().addShutdownHook(new Thread(this::closeAtTheEnd, "cleanup"));
    }

    /**
     * {@return whether this process ends, as by Ctrl-C or SIGTERM: what fails from then on fails because of that}
     */
    public static boolean isEnding() {
        return ending;
    }

    private void closeAtTheEnd() {
        ending = true;
        close();
    }

    /**
     * Takes a resource over.
     *
     * @param resource what will be closed
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
        } catch (Exception e) { // whatever happened, the others are closed as well
            System.err.println("tutti: something of the job may be left behind: " + e);
        }
    }
}
