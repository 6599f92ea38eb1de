/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.stream.IntStream;

import org.tutti.Communicator;

/** A cell of making groups: each call makes one and closes it. */
final class MakingLoop extends MeasuredLoop {
    private final Communicator world;
    private final Communicators communicators;
    private final CollectiveOperation operation;
    private final int color;
    private final int[] mates; // of the new group, in its order

    MakingLoop(Communicator world, Communicators communicators, CollectiveOperation operation) {
        super(world);
        this.world = world;
        this.communicators = communicators;
        this.operation = operation;
        this.color = communicators.rank() % 2;
        this.mates = IntStream.range(0, communicators.size())
                .filter(rank -> operation == CollectiveOperation.DUPLICATE || rank % 2 == color).toArray();
    }

    @Override
    Run run(int calls, boolean isRepeat) {
        world.barrier();
        world.barrier(); // the second one ends on all ranks at nearly the same time
        long start = System.nanoTime();
        makeCalls(calls, this::makeAndClose);
        return new Run((double) (System.nanoTime() - start) / calls, calls);
    }

    @Override
    boolean hasMuchData() {
        return false;
    }

    @Override
    void rewriteOnly(int times) {
        // making a group needs no data
    }

    private void makeAndClose(int times) {
        for (int i = 0; i < times; i++) {
            try (var group = make(communicators.next())) {
                check(group);
            }
        }
    }

    private Communicator make(Communicator from) {
        return switch (operation) {
            case SPLIT -> from.split(color, 0);
            case CREATE -> from.create(mates);
            case DUPLICATE -> from.duplicate();
            default -> throw new IllegalStateException(operation.label() + " makes no group");
        };
    }

    private void check(Communicator group) {
        if (group.size() != mates.length || mates[group.rank()] != communicators.rank()) {
            throw new IllegalStateException("rank " + communicators.rank() + " has become rank " + group.rank() + " of "
                    + group.size() + " by a " + operation.label() + " that makes a group of " + mates.length);
        }
    }

    @Override
    void checkAll() {
        // each group was checked when it was made
    }

    @Override
    public void close() {
        // there is nothing to close except the groups
    }
}
