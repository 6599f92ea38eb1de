/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;

import org.tutti.DataType;
import org.tutti.RemoteMemory;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.fabric.RegionHandler;

/**
 * A part of remote memory as the fabric knows it, for tests of what reaches it.
 *
 * @param block the locks and the data
 * @param data what others may reach
 * @param handler what handles the messages that they send
 */
public record PartRegion(MemorySegment block, MemorySegment data, RegionHandler handler) {
    /** {@return how many bytes the block of a part has} */
    public static long blockBytes(long bytes) {
        return PartLayout.bytes(bytes, RemoteMemory.NOTIFICATIONS);
    }

    /** {@return a part in a block} */
    public static PartRegion of(MemorySegment block, long bytes) {
        return new PartRegion(block, PartLayout.data(block, bytes),
                new PartAccumulator(block, bytes, new ScriptedMembers(), 0));
    }

    /** {@return the type of the numbers that an operation of an accumulate combines} */
    public static DataType type(int operation) {
        return Accumulation.typeOfCode(operation);
    }

    /** {@return the bytes of the elements that an operation of an accumulate combines; 0 when it is none} */
    public static int elementBytes(int operation) {
        return Accumulation.isCode(operation)
                ? Accumulation.ofCode(operation).elementBytes(Accumulation.typeOfCode(operation))
                : 0;
    }
}
