/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import org.tutti.fabric.SectionTransport;
import org.tutti.fabric.Striping;

/**
 * Any number of processes that are connected by {@link SimulatedWire}s, and one thread that moves all of them. The
 * thread makes a call of one process. While the call waits for room, the thread takes in frames for the other processes
 * as their service threads would. The seed decides all of that, so a run is the same every time. Frames of several
 * rails overtake each other. If there are several rails, one of them may break, and the frames that it has lost are
 * sent again.
 */
public final class SimulatedNetwork {
    private static final int LOOK_ODDS = 8;
    private static final int LOOKS_MAX = 300;
    private static final int CUT_BYTES_BITS = 17;
    private static final long TURN_NANOS = 1_000;

    private final RandomGenerator random;
    private final int rails;
    private final Map<Integer, SimulatedFabric> fabrics = new TreeMap<>();
    private final List<Peer> peers = new ArrayList<>();
    private final List<SimulatedWire> wires = new ArrayList<>();
    private long nanos;

    /**
     * Connects processes.
     *
     * @param random decides how the wires behave
     * @param processes the first rank of each process
     * @param rails the number of rails between two processes
     * @param arena the arena of the memory of the processes
     */
    public SimulatedNetwork(RandomGenerator random, int[] processes, int rails, Arena arena) {
        this.random = random;
        this.rails = rails;
        Striping striping = Striping.values()[random.nextInt(Striping.values().length)];
        for (int process : processes) {
            fabrics.put(process, new SimulatedFabric(this));
        }
        for (int first : processes) {
            for (int second : processes) {
                if (first < second) {
                    connect(first, second, striping, arena);
                }
            }
        }
    }

    private void connect(int first, int second, Striping striping, Arena arena) {
        SimulatedWire[] between = Stream.generate(() -> new SimulatedWire(random)).limit(rails)
                .toArray(SimulatedWire[]::new);
        if (rails > 1 && random.nextBoolean()) {
            SimulatedWire cut = between[random.nextInt(rails)];
            cut.cutAfter(random.nextInt(2), 1 + random.nextInt(1 << random.nextInt(1, CUT_BYTES_BITS)));
            if (random.nextInt(4) == 0) {
                cut.beSilent();
            }
        }
        peers.add(fabrics.get(first).connect(second, Stream.of(between).map(wire -> wire.end(0)), striping, arena));
        peers.add(fabrics.get(second).connect(first, Stream.of(between).map(wire -> wire.end(1)), striping, arena));
        wires.addAll(List.of(between));
    }

    /**
     * Returns the fabric of a process.
     *
     * @param process the first rank of the process
     */
    public SectionTransport fabric(int process) {
        return fabrics.get(process);
    }

    /** Returns how many rails have broken. */
    public long cuts() {
        return wires.stream().filter(SimulatedWire::isCut).count();
    }

    /** Returns how many accesses to regions were refused. */
    public long refusals() {
        return fabrics.values().stream().mapToLong(SimulatedFabric::refusals).sum();
    }

    /** Takes in frames for some process. Returns true, because a thread that waits would sleep otherwise. */
    public boolean turn() {
        nanos += TURN_NANOS;
        if (!peers.isEmpty()) {
            Peer peer = peers.get(random.nextInt(peers.size()));
            peer.poll();
            if (random.nextInt(LOOK_ODDS) == 0) {
                peer.look(1, (long) LOOKS_MAX * rails);
            }
        }
        return true;
    }

    /** Takes in some frames or none, because a thread that calls the fabric may meet others that do so. */
    void perhapsTurn() {
        while (random.nextInt(3) == 0) {
            turn();
        }
    }

    long nanos() {
        return nanos;
    }
}
