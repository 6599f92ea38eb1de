/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.blocks;

import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.Topology;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernels;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.collective.reducescatter.DirectReduceScatter;
import org.tutti.collective.reducescatter.RankOrderReduceScatter;
import org.tutti.collective.window.WindowPool;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The blocks of very many ranks. */
class EqualBlocksAlgorithmTest {
    private static final int RANKS = 1000;
    private static final int UNIT = 64;

    private final PrivateMemory memory = new PrivateMemory();

    @AfterEach
    void close() {
        memory.close();
    }

    private Team team() {
        NodeView view = new NodeView(new Topology(new int[RANKS]), 0);
        return new Team(new LiveMachine(new Waiter(false)), new ScriptedMembers(),
                new WindowPool(memory, view.windowBytesMax()),
                memory.claim(new RingLayout(1, RANKS).bytes(), "a test"), 0, view, null);
    }

    /** Operators that do not commute need an arrival for each run of ranks, and blocks dealt out have many. */
    @Test
    void shouldRefuseMoreRanksThanCanBeCombinedInTheirOrder() {
        int ranks = 1100;
        NodeView view = new NodeView(new Topology(IntStream.range(0, ranks).map(rank -> rank % 2).toArray()), 0);
        Team team = new Team(new LiveMachine(new Waiter(false)), new ScriptedMembers(),
                new WindowPool(memory, view.windowBytesMax()),
                memory.claim(view.layout().bytes(), "a test"), 0, view,
                new EndpointTable(IntStream.range(0, ranks).toArray(), new long[ranks]));
        Call call = new Call();
        call.set(new RankOrderReduceScatter(), 0, Long.MAX_VALUE);
        call.setElements(MemorySegment.ofArray(new long[ranks]), MemorySegment.ofArray(new long[1]), DataType.LONG, 1,
                Kernels.of(Reduction.SUM, DataType.LONG));
        assertThatThrownBy(() -> call.draw(team)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage(team.describe() + " called reduce-scatter with 1100 ranks on 2 nodes and an operator that "
                        + "does not commute, which are more than can be combined in their order; use groups of fewer "
                        + "ranks");
        assertThat(team.nextOperation()).isZero();
    }

    private static Call call(Reduction reduction, int count) {
        MemorySegment blocks = MemorySegment.ofArray(new long[RANKS * count]);
        MemorySegment block = MemorySegment.ofArray(new long[count]);
        Call call = new Call();
        call.set(new DirectReduceScatter(), 0, Long.MAX_VALUE);
        call.setElements(blocks, block, DataType.LONG, count, Kernels.of(reduction, DataType.LONG));
        return call;
    }

    @Test
    void shouldRefuseUnitsOfWhichAWindowHasNotRoomForOneOfEachRank() {
        Team team = team();
        Reduction units = Reduction.of("units", DataType.LONG, UNIT, true, (_, _, _, _) -> {});
        assertThatThrownBy(() -> call(units, UNIT).draw(team)).isInstanceOf(IllegalArgumentException.class)
                .hasMessage(team.describe() + " called reduce-scatter with 1000 ranks, of each of which a "
                        + "window has room for 32 bytes, and the operator's unit has 512; use groups of fewer ranks");
        assertThat(team.nextOperation()).isZero();
    }

    @Test
    void shouldCutLongBlocksIntoOperationsWhoseWindowsHaveRoom() {
        Team team = team();
        Call call = call(Reduction.SUM, 10);
        call.draw(team);
        assertThat(call.bytes() * RANKS).isBetween(1L, team.windowBytesMax());
        assertThat(call.bytes() % Long.BYTES).isZero();
        assertThat(team.nextOperation()).isEqualTo((80 + call.bytes() - 1) / call.bytes());
    }
}
