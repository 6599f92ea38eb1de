/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.kernel.Kernel;

/**
 * One call of a verification run, the same at every rank.
 *
 * @param collective the collective
 * @param algorithm how it is done
 * @param operation what is moved or combined
 * @param root the root, 0 where there is none
 * @param bytes the length of the message
 * @param inPlace whether source and target are the same memory
 * @param salt makes the call's data, and which ranks have them on the heap
 */
record Call(Collective collective, Algorithm algorithm, Operation operation, int root, int bytes, boolean inPlace,
        long salt) {
    private static final long FIRST_PRIME = 0x9e3779b97f4a7c15L;
    private static final long SECOND_PRIME = 0xff51afd7ed558ccdL;

    /** {@return the operator for the type, for one thread; null when nothing is combined} */
    Kernel kernel() {
        return collective == Collective.REDUCE || collective == Collective.ALLREDUCE
                ? Kernel.of(operation.reduction(), operation.type())
                : null;
    }

    /** {@return the elements of a rank} */
    byte[] contribution(int rank) {
        byte[] bytesOfRank = new byte[bytes];
        MemorySegment segment = MemorySegment.ofArray(bytesOfRank);
        long state = (salt + rank + 1) * FIRST_PRIME;
        for (int at = 0; at < bytes; at += Long.BYTES) {
            state = (state ^ state >>> 29) * SECOND_PRIME + 1;
            if (at + Long.BYTES <= bytes) {
                segment.set(ValueLayout.JAVA_LONG_UNALIGNED, at, state);
            } else {
                for (int i = at; i < bytes; i++) {
                    bytesOfRank[i] = (byte) (state >>> i % Long.BYTES * Byte.SIZE);
                }
            }
        }
        return bytesOfRank;
    }

    /** {@return what every rank that receives something must hold afterwards} */
    byte[] expected(int size) {
        if (collective == Collective.BROADCAST) {
            return contribution(root);
        }
        byte[] result = contribution(0);
        for (int rank = 1; rank < size; rank++) {
            operation.combine(result, contribution(rank));
        }
        return result;
    }

    /** {@return whether a rank has its elements on the heap} */
    boolean isOnHeap(int rank) {
        return ((salt + rank) * FIRST_PRIME >>> 60 & 1) == 1;
    }

    /** {@return whether a rank's target receives the result} */
    boolean receives(int rank) {
        return collective != Collective.REDUCE || rank == root;
    }

    @Override
    public String toString() {
        return collective.label() + " " + algorithm.description().name() + " of " + bytes + " bytes"
                + (collective == Collective.BROADCAST || collective == Collective.REDUCE ? " with root " + root : "")
                + (collective == Collective.BROADCAST || collective == Collective.BARRIER ? ""
                        : " with operator " + operation.reduction() + (inPlace ? " in place" : ""));
    }
}
