/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.CallInterruptedException;
import org.tutti.CommunicatorBrokenException;
import org.tutti.DataType;
import org.tutti.DeadlineExceededException;
import org.tutti.RankFailedException;
import org.tutti.Reduction;
import org.tutti.Topology;
import org.tutti.collective.allreduce.FlatAllreduce;
import org.tutti.collective.barrier.FlatBarrier;
import org.tutti.collective.kernel.Kernels;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.layout.WindowSizes;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.Members;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.stage.NodeTree;
import org.tutti.collective.window.WindowPool;
import org.tutti.job.CountedMemory;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Memory that ranks show in a communicator that breaks, or that a rank leaves for good. Other ranks may read it until
 * they have noticed; then it is used again.
 */
@Timeout(120)
class LeavingAllTest {
    private static final int RANKS = 2;
    private static final int SLOTS = RingLayout.slots(1, RANKS);
    private static final int GREATEST = (int) WindowSizes.windowBytesMax(RANKS);
    private static final int SHORT = 1 << 10;
    private static final int ROUNDS = 100;
    private static final int WARMING_ROUNDS = 4;
    private static final int WINDOWS_OF_RING = 2;
    private static final byte SHOWN = 42;
    private static final byte OTHER = 13;
    private static final Algorithm BARRIER = new FlatBarrier();
    private static final Algorithm ALLREDUCE = new FlatAllreduce();
    private static final Machine MACHINE = new LiveMachine(new Waiter(false));
    private static final RuntimeException FAILURE = new IllegalStateException("an example");
    private static final Reduction FAILING = Reduction.ofLongs("failing", true, (_, _) -> {
        throw new ArithmeticException("no sum");
    });

    private final AtomicLong claimed = new AtomicLong();
    private final Memory memory = new CountedMemory(claimed);
    private final List<WindowPool> pools = List.of(new WindowPool(memory, GREATEST), new WindowPool(memory, GREATEST));
    private final ScriptedMembers members = new ScriptedMembers();
    private final long ring = communicator();
    private final Team first = team(ring, 0, members);
    private final Team second = team(ring, 1, members);

    // ---- what was shown is used again when all have noticed

