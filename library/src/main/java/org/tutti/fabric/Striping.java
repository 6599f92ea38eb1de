/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.util.Locale;

/** How messages are dealt to the rails between two nodes where there are several (Qian and Afsahi 2008, section 1). */
public enum Striping {
    /** Long messages are striped by the measured speeds of the rails, so that all are done at the same time. */
    SPEED,
    /** Long messages are striped evenly, and frames take the rails in turns. */
    EVEN,
    /** Whole messages take the rails in turns: multiplexing. */
    WHOLE;

    /**
     * Reads what the environment and the command line have.
     *
     * @param text {@code speed}, {@code even} or {@code whole}
     * @return the striping
     * @throws IllegalArgumentException when it is none of them; the message says so
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
