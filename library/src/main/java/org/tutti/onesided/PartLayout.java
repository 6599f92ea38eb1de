/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.memory.Memory;
import org.tutti.memory.Words;

/**
 * A part's block in its node's memory.
 *
 * <pre>
 *  +0  the data, as many bytes as were asked for, up to a whole line; one line when none were
 * </pre>
 */
final class PartLayout {
    private PartLayout() {}

    /** The size of the block for a part of so many bytes. */
    static long bytes(long dataBytes) {
        return Math.max(Words.LINE_BYTES, Memory.roundToLines(dataBytes));
    }

    /** The data of a part. */
    static MemorySegment data(Memory memory, long address, long dataBytes) {
        return memory.block(address, bytes(dataBytes)).asSlice(0, dataBytes);
    }
}
