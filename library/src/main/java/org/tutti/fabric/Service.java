/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.util.Locale;

/** What the service thread of a process does while no rank polls: it serves other nodes while ranks compute. */
public enum Service {
    /** It sleeps until something arrives, and takes no core until then; waking takes some tens of microseconds. */
    SLEEP,
    /** It polls without pause: for a process that has a core to spare besides those of its ranks. */
    POLL;

    /**
     * Reads what the environment and the command line have.
     *
     * @param text {@code sleep} or {@code poll}
     * @return the service
     * @throws IllegalArgumentException when it is neither; the message says so
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
