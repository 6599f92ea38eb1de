/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.util.Locale;

/**
 * The behaviour of a process's service thread while no rank polls the connections. While the ranks compute, this thread
 * reads the messages of other nodes and answers them.
 */
public enum Service {
    /**
     * The thread sleeps until a message arrives, and uses no core until then. Waking the thread takes some tens of
     * microseconds.
     */
    SLEEP,
    /** The thread polls without pause. Use this if the process has a core to spare beside those of its ranks. */
    POLL;

    /**
     * Returns the behaviour that a value of the environment or of the command line names.
     *
     * @param text {@code sleep} or {@code poll}
     * @return the service
     * @throws IllegalArgumentException if the text is neither of the two; the message says so
     */
    public static Service parse(String text) {
        for (Service service : values()) {
            if (service.toString().equals(text)) {
                return service;
            }
        }
        throw new IllegalArgumentException("\"" + text + "\" is no way of service; give sleep or poll");
    }

    /** {@return {@code sleep} or {@code poll}} */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
