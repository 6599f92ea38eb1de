/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

import org.tutti.Blocks;
import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.blocks.AnyBlocksAlgorithm;
import org.tutti.collective.blocks.CarriedBlocksAlgorithm;
import org.tutti.collective.blocks.EqualBlocksAlgorithm;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.kernel.Kernels;
import org.tutti.collective.layout.Fingerprint;

/**
 * One call of a verification run, the same at every rank.
 *
 * @param algorithm the algorithm
 * @param operation the elements that are moved or combined
 * @param root the root; 0 if the collective has none
 * @param bytes the length of the message, or of a block if a side has a block of each rank
 * @param inPlace whether source and target are the same memory
 * @param salt decides the call's data, and the memory in which ranks have them
 */
record PlannedCall(Algorithm algorithm, CheckedOperation operation, int root, int bytes, boolean inPlace, long salt) {
    private static final long SECOND_PRIME = 0xff51afd7ed558ccdL;
    private static final int KIND_SHIFT = 34;

    private static final int CARRIED_MAX = Math.toIntExact(CarriedBlocksAlgorithm.CARRIED_BYTES_MAX);
    private static final MemoryKind[] KINDS = MemoryKind.values();

    /**
     * The number of offsets in the noise at which a contribution may begin. A power of two: a rank's offset is its rank
     * times an odd number, so ranks differ in their offsets.
     */
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
     * Prepares the call at a rank.
     *
     * @param source the memory of the rank's elements
     * @param target the memory in which the rank receives the result
     * @param rank the rank
     * @param size the number of ranks
     * @return the call, with an operator of its own
     */
    Call prepare(MemorySegment source, MemorySegment target, int rank, int size) {
        Call call = new Call();
        call.set(running(), root, Long.MAX_VALUE);
        if (collective().hasElements()) {
            Kernel kernel = collective().combines() ? Kernels.of(operation.reduction(), operation.type()) : null;
            int own = collective() == Collective.SCATTER ? length(root, rank) : length(rank, root);
            call.setElements(source, target, operation.type(), own / operation.type().bytes(), kernel);
            boolean hasSources = isUnequal() && collective().sourceHasBlocks(rank, root);
            boolean hasTargets = isUnequal() && collective().targetHasBlocks(rank, root);
            call.setBlocks(rank, hasSources ? Blocks.of(lengths(size, other -> length(rank, other))) : null,
                    hasTargets ? Blocks.of(lengths(size, other -> length(other, rank))) : null, isUnequal());
        }
        return call;
    }

    /** {@return whether the blocks differ in length, as in every second call of an algorithm with such blocks} */
    boolean isUnequal() {
        return (collective().hasBlocks() && algorithm instanceof EqualBlocksAlgorithm
                || algorithm instanceof AnyBlocksAlgorithm || collective() == Collective.REDUCE_SCATTER)
                && operation.type().bytes() == 1 && (salt & 1) != 0;
    }

    /** {@return the algorithm that runs the call} */
    Algorithm running() {
        return isUnequal() ? CarriedBlocksAlgorithm.of(algorithm) : algorithm;
    }

    /** {@return whether source and target are the same memory} */
    boolean isInPlace() {
        return collective() == Collective.BROADCAST
                || inPlace && !(isUnequal() && collective() == Collective.ALL_TO_ALL);
    }

    /** {@return the number of bytes that a rank has for another one} */
    private int length(int from, int to) {
        if (!isUnequal()) {
            return bytes;
        }
        int writer = collective() == Collective.REDUCE_SCATTER ? 0 : from; // all ranks have equal lengths
        int reader = collective() == Collective.ALLGATHER ? 0 : to; // all ranks get the same blocks
        long draw = (salt * Fingerprint.GOLDEN + writer * SECOND_PRIME + reader) * Fingerprint.GOLDEN >>> KIND_SHIFT;
        return switch ((int) (draw % 6)) {
            case 0 -> 0;
            case 1 -> bytes / 3;
            case 2 -> Math.min(bytes, CARRIED_MAX - 1);
            case 3 -> Math.min(bytes, CARRIED_MAX);
            case 4 -> Math.min(bytes, CARRIED_MAX + 1);
            default -> bytes;
        };
    }

    private static int[] lengths(int ranks, IntUnaryOperator ofRank) {
        return IntStream.range(0, ranks).map(ofRank).toArray();
    }

    private static int sum(int ranks, IntUnaryOperator ofRank) {
        int sum = 0;
        for (int rank = 0; rank < ranks; rank++) { // a run calls this very often
            sum += ofRank.applyAsInt(rank);
        }
        return sum;
    }

