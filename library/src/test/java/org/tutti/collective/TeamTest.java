/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.tutti.CallInterruptedException;
import org.tutti.CommunicatorBrokenException;
import org.tutti.Topology;
import org.tutti.collective.barrier.FlatBarrier;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.layout.WindowSizes;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.collective.stage.NodeTree;
import org.tutti.collective.window.WindowPool;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Shows what a team does in orders of events that are rare: they are brought about here by what the machine does while
 * a rank waits.
 */
class TeamTest {
    private static final int RANKS = 2;
    private static final Algorithm ALGORITHM = new FlatBarrier();

    private final Memory memory = new PrivateMemory();
    private final long ring = memory.claim(new RingLayout(1, RANKS).bytes(), "a test");

    @Test
    void aRankThatWaitsForAFreeSlotIsNotTakenForOneThatCalledSomethingElse() {
        Team behind = team(1, new LiveMachine(new Waiter(false)));
        Team ahead = team(0, new EventfulMachine(() -> {
            for (int i = 0; i < RingLayout.slots(1, RANKS); i++) {
                call(behind);
            }
            enter(behind); // the call that the other rank is about to describe
        }));
        for (int i = 0; i < RingLayout.slots(1, RANKS); i++) {
            call(ahead);
        }
        assertThatCode(() -> call(ahead)).doesNotThrowAnyException();
    }

    @Test
    void aRankWhoseAwaitedWordHasComeGoesOnAlthoughALaterOperationBroke() {
        Team quick = team(1, new LiveMachine(new Waiter(false)));
        Team slow = team(0, new EventfulMachine(() -> {
            enter(quick);
            quick.post(Team.READY, 1);
            quick.lifecycle.leave();
            enter(quick);
            quick.lifecycle.breakOff(new CallInterruptedException("an example"));
        }));
        enter(slow);
        assertThatCode(() -> slow.await(1, Team.READY, 1)).doesNotThrowAnyException();
        slow.lifecycle.leave();
        assertThatThrownBy(() -> enter(slow)).isInstanceOf(CommunicatorBrokenException.class)
                .hasMessageContaining("rank 1");
    }

    @Test
    void aRankThatWaitsInVainIsToldWhatBroke() {
        Team broken = team(1, new LiveMachine(new Waiter(false)));
        Team waiting = team(0, new EventfulMachine(() -> {
            enter(broken);
            broken.lifecycle.breakOff(new CallInterruptedException("an example"));
        }));
        enter(waiting);
        assertThatThrownBy(() -> waiting.await(1, Team.READY, 1)).isInstanceOf(CommunicatorBrokenException.class)
                .hasMessageContaining("rank 0").hasMessageContaining("rank 1");
    }

    /** A look at the sender's call takes an answer of its process, which need not come before that has left. */
    @Test
    void aRankWhoseAwaitedWordHasComeGoesOnAlthoughItsSenderLeftWhileItLookedAtItsCall() {
        RingLayout layout = new RingLayout(2, 1);
        long address = memory.claim(layout.bytes(), "a test");
        MemorySegment words = memory.block(address, layout.bytes());
        long arrived = layout.arrived(layout.slotIndex(0), NodeTree.PARENT);
        ScriptedMembers members = new ScriptedMembers();
        AtomicInteger looks = new AtomicInteger();
        EventfulMachine machine = new EventfulMachine(new LiveMachine(new Waiter(false)), () -> {
        }, check -> {
            looks.incrementAndGet();
            check.check(); // nothing has come yet
            Words.store(words, arrived, (1L << RingLayout.STEP_BITS) + 1);
            members.leave(0);
            check.check();
        });
        Team receiver =
                new Team(machine, members, pool(1), address, 1, new NodeView(new Topology(new int[]{0, 1}), 1),
                        new EndpointTable(new int[]{0, 1}, new long[2]));
        enter(receiver);
        Words.storePlain(words, arrived + Long.BYTES, receiver.operation.tag());
        Inflow flow = receiver.inflow(NodeTree.PARENT);
        flow.openNext(0, 0);
        assertThatCode(flow::await).doesNotThrowAnyException();
        assertThat(looks).hasValue(1);
    }

    private WindowPool pool(int ranks) {
        return new WindowPool(memory, WindowSizes.windowBytesMax(ranks));
    }

    private Team team(int rank, Machine machine) {
        return new Team(machine, new ScriptedMembers(), pool(RANKS), ring, rank,
                new NodeView(new Topology(new int[RANKS]), 0), null);
    }

    private static void call(Team team) {
        enter(team);
        team.lifecycle.leave();
    }

    private static void enter(Team team) {
        Call call = new Call();
        call.set(ALGORITHM, 0, Long.MAX_VALUE);
        call.draw(team);
        call.begin(team);
    }

    /** Waits by letting something happen, and then looks for a reason to give up; gets from nobody. */
    private record EventfulMachine(LiveMachine live, Runnable event, Consumer<Waiter.Check> get) implements Machine {
        EventfulMachine(Runnable event) {
            this(new LiveMachine(new Waiter(false)), event, Waiter.Check::check);
        }

        @Override
        public long load(MemorySegment words, long offset) {
            return live.load(words, offset);
        }

        @Override
        public void store(MemorySegment words, long offset, long value) {
            live.store(words, offset, value);
        }

        @Override
        public void publish(MemorySegment memory, long offset, long value) {
            live.publish(memory, offset, value);
        }

        @Override
        public long loadPlain(MemorySegment words, long offset) {
            return live.loadPlain(words, offset);
        }

        @Override
        public void storePlain(MemorySegment words, long offset, long value) {
            live.storePlain(words, offset, value);
        }

        @Override
        public long loadTag(MemorySegment memory, long word) {
            return live.loadTag(memory, word);
        }

        @Override
        public void storeTag(MemorySegment memory, long word, long tag) {
            live.storeTag(memory, word, tag);
        }

        @Override
        public long add(MemorySegment words, long offset, long increment) {
            return live.add(words, offset, increment);
        }

        @Override
        public long compareAndExchange(MemorySegment words, long offset, long expected, long value) {
            return live.compareAndExchange(words, offset, expected, value);
        }

        @Override
        public void await(MemorySegment words, long offset, long atLeast, Waiter.Check check) {
            event.run();
            check.check();
            live.await(words, offset, atLeast, check);
        }

        @Override
        public void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes) {
            live.copy(source, sourceOffset, target, targetOffset, bytes);
        }

        @Override
        public void combine(Kernel kernel, MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
                MemorySegment target, long targetOffset, long bytes) {
            live.combine(kernel, left, leftOffset, right, rightOffset, target, targetOffset, bytes);
        }

        @Override
        public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
            return live.put(target, source, check);
        }

        @Override
        public Reply get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
                Waiter.Check check) {
            get.accept(check);
            return Reply.GONE;
        }

        @Override
        public long register(MemorySegment memory) {
            return live.register(memory);
        }

        @Override
        public void revoke(long region) {
            live.revoke(region);
        }

        @Override
        public void flush() {
            live.flush();
        }

        @Override
        public void pause(int turn) {
            live.pause(turn);
        }

        @Override
        public void lock(Lock lock) {
            live.lock(lock);
        }

        @Override
        public void unlock(Lock lock) {
            live.unlock(lock);
        }
    }
}
