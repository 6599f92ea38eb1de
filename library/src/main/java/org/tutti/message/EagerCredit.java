/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

/**
 * Bounds the eager messages of one sender that a receiver keeps because no receive has matched them. Each eager message
 * has a cost: {@value #COST_OF_MESSAGE} for its description and its payload's length. The receiver tells the sender the
 * cost of all messages that have been matched. If the unmatched ones would cost more than {@value #UNMATCHED_MAX}, the
 * sender only offers its message, and the payload stays in the sender's memory.
 */
final class EagerCredit {
    /** The cost of a message without payload, about the bytes of its description. */
    static final int COST_OF_MESSAGE = 128;

    /** The most that the unmatched eager messages of one sender may cost at a receiver. */
    static final long UNMATCHED_MAX = 256 << 10;

    /** The receiver tells the sender of matched messages when they cost so much. */
    static final long RETURNED_AT = UNMATCHED_MAX / 4;

    private EagerCredit() {}

    static long cost(long bytes) {
        return COST_OF_MESSAGE + bytes;
    }
}