    /** {@return the length of a rank's source} */
    int sourceBytes(int rank, int size) {
        return collective().sourceHasBlocks(rank, root) ? sum(size, other -> length(rank, other))
                : collective() == Collective.SCATTER ? length(root, rank) : length(rank, root);
    }

    /** {@return the length of a rank's target} */
    int targetBytes(int rank, int size) {
        return collective().targetHasBlocks(rank, root) ? sum(size, other -> length(other, rank))
                : collective() == Collective.GATHER ? length(rank, root) : length(root, rank);
    }

    /** {@return the offset of a rank's own block among those of all ranks} */
    int ownBlock(int rank) {
        return sum(rank, other -> collective().targetHasBlocks(rank, root) ? length(other, rank) : length(rank, other));
    }

    /** {@return the elements of a rank: a read-only piece of the noise that differs from rank to rank} */
    MemorySegment contribution(int rank, int size) {
        long start = (salt * Fingerprint.GOLDEN >>> Integer.SIZE) + rank * (salt * SECOND_PRIME >>> Integer.SIZE | 1);
        return NOISE.asSlice((start & STARTS - 1) * Long.BYTES, sourceBytes(rank, size));
    }

    /** {@return the elements that a rank has for another one} */
    private MemorySegment block(int rank, int of, int size) {
        return contribution(rank, size).asSlice(
                collective().sourceHasBlocks(rank, root) ? sum(of, other -> length(rank, other)) : 0,
                length(rank, of));
    }

    /** {@return the bytes that a receiving rank must hold afterwards} */
    MemorySegment expected(int rank, int size) {
        return switch (collective()) {
            case BARRIER -> MemorySegment.ofArray(new byte[0]);
            case BROADCAST -> contribution(root, size);
            case SCATTER -> block(root, rank, size);
            case GATHER, ALLGATHER, ALL_TO_ALL -> gathered(rank, size);
            case REDUCE, ALLREDUCE, REDUCE_SCATTER -> combined(rank, size);
            case SCAN, EXCLUSIVE_SCAN -> expectedOfScan(size)[rank];
        };
    }

    /**
     * Returns the bytes that the ranks must hold after a scan. Each result is the one before it, combined with one more
     * contribution.
     */
    MemorySegment[] expectedOfScan(int size) {
        MemorySegment[] results = new MemorySegment[size];
        boolean isExclusive = collective() == Collective.EXCLUSIVE_SCAN;
        results[0] = contribution(0, size); // an exclusive scan gives rank 0 no result
        byte[] combined = results[0].toArray(ValueLayout.JAVA_BYTE);
        for (int rank = 1; rank < size; rank++) {
            if (isExclusive) {
                results[rank] = MemorySegment.ofArray(combined.clone());
            }
            operation.combine(combined, contribution(rank, size));
            if (!isExclusive) {
                results[rank] = MemorySegment.ofArray(combined.clone());
            }
        }
        return results;
    }

    private MemorySegment gathered(int receiver, int size) {
        int rank = collective() == Collective.GATHER ? root : receiver;
        MemorySegment all = MemorySegment.ofArray(new byte[sum(size, other -> length(other, rank))]);
        long at = 0;
        for (int other = 0; other < size; other++) {
            MemorySegment.copy(block(other, rank, size), 0, all, at, length(other, rank));
            at += length(other, rank);
        }
        return all;
    }

    private MemorySegment combined(int rank, int size) {
        byte[] result = block(0, rank, size).toArray(ValueLayout.JAVA_BYTE);
        for (int other = 1; other < size; other++) {
            operation.combine(result, block(other, rank, size));
        }
        return MemorySegment.ofArray(result);
    }

    /**
     * Returns the memory in which a rank has its elements. In one of three calls all ranks have them in the memory of
     * the node, because some algorithms use loans only if all ranks lend.
     */
    MemoryKind kind(int rank, boolean isTarget) {
        boolean allShare = (salt * SECOND_PRIME >>> KIND_SHIFT) % KINDS.length == 0;
        long draw = (salt + 2L * rank + (isTarget ? 1 : 0)) * Fingerprint.GOLDEN >>> KIND_SHIFT;
        return allShare ? MemoryKind.SHARED : KINDS[(int) draw % KINDS.length];
    }

    /** {@return whether a rank's target receives the result} */
    boolean receives(int rank) {
        return collective().receives(rank, root);
    }

    @Override
    public String toString() {
        return collective().label() + " " + algorithm.description().name() + " of " + bytes
                + (isUnequal() ? " bytes at most" : " bytes")
                + (collective().hasRoot() ? " with root " + root : "")
                + (collective().combines()
                        ? " with operator " + operation.reduction() + (inPlace ? " in place" : "") : "");
    }
}
