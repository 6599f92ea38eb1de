/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.ValueLayout;

/**
 * The layout of the active messages between ranks of different nodes. An active message has an operation, two
 * arguments, a header, and perhaps a payload.
 *
 * <pre>
 *  operation   arguments                          header, after +0 the source, a rank of the job
 *  MESSAGE     envelope, communicator's number    +8 number  +16 length of an offered payload  +24 offer
 *  WITHDRAW    0, communicator's number           +8 number                                    +24 offer
 *  ACCEPT      offer, region for the payload      +8 region of the words  +16 number of the receive
 *  CREDIT      cost, 0
 * </pre>
 */
final class FarLayout {
    /** A message, with the payload of an eager one. */
    static final int MESSAGE = 0;

    /** The sender does not wait any longer until a receive matches its offer. */
    static final int WITHDRAW = 1;

    /**
     * A receive has matched an offer, or the offer is not wanted. The region is 0 if no payload is wanted, or it is
     * empty. The number of the receive is 0 if no receive waits.
     */
    static final int ACCEPT = 2;

    /** The cost of all eager messages that have been matched. */
    static final int CREDIT = 3;

    static final long SOURCE = 0;
    static final long NUMBER = 8;
    static final long OFFERED_BYTES = 16;
    static final long OFFER = 24;
    static final long HEADER_BYTES = 32;

    static final long WORDS = 8;
    static final long RECEIVE = 16;

    /** The length of the longest active message with one rail. The fabric sends it in one frame. */
    static final int BYTES_MAX = 60 << 10;

    /** The length of the longest active message with several rails, which share longer messages. */
    static final int BYTES_MAX_SHARED = 4000;

    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private FarLayout() {}

    /** Returns whether an active message may have an operation and a length. */
    static boolean isPlausible(int operation, long bytes) {
        return operation == MESSAGE ? bytes >= HEADER_BYTES && bytes <= BYTES_MAX
                : operation > MESSAGE && operation <= CREDIT && bytes == HEADER_BYTES;
    }
}
