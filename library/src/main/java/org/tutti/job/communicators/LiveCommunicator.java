/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.communicators;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;

import org.tutti.Blocks;
import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.FoundMessage;
import org.tutti.Message;
import org.tutti.NonBlockingCommunicator;
import org.tutti.PreparedCommunicator;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.Topology;

/**
 * Implements {@link Communicator}. {@link CommunicatorCalls} makes its calls, and {@link GroupCalls} makes its groups.
 */
public final class LiveCommunicator extends Communicator {
    private final RankCommunicators communicators;
    private final CommunicatorState state;
    private final CommunicatorCalls calls;
    private final GroupCalls groupCalls;
    private final LiveNonBlocking nonBlocking;

    /**
     * Creates the communicator of all ranks of the job.
     *
     * @param communicators the communicators of the rank
     */
    public LiveCommunicator(RankCommunicators communicators) {
        this(communicators, communicators.world());
    }

    private LiveCommunicator(RankCommunicators communicators, CommunicatorCalls calls) {
        this.communicators = communicators;
        this.state = calls.state();
        this.calls = calls;
        this.groupCalls = new GroupCalls(communicators, calls);
        this.nonBlocking = new LiveNonBlocking(calls);
    }

    private LiveCommunicator(LiveCommunicator viewed, CommunicatorCalls calls) {
        super(viewed);
        this.communicators = viewed.communicators;
        this.state = viewed.state;
        this.calls = calls;
        this.groupCalls = new GroupCalls(communicators, calls);
        this.nonBlocking = new LiveNonBlocking(calls);
    }

    @Override
    public int rank() {
        return calls.rank();
    }

    /** Returns the number by which all ranks know the communicator. */
    long number() {
        return state.id;
    }

    @Override
    public int size() {
        return calls.size();
    }

    @Override
    public OptionalInt rankIn(Communicator other, int rank) {
        if (rank < 0 || rank >= size()) {
            throw new IllegalArgumentException("rank " + rank
                    + " is not one of this communicator, whose ranks are 0 to " + (size() - 1));
        }
        Objects.requireNonNull(other, "other");
        if (!(other instanceof LiveCommunicator live) || live.communicators != communicators) {
            throw new IllegalArgumentException(calls.describe() + " cannot find rank " + rank
                    + " in a communicator that is not one of its own; both must be those of the same rank");
        }
        return live.state.members.find(state.rankInJob(rank));
    }

    @Override
    public Topology topology() {
        return state.topology();
    }

    @Override
    public Communicator withAlgorithm(Collective collective, String name) {
        return new LiveCommunicator(this,
                calls.withAlgorithm(Objects.requireNonNull(collective, "collective"), name));
    }

    @Override
    public Communicator withDeadline(Duration deadline) {
        if (!Objects.requireNonNull(deadline, "deadline").isPositive()) {
            throw new IllegalArgumentException("a deadline must be more than zero, not " + deadline);
        }
        return new LiveCommunicator(this, calls.withLimit(TimeUnit.NANOSECONDS.convert(deadline)));
    }

    @Override
    public Communicator withName(String name) {
        state.setName(Objects.requireNonNull(name, "name"));
        return this;
    }

    @Override
    public PreparedCommunicator prepare() {
        return new LivePrepared(calls);
    }

    @Override
    public NonBlockingCommunicator nonBlocking() {
        return nonBlocking;
    }

    @Override
    public RemoteMemory allocate(DataType type, long count, int notifications) {
        return state.allocator.allocate(this, numbers -> calls.runSumOf("allocate", numbers), type, count,
                notifications, calls::deadlineNanos);
    }

    @Override
    public void barrier() {
        calls.runBarrier();
    }

    @Override
    protected void call(Collective called, MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, int root) {
        calls.run(called, source, target, type, count, reduction, root);
    }

    @Override
    protected void callWithBlocks(Collective called, MemorySegment source, MemorySegment target, DataType type,
            long count, Blocks sourceBlocks, Blocks targetBlocks, Reduction reduction, int root) {
        calls.runWithBlocks(called, source, target, type, count, sourceBlocks, targetBlocks, reduction, root);
    }

    // ---- messages

    @Override
    protected void sendMessage(MemorySegment source, DataType type, int target, int tag, boolean isSynchronous) {
        state.messages.send(source, type, target, tag, isSynchronous, calls.deadlineNanos());
    }

    @Override
    protected long receiveMessage(MemorySegment target, DataType type, int source, int tag, Message message) {
        return state.messages.receive(target, type, source, tag, message, calls.deadlineNanos());
    }

    @Override
    protected long exchangeMessages(MemorySegment source, DataType sourceType, int to, MemorySegment target,
            DataType targetType, int from, int tag) {
        return state.messages.exchange(source, sourceType, to, target, targetType, from, tag, calls.deadlineNanos());
    }

    @Override
    public FoundMessage probe(int source, int tag) {
        return state.messages.probe(source, tag, calls.deadlineNanos());
    }

    @Override
    public Optional<FoundMessage> tryProbe(int source, int tag) {
        return Optional.ofNullable(state.messages.tryProbe(source, tag, calls.deadlineNanos()));
    }

    // ---- groups

    @Override
    public Communicator split(int color, int key) {
        return split(OptionalInt.of(color), key).orElseThrow();
    }

    @Override
    public Optional<Communicator> split(OptionalInt color, int key) {
        return groupCalls.splitByColor(color, key).map(this::group);
    }

    @Override
    public Communicator duplicate() {
        return group(groupCalls.duplicate());
    }

    @Override
    public Communicator flatten() {
        return group(groupCalls.flatten());
    }

    @Override
    public Communicator splitByNode() {
        return group(groupCalls.splitByNode());
    }

    @Override
    public Communicator splitBy(int level) {
        return group(groupCalls.splitByLevel(level));
    }

    @Override
    public Communicator create(int... ranks) {
        return group(groupCalls.create(ranks));
    }

    private Communicator group(CommunicatorCalls ofGroup) {
        return new LiveCommunicator(communicators, ofGroup);
    }

    @Override
    public void close() {
        communicators.close(state);
    }
}
