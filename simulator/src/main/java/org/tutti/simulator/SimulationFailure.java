/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

/**
 * What the simulator found wrong with an algorithm, or with what lies below it.
 */
public final class SimulationFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * @param message what, where, with which values
     */
    SimulationFailure(String message) {
        super(message);
    }

    /**
     * @param message what, where, with which values
     * @param cause what was thrown inside a rank
     */
    SimulationFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
