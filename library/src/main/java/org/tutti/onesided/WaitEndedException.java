/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * Ends a wait without anything having failed; never leaves this package. It has no trace, so that it costs nothing.
 */
final class WaitEndedException extends RuntimeException {
    /** The wait was to be that long only. */
    static final WaitEndedException TIMED_OUT = new WaitEndedException("the time has passed");

    /** There is something to look after before the wait goes on. */
    static final WaitEndedException TIME_TO_LOOK = new WaitEndedException("it is time to look around");

    private static final long serialVersionUID = 1L;

    private WaitEndedException(String reason) {
        super(reason, null, false, false);
    }
}
