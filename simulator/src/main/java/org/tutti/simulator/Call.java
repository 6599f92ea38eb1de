/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

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
 * @param salt makes the call's data, and where ranks have them
 */
record Call(Collective collective, Algorithm algorithm, Operation operation, int root, int bytes, boolean inPlace,
        long salt) {
    private static final long FIRST_PRIME = 0x9e3779b97f4a7c15L;
    private static final long SECOND_PRIME = 0xff51afd7ed558ccdL;
    private static final int KIND_SHIFT = 34;
    private static final MemoryKind[] KINDS = MemoryKind.values();

    /** Of so many places of the noise, those of the ranks are different ones. */
    private static final int STARTS = 1 << 17;

    private static final MemorySegment NOISE = noise();

    private static MemorySegment noise() {
        byte[] noise = new byte[STARTS * Long.BYTES + Calls.BYTES_MAX];
        new Random(STARTS).nextBytes(noise);
        return MemorySegment.ofArray(noise).asReadOnly();
    }

    /** {@return the operator for the type, for one thread; null when nothing is combined} */
    Kernel kernel() {
        return collective == Collective.REDUCE || collective == Collective.ALLREDUCE
                ? Kernel.of(operation.reduction(), operation.type())
                : null;
    }

    /** {@return the elements of a rank: a piece of the noise of its own, which nobody may write to} */
    MemorySegment contribution(int rank) {
        long start = (salt * FIRST_PRIME >>> Integer.SIZE) + rank * (salt * SECOND_PRIME >>> Integer.SIZE | 1);
        return NOISE.asSlice((start & STARTS - 1) * Long.BYTES, bytes);
    }

    /** {@return what every rank that receives something must hold afterwards} */
    MemorySegment expected(int size) {
        if (collective == Collective.BROADCAST) {
            return contribution(root);
        }
        byte[] result = contribution(0).toArray(ValueLayout.JAVA_BYTE);
        for (int rank = 1; rank < size; rank++) {
            operation.combine(result, contribution(rank));
        }
        return MemorySegment.ofArray(result);
    }

    /**
     * Says where a rank has its elements. In one of three calls all have them in the memory of the node, as all have to
     * lend before some algorithms use what is lent.
     */
    MemoryKind kind(int rank, boolean isTarget) {
        boolean allShare = (salt * SECOND_PRIME >>> KIND_SHIFT) % KINDS.length == 0;
        long draw = (salt + 2L * rank + (isTarget ? 1 : 0)) * FIRST_PRIME >>> KIND_SHIFT;
        return allShare ? MemoryKind.SHARED : KINDS[(int) draw % KINDS.length];
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
