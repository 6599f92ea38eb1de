/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

/** A non-blocking send or receive, as the threads see it that move it on or end it. */
interface MessageInFlight {
    /** Returns whether the message has ended. */
    boolean hasEnded();

    /** Moves the message on without waiting, unless another thread does so. Returns whether it has moved. */
    boolean tryAdvance();

    /** Returns whether the message can be moved on again soon, because a transfer on this node has begun. */
    boolean canMoveSoon();

    /** Ends the message if its wait must end. */
    void check();
}
