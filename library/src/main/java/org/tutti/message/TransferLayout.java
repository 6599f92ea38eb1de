/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import org.tutti.memory.Words;

/**
 * The block of the node's memory by which the payload of an offered message comes to a rank of the node. The sender
 * owns the block. If the receiver can read the sender's memory, the receiver copies the payload once, from there.
 * Otherwise sender and receiver copy it through two chunks of the block, at the same time.
 *
 * <pre>
 *  line 0:  +0 TAKEN, written by the receiver
 *  line 1:  +0 FILLED, written by the sender
 *  line 2:  +0 SOURCE: {@value #BY_CHUNKS} if the payload comes in chunks, {@value #LENT} if the sender's memory is
 *           a loan of the block, else the address of the payload in the node's memory
 *  then two chunks of {@value #CHUNK_BYTES} bytes
 * </pre>
 *
 * <p><b>Words.</b> A transfer has a number n, which the offer carries, and c chunks, the length of the payload divided
 * by the length of a chunk. TAKEN is n + 1 when a receive has matched, and one more after each chunk. FILLED is
 * n + 1 + i when chunk i is there. The sender fills chunk i when chunk i − 2 is taken. A receiver sets TAKEN to
 * n + 1 + c immediately if it wants no payload, or has copied from the sender's memory. The next transfer through the
 * block has the number n + 1 + c. Therefore both words only grow, and each stores with release order what the other
 * side loads with acquire order.
 *
 * <p><b>Withdrawal.</b> A sender whose wait for a receive must end sets TAKEN from n to n + 1 + c, and a receiver sets
 * it from n to n + 1, each by a compare-and-set. Therefore either the message is withdrawn, and the receiver looks for
 * another one, or both sides complete the transfer. A sender that fails while it fills chunks sets FILLED to n + 1 + c,
 * which no chunk does, and the receiver then looks for another message. The block is used again when the receiver has
 * set TAKEN to n + 1 + c, too.
 */
final class TransferLayout {
    static final int CHUNK_BYTES = 32 << 10;
    static final long BY_CHUNKS = 0;
    static final long LENT = -1;

    static final long TAKEN = 0;
    static final long FILLED = Words.LINE_BYTES;
    static final long SOURCE = 2L * Words.LINE_BYTES;
    private static final long CHUNKS = 3L * Words.LINE_BYTES;

    /** The length of the block of a transfer. */
    static final long BYTES = CHUNKS + 2L * CHUNK_BYTES;

    private TransferLayout() {}

    /** Returns the number of chunks of a payload, at least one. */
    static long chunks(long bytes) {
        return Math.max(1, (bytes + CHUNK_BYTES - 1) / CHUNK_BYTES);
    }

    /** Returns the offset of the place of a chunk in the block. */
    static long place(long chunk) {
        return CHUNKS + chunk % 2 * CHUNK_BYTES;
    }
}
