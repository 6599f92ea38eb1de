/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

/**
 * Ends a wait without a failure. This exception never leaves its package. It has no stack trace, so that throwing it is
 * cheap.
 */
final class WaitEndedException extends RuntimeException {
    /** The timeout of the wait has passed. */
    static final WaitEndedException TIMED_OUT = new WaitEndedException("the time has passed");

    /** The waiting rank has to look whether the holder is gone before the wait goes on. */
    static final WaitEndedException TIME_TO_LOOK = new WaitEndedException("it is time to look around");

    private static final long serialVersionUID = 1L;

    private WaitEndedException(String reason) {
        super(reason, null, false, false);
    }
}
