/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.kernel.Kernel;

/**
 * One call of a verification run, the same at every rank.
 *
 * @param algorithm how it is done
 * @param operation what is moved or combined
 * @param root the root, 0 where there is none
 * @param bytes the length of the message
 * @param inPlace whether source and target are the same memory
 * @param salt makes the call's data, and where ranks have them
 */
record PlannedCall(Algorithm algorithm, Operation operation, int root, int bytes, boolean inPlace, long salt) {
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

    Collective collective() {
        return algorithm.collective();
    }

    /**
     * Prepares it at a rank.
     *
     * @param source the rank's elements
     * @param target where the rank receives the result
     * @return the call, with an operator of its own
     */
    Call prepare(MemorySegment source, MemorySegment target) {
        Call call = new Call();
        call.set(algorithm, root, Long.MAX_VALUE);
        if (collective().hasElements()) {
            Kernel kernel = collective().combines() ? Kernel.of(operation.reduction(), operation.type()) : null;
            call.setElements(source, target, operation.type(), bytes / operation.type().bytes(), kernel);
        }
        return call;
    }

    /** {@return the elements of a rank: a piece of the noise of its own, which nobody may write to} */
    MemorySegment contribution(int rank) {
        long start = (salt * FIRST_PRIME >>> Integer.SIZE) + rank * (salt * SECOND_PRIME >>> Integer.SIZE | 1);
        return NOISE.asSlice((start & STARTS - 1) * Long.BYTES, bytes);
    }

    /** {@return what every rank that receives something must hold afterwards} */
    MemorySegment expected(int size) {
        if (!collective().combines()) {
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
        return collective().receives(rank, root);
    }

    @Override
    public String toString() {
        return collective().label() + " " + algorithm.description().name() + " of " + bytes + " bytes"
                + (collective().hasRoot() ? " with root " + root : "")
                + (collective().combines()
                        ? " with operator " + operation.reduction() + (inPlace ? " in place" : "") : "");
    }
}