    /** Rank 0 ends an allreduce that rank 1 comes to only afterwards, or that ends itself at both. */
    @ParameterizedTest
    @CsvSource({"DEADLINE, false", "DEADLINE, true", "INTERRUPT, false", "INTERRUPT, true", "OPERATOR, false",
            "OPERATOR, true"})
    void shouldClaimNoMoreMemoryHoweverManyCommunicatorsBreak(String end, boolean requests) throws Exception {
        List<Long> rings = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            rings.add(communicator());
        }
        List<Long> claims = new ArrayList<>();
        try (ExecutorService one = Executors.newSingleThreadExecutor();
                ExecutorService other = Executors.newSingleThreadExecutor()) {
            for (long each : rings) {
                Future<Throwable> ended = one.submit(broken(each, 0, end, requests));
                if (!end.equals("OPERATOR")) { // which is called when the elements of both are there
                    assertThat(ended.get()).isInstanceOf(end.equals("DEADLINE") ? DeadlineExceededException.class
                            : CallInterruptedException.class);
                }
                assertThat(other.submit(broken(each, 1, end, requests)).get()).isNotNull();
                assertThat(ended.get()).isNotNull();
                claims.add(claimed.get());
            }
        }
        assertThat(claims.getLast() - claims.get(WARMING_ROUNDS)).isZero();
    }

    private Callable<Throwable> broken(long ofRing, int rank, String end, boolean request) {
        return () -> {
            Team caller = team(ofRing, rank, new ScriptedMembers());
            Team team = request ? caller.forBackground(MACHINE) : caller;
            if (rank == 0 && end.equals("INTERRUPT")) {
                Thread.currentThread().interrupt();
            }
            Call call = allreduce(GREATEST / Long.BYTES, end.equals("OPERATOR") ? FAILING : Reduction.SUM,
                    rank == 0 && end.equals("DEADLINE") ? System.nanoTime() : Long.MAX_VALUE);
            call.draw(team);
            Throwable failure = catchThrowable(() -> call.run(team));
            Thread.interrupted();
            return failure;
        };
    }

    @Test
    void shouldFreeWhatWasShownWhenAllOtherRanksHaveLeftForGood() {
        enter(first);
        first.lifecycle.leave();
        assertThat(isFree(0)).isFalse();
        leaveJob(second);
        assertThat(isFree(0)).isTrue();
    }

    @Test
    void shouldFreeWhatWasShownWhenOneRankHasBrokenTheCommunicatorAndTheOtherLeavesForGood() {
        enter(second);
        enter(first);
        first.lifecycle.breakOff(FAILURE);
        second.lifecycle.leave();
        assertThat(isFree(0)).as("it has left this operation").isTrue();
        enterInVain(second);
        assertThat(isFree(Long.MAX_VALUE >> 2)).as("and will be in no other one").isTrue();
    }

    /** A rank may count as failed because it stands still, and read on when it goes on. */
    @Test
    void shouldFreeWhatAFailedRankMayReadWhenItsProcessHasEnded() {
        enter(second);
        enter(first);
        members.fail(1);
        first.lifecycle.breakOff(new RankFailedException(1, "an example"));
        assertThat(isFree(0)).isFalse();
        members.end(1);
        assertThat(isFree(0)).isTrue();
    }

    /** The ring in which windows are that somebody may still read makes room for another one, and is given back. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldClaimNoMoreMemoryHoweverOftenARankNoticesLate(boolean request) {
        List<Long> claims = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            long broken = communicator();
            Team owner = team(broken, 0, members);
            owner = request ? owner.forBackground(MACHINE) : owner;
            Team late = team(broken, 1, members);
            enter(late);
            enter(owner);
            owner.show(GREATEST);
            owner.lifecycle.breakOff(FAILURE);
            for (int call = 0; call < 2 * WINDOWS_OF_RING; call++) {
                useAnother(request);
            }
            late.lifecycle.breakOff(FAILURE);
            claims.add(claimed.get());
        }
        long communicators = 1 + 2 * WINDOWS_OF_RING;
        assertThat(claims.getLast() - claims.get(WARMING_ROUNDS))
                .isEqualTo((ROUNDS - 1 - WARMING_ROUNDS) * communicators * ringBytes());
    }

    /** What comes later must not go to what the same memory is used for next. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRevokeWhatOtherNodesWereInvitedTo(boolean request) {
        List<Long> open = new ArrayList<>();
        Machine machine = inviting(open);
        List<Long> handles = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            NodeView view = new NodeView(new Topology(new int[]{0, 1}), 0);
            long block = memory.claim(new RingLayout(2, 1).bytes(), "a test");
            Team caller = new Team(machine, members, pools.getFirst(), block, 0, view,
                    new EndpointTable(new int[]{0, 1}, new long[2]));
            Team team = request ? caller.forBackground(machine) : caller;
            enter(team);
            team.inflow(NodeTree.PARENT).invite(1, NodeTree.PARENT, GREATEST, 1, team.show(GREATEST), 0, GREATEST);
            assertThat(open).hasSize(1);
            handles.add(open.getFirst());
            team.lifecycle.breakOff(FAILURE);
            assertThat(open).isEmpty();
        }
        assertThat(handles).doesNotHaveDuplicates();
    }

    /** Reaches any other node, and knows what is open to it. */
    private static Machine inviting(List<Long> open) {
        AtomicLong handles = new AtomicLong();
        return (Machine) Proxy.newProxyInstance(Machine.class.getClassLoader(), new Class<?>[]{Machine.class},
                (_, method, arguments) -> switch (method.getName()) {
                    case "register" -> {
                        open.add(handles.incrementAndGet());
                        yield handles.get();
                    }
                    case "revoke" -> open.remove(arguments[0]) ? null : null;
                    case "put" -> true;
                    case "flush" -> null;
                    default -> method.invoke(MACHINE, arguments);
                });
    }

    // ---- and not before

    /** In the ring of a thread's blocking calls, or in blocks; the owner uses others of both kinds meanwhile. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveAloneWhatARankStillReadsThatHasNotNoticed(boolean request) {
        Team owner = request ? first.forBackground(MACHINE) : first;
        enter(owner);
        Area shown = owner.show(GREATEST);
        owner.copy(filled(SHOWN), 0, shown, 0, GREATEST);
        owner.post(Team.READY, 1);
        enter(second);
        second.await(0, Team.READY, 1);
        Area read = second.shown(0, GREATEST);
        owner.lifecycle.breakOff(FAILURE);
        for (int call = 0; call < 2 * WINDOWS_OF_RING; call++) {
            useAnother(false);
            useAnother(true);
        }
        for (long bytes : new long[]{GREATEST, (long) WINDOWS_OF_RING * GREATEST}) {
            memory.block(memory.claim(bytes, "somebody else"), bytes).fill(OTHER);
        }
        MemorySegment result = MemorySegment.ofArray(new byte[GREATEST]);
        MemorySegment.copy(read.segment(), read.start(), result, 0, GREATEST);
        assertThat(result.mismatch(filled(SHOWN).segment())).isEqualTo(-1);
        second.lifecycle.breakOff(FAILURE);
        assertThat(isFree(0)).isTrue();
        long before = claimed.get();
        for (int call = 0; call < 2 * WINDOWS_OF_RING; call++) {
            useAnother(false);
            useAnother(true);
        }
        assertThat(claimed.get()).isEqualTo(before + 2L * 2 * WINDOWS_OF_RING * ringBytes());
    }

    /** Both ranks use another communicator once, in which rank 0 shows something else. */
    private void useAnother(boolean request) {
        long other = communicator();
        Team caller = team(other, 0, new ScriptedMembers());
        Team team = request ? caller.forBackground(MACHINE) : caller;
        enter(team);
        team.copy(filled(OTHER), 0, team.show(GREATEST), 0, GREATEST);
        team.lifecycle.leave();
        Team follower = team(other, 1, new ScriptedMembers());
        enter(follower);
        follower.lifecycle.leave();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotFreeWhatAnotherOperationOfARankReadsThatHasNoticed(boolean endsWell) {
        Team request = second.forBackground(MACHINE);
        enter(request);
        enter(second);
        second.lifecycle.breakOff(FAILURE);
        enterInVain(first);
        assertThat(isFree(0)).isFalse();
        if (endsWell) {
            request.lifecycle.leave();
        } else {
            request.lifecycle.breakOff(FAILURE);
        }
        assertThat(isFree(0)).isTrue();
        assertThat(isFree(Long.MAX_VALUE >> 2)).isTrue();
    }

    /** The earlier one ends last; it is the first that its rank has not left, so its left word moves, too. */
    @Test
    void shouldLeaveAllWhenTheOperationEndsLastThatIsBeforeTheBrokenOne() {
        Team request = second.forBackground(MACHINE);
        enter(request);
        Team later = second.forBackground(MACHINE);
        enter(later);
        enter(second);
        second.lifecycle.breakOff(FAILURE);
        later.lifecycle.leave();
        enterInVain(first);
        assertThat(isFree(1)).isFalse();
        request.lifecycle.leave();
        assertThat(isFree(Long.MAX_VALUE >> 2)).isTrue();
    }

    @Test
    void shouldNotFreeWhatARequestMayReadThatWasDrawnAndHasNotBegun() {
        Team request = second.forBackground(MACHINE);
        Call waiting = drawn(request);
        enter(second);
        second.lifecycle.breakOff(FAILURE);
        enterInVain(first);
        assertThat(isFree(0)).isFalse();
        assertThatExceptionOfType(CommunicatorBrokenException.class).isThrownBy(() -> waiting.run(request));
        assertThat(isFree(0)).isTrue();
    }

    @Test
    void shouldEndAllOperationsOfACallAtOnce() {
        int count = (int) (3 * second.operationBytesMax() / Long.BYTES) + 1;
        Call call = allreduce(count, Reduction.SUM, System.nanoTime());
        call.draw(second);
        assertThatExceptionOfType(DeadlineExceededException.class).isThrownBy(() -> call.run(second));
        enterInVain(first);
        assertThat(isFree(Long.MAX_VALUE >> 2)).isTrue();
    }

    // ---- nobody runs away from a rank that has left

    /** Whether or not it looks for windows that are free. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNotRunAheadForEverOfARankThatHasLeftItsJob(boolean request) {
        Team team = request ? first.forBackground(MACHINE) : first;
        call(second);
        call(second);
        leaveJob(second);
        for (int operation = 0; operation < 2 + SLOTS; operation++) {
            enter(team);
            team.show(SHORT);
            team.lifecycle.leave();
        }
        assertThatExceptionOfType(RankFailedException.class).isThrownBy(() -> call(team))
                .withMessageContaining("rank 1 has left the job");
    }

    @Test
    void shouldGoOnWithWhatARankHasDoneBeforeItLeftItsJob() {
        for (int operation = 0; operation < SLOTS; operation++) {
            call(second);
        }
        leaveJob(second);
        for (int operation = 0; operation < 2 * SLOTS; operation++) {
            call(first);
        }
    }

    // ---- what ranks do here

    private long ringBytes() {
        return Memory.roundToLines(new RingLayout(1, RANKS).bytes());
    }

    private long communicator() {
        return memory.claim(ringBytes(), "a test");
    }

    private Team team(long ofRing, int rank, Members known) {
        return new Team(new LiveMachine(new Waiter(false)), known, pools.get(rank), ofRing, rank,
                new NodeView(new Topology(new int[RANKS]), 0), null);
    }

    /** Whether rank 0 may use again what it has shown in an operation, or in any below. */
    private boolean isFree(long operation) {
        return first.context.operations.behind(MACHINE, operation) == OperationSequence.NOBODY;
    }

    private void leaveJob(Team team) {
        team.ending().interrupt();
        members.leave(team.rank());
        team.ending().leave();
    }

    private static void enterInVain(Team team) {
        Call call = drawn(team);
        assertThat(catchThrowable(() -> call.run(team))).isInstanceOf(CommunicatorBrokenException.class);
    }

    private static void call(Team team) {
        enter(team);
        team.lifecycle.leave();
    }

    private static void enter(Team team) {
        drawn(team).begin(team);
    }

    private static Call drawn(Team team) {
        Call call = new Call();
        call.set(BARRIER, 0, Long.MAX_VALUE);
        call.draw(team);
        return call;
    }

    private static Call allreduce(int count, Reduction reduction, long deadlineNanos) {
        MemorySegment elements = MemorySegment.ofArray(new long[count]);
        Call call = new Call();
        call.set(ALLREDUCE, 0, deadlineNanos);
        call.setElements(elements, elements, DataType.LONG, count, Kernels.of(reduction, DataType.LONG));
        return call;
    }

    private static Area filled(byte value) {
        MemorySegment bytes = MemorySegment.ofArray(new byte[GREATEST]);
        bytes.fill(value);
        Area area = new Area();
        area.set(bytes, 0);
        return area;
    }
}
