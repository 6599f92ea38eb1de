/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.util.List;
import java.util.Random;

import org.tutti.Communicator;
import org.tutti.RemoteMemory;

/**
 * The actions of a rank in a random history: calls of all kinds on small remote memory, drawn from a seed, in rounds.
 * After each round all memory is compared with models of the calls. Each kind of call has an actor with its model.
 */
public final class History {
    private static final int ROUNDS = 3;
    private static final int CALLS = 60;
    private static final int DUELS = 40;

    private final RemoteMemory memory;
    private final Random random;
    private final int size;
    private final AtomicCells cells;
    private final AccumulatedSums sums;
    private final List<HistoryActor> actors;

    private History(Communicator world, RemoteMemory memory, long seed, int rails) {
        this.memory = memory;
        this.size = world.size();
        this.random = new Random(seed * 1000 + world.rank());
        HistoryActor.Setting setting = new HistoryActor.Setting(world, memory, random, rails);
        long versions = AtomicCells.BYTES + AccumulatedSums.BYTES;
        long slices = versions + PublishedVersions.bytes(size);
        this.cells = new AtomicCells(setting, 0);
        this.sums = new AccumulatedSums(setting, AtomicCells.BYTES);
        this.actors = List.of(cells, sums,
                new PublishedVersions(setting, versions), new PutSlices(setting, slices));
    }

    private static long bytes(int size) {
        return AtomicCells.BYTES + AccumulatedSums.BYTES + PublishedVersions.bytes(size) + PutSlices.bytes(size);
    }

    /**
     * Collective: plays the history of a seed.
     *
     * @param world who takes part
     * @param seed fixes all calls, but not when they happen
     * @param rails how many there are between nodes
     * @throws AssertionError when something is not as it must be; names the seed
     */
    public static void play(Communicator world, long seed, int rails) {
        try {
            RemoteMemory memory = world.allocate(bytes(world.size()));
            new History(world, memory, seed, rails).play(world);
            memory.close(); // not when something has failed: the others are elsewhere then
        } catch (AssertionError e) {
            throw new AssertionError("the history of seed " + seed + " on " + world.topology() + " with " + rails
                    + " rails fails at rank " + world.rank() + ": " + e.getMessage(), e);
        }
    }

    private void play(Communicator world) {
        for (int duel = 0; duel < DUELS; duel++) {
            sums.duel(duel % size);
            cells.duel(duel);
        }
        for (int round = 0; round < ROUNDS; round++) {
            for (int call = 0; call < CALLS; call++) {
                act(random.nextInt(size));
            }
            memory.barrier();
            noteAllFenced();
            for (HistoryActor actor : actors) {
                actor.check();
            }
            world.barrier(); // nobody begins a round while others still compare
        }
    }

    private void act(int target) {
        switch (random.nextInt(20)) {
            case 0 -> {
                memory.fenceAll();
                noteAllFenced();
            }
            case 1, 2 -> {
                memory.fence(target);
                actors.forEach(actor -> actor.noteFenced(target));
            }
            case 3 -> Thread.yield();
            case 4, 5, 6, 7, 8, 9, 10 -> cells.act(target);
            default -> actors.get(random.nextInt(actors.size())).act(target);
        }
    }

    private void noteAllFenced() {
        for (int target = 0; target < size; target++) {
            int fenced = target;
            actors.forEach(actor -> actor.noteFenced(fenced));
        }
    }
}
