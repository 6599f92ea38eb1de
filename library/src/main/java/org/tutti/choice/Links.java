/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.Locale;

/** The speed of the links between nodes: whether the links or the cores at their ends limit long messages. */
public enum Links {
    /** The cores: waiting for a chain of ranks costs more than sending the bytes twice. */
    FAST,
    /** The links, because the cores can fill each of them: no byte should enter or leave a node twice. */
    SLOW;

    /**
     * Returns the speed of links between nodes that a user has named in the environment or on the command line.
     *
     * @param text {@code fast} or {@code slow}
     * @return the constant for that speed
     * @throws IllegalArgumentException if the text is neither; the message lists both
     */
    public static Links parse(String text) {
        for (Links links : values()) {
            if (links.toString().equals(text)) {
                return links;
            }
        }
        throw new IllegalArgumentException("\"" + text + "\" is no kind of links; give fast or slow");
    }

    /** {@return {@code fast} or {@code slow}} */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
