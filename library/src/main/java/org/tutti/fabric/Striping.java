/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.util.Locale;

/**
 * The distribution of messages over several rails, the parallel connections between two processes. A striped message is
 * cut into parts that travel on different rails at the same time (Qian and Afsahi 2008, section 1).
 */
public enum Striping {
    /** Long messages are striped by the measured speeds of the rails, so that all rails finish at the same time. */
    SPEED,
    /** Long messages are striped evenly, and frames take the rails in turn. */
    EVEN,
    /** Each message is sent whole over one rail, and messages take the rails in turn (multiplexing). */
    WHOLE;

    /**
     * Returns the striping that a value of the environment or of the command line names.
     *
     * @param text {@code speed}, {@code even} or {@code whole}
     * @return the striping
     * @throws IllegalArgumentException if the text is none of the three; the message says so
     */
    public static Striping parse(String text) {
        for (Striping striping : values()) {
            if (striping.toString().equals(text)) {
                return striping;
            }
        }
        throw new IllegalArgumentException("\"" + text + "\" is no way of striping; give speed, even or whole");
    }

    /** {@return {@code speed}, {@code even} or {@code whole}} */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
