/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.Topology;
import org.tutti.collective.allreduce.FlatAllreduce;
import org.tutti.collective.kernel.Kernels;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.layout.WindowSizes;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.Members;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.collective.window.WindowPool;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;

/** A communicator of a thousand ranks in one process costs what docs/architecture.md says of the heap. */
@Isolated("counts memory of the whole JVM")
class CommunicatorMemoryTest {
    private static final int RANKS = 1000;
    private static final int ELEMENTS = 100;
    private static final long BYTES_MAX = 4_000_000;
    private static final int COLLECTIONS = 4;
    private static final Algorithm ALGORITHM = new FlatAllreduce();

    @Test
    void shouldTakeFourMegabytesOfTheHeapAtMostWhenEachOfAThousandRanksHasReadFromAllOthers()
            throws InterruptedException {
        try (PrivateMemory memory = new PrivateMemory()) {
            List<WindowPool> pools = new ArrayList<>();
            for (int rank = 0; rank < RANKS; rank++) {
                pools.add(new WindowPool(memory, WindowSizes.windowBytesMax(RANKS)));
            }
            List<List<Team>> communicators = new ArrayList<>();
            communicators.add(used(memory, pools)); // from now on classes are loaded, and pools have what they need
            long before = heapBytes();
            communicators.add(used(memory, pools));
            assertThat(heapBytes() - before).isBetween(0L, BYTES_MAX);
            assertThat(communicators).hasSize(2);
        }
    }

    private static List<Team> used(PrivateMemory memory, List<WindowPool> pools) throws InterruptedException {
        long ring = memory.claim(new RingLayout(1, RANKS).bytes(), "a test");
        NodeView view = new NodeView(new Topology(new int[RANKS]), 0);
        Members members = new ScriptedMembers();
        List<Team> teams = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        long[] results = new long[RANKS];
        for (int rank = 0; rank < RANKS; rank++) {
            int self = rank;
            Team team = new Team(new LiveMachine(new Waiter(false)), members, pools.get(rank), ring,
                    rank, view, null);
            teams.add(team);
            threads.add(Thread.ofVirtual().start(() -> results[self] = sum(team)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(results).containsOnly((long) RANKS * (RANKS - 1) / 2);
        return teams;
    }

    /** A call whose elements do not fit into a line, so that windows are shown. */
    private static long sum(Team team) {
        long[] elements = new long[ELEMENTS];
        elements[ELEMENTS - 1] = team.rank();
        MemorySegment segment = MemorySegment.ofArray(elements);
        Call call = new Call();
        call.set(ALGORITHM, 0, Long.MAX_VALUE);
        call.setElements(segment, segment, DataType.LONG, ELEMENTS, Kernels.of(Reduction.SUM, DataType.LONG));
        call.draw(team);
        call.run(team);
        call.clear(); // as who calls does: the team still knows it
        return elements[ELEMENTS - 1];
    }

    private static long heapBytes() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
