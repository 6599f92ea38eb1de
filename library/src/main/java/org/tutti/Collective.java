/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.Locale;

/**
 * The collective operations. Each has several algorithms, which {@link Communicator#withAlgorithm} selects by name.
 */
public enum Collective {
    /** Nobody leaves before everybody has entered. */
    BARRIER,
    /** The root's elements reach every rank. */
    BROADCAST,
    /** The combination of every rank's elements reaches the root. */
    REDUCE,
    /** The combination of every rank's elements reaches every rank. */
    ALLREDUCE;

    /**
     * {@return the name as it is written in options, messages and the environment: lower case}
     */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
