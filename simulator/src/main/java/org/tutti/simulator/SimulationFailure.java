/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

/** Thrown when a simulated run finds a fault in an algorithm or in a layer below it. */
public final class SimulationFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    /**
     * @param message the fault, its place, and the values
     */
    SimulationFailure(String message) {
        super(message);
    }

    /**
     * @param message the fault, its place, and the values
     * @param cause the exception that a rank threw
     */
    SimulationFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
