/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

import org.tutti.collective.machine.Machine;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;

/**
 * Matches the messages that have come for a rank with its receives, of all communicators. A receive names a
 * communicator, a source and a tag, and the last two may be {@link Receive#ANY}. Messages of one sender are matched in
 * the order of sending, and receives in the order of their calls.
 *
 * <p>Messages of the node's ranks come through {@link IncomingChannel}s, which the waiting threads of the rank read. A
 * thread that receives reads a channel only until its own receive is matched. A thread that waits reads all of them
 * ({@link MessageProgress}). Messages of other nodes come through {@link #arrive}.
 * Either way, a message first looks for the oldest receive that it matches. A message without one is kept, and later
 * receives look at the kept messages first, from the oldest on. Both looks and the tables are guarded by one lock.
 * Therefore no message can pass an older one of the same sender, and none can miss a receive.
 *
 * <p>The lock is held while an eager payload is copied, and never during a wait or a transfer.
 */
final class Mailbox {
    private static final int SPINS = 200; // some microseconds
    private static final int CLOSED_MAX = 1 << 16;

    /** Tells a rank of another node that its offer is not wanted. It must not wait. */
    @FunctionalInterface
    interface Decliner {
        void decline(int source, long offer);
    }

    private final Decliner decliner;
    private final Machine machine;
    private final Memory memory;
    private final Lock lock = new ReentrantLock();
    private final PostedReceives receives = new PostedReceives();
    private final UnexpectedMessages arrivals = new UnexpectedMessages();
    private final RankTable<FarPeer> peers; // ranks on other nodes
    private final RankTable<IncomingChannel> channelOf = new RankTable<>(); // ranks on this node
    private final IncomingChannels channels;
    private final Bell bell;
    private final Set<Long> closed = new HashSet<>();
    private Arrival next = new Arrival();

    /**
     * Creates the mailbox of a rank.
     *
     * @param machine the access to memory
     * @param memory the shared memory of the node
     * @param doors the memory with a {@link Doors door} for each rank
     * @param rank the rank in the job that receives
     * @param peers the ranks on other nodes
     * @param decliner declines offers of ranks on other nodes
     */
    Mailbox(Machine machine, Memory memory, MemorySegment doors, int rank, RankTable<FarPeer> peers,
            Decliner decliner) {
        this.decliner = decliner;
        this.machine = machine;
        this.memory = memory;
        this.channels = new IncomingChannels(machine, memory, doors, rank, channelOf);
        this.bell = new Bell(machine, doors, rank);
        this.peers = peers;
    }

    // ---- receives

    /**
     * Begins a receive: matches it with a message that is there, or makes later messages look for it. Returns whether
     * the receive is matched. If not, {@link Receive#awaits} tells the word that the receive must await.
     */
    boolean begin(Receive receive) {
        machine.lock(lock);
        try {
            receives.number(receive);
            Arrival kept = arrivals.count() == 0 ? null : arrivals.find(receive);
            if (kept != null) {
                take(receive, kept);
            } else if (receives.count() > 0 || !takeNext(receive)) {
                receives.post(receive);
                readChannels(receive);
            }
            return receive.isMatched();
        } finally {
            machine.unlock(lock);
        }
    }

    /** Returns the number of non-blocking receives that no message has matched. Reads it without the lock. */
    int pending() {
        return receives.pending();
    }

    /** Adds the non-blocking receives that no message has matched to a list. */
    void addPendingTo(List<? super MessageInFlight> list) {
        machine.lock(lock);
        try {
            receives.addPendingTo(list);
        } finally {
            machine.unlock(lock);
        }
    }

    /**
     * Takes the next message of the source's channel for the only receive, without the table. Returns false if it is
     * not there or does not match.
     */
    private boolean takeNext(Receive receive) {
        IncomingChannel channel = receive.source == Receive.ANY ? null : channelOf.get(receive.source);
        if (channel == null || !channel.hasNext()) {
            return false;
        }
        channel.read(next);
        boolean isTaken = receive.accepts(next.communicator, next.source, next.tag);
        if (isTaken) {
            match(receive, next);
        } else {
            deliver();
        }
        channel.next();
        return isTaken;
    }

    /** Waits a short time until the next message of a rank of this node is there, without a lock. */
    void spin(int source) {
        IncomingChannel channel = channelOf.get(source);
        boolean waits = channel != null && arrivals.count() == 0; // else the message may have been kept
        for (int i = 0; i < SPINS && waits && !channel.hasNext(); i++) {
            Thread.onSpinWait();
        }
    }

    /**
     * Begins a receive again, because the sender has withdrawn the message that has matched it. The receive keeps its
     * place among the others.
     */
    boolean beginAgain(Receive receive) {
        machine.lock(lock);
        try {
            receive.beginAgain();
            Arrival kept = arrivals.count() == 0 ? null : arrivals.find(receive);
            if (kept != null) {
                take(receive, kept);
            } else {
                receives.postAgain(receive);
                readChannels(receive);
            }
            return receive.isMatched();
        } finally {
            machine.unlock(lock);
        }
    }

    private void take(Receive receive, Arrival kept) {
        arrivals.remove(kept);
        match(receive, kept);
        arrivals.putBack(kept);
    }

    /**
     * Reads the channels from which a waiting receive may be matched. Returns whether it is matched, by this thread or
     * by another one before. If not, {@link Receive#awaits} tells the word that the receive must await.
     */
    boolean serve(Receive receive) {
        machine.lock(lock);
        try {
            readChannels(receive);
            return receive.isMatched();
        } finally {
            machine.unlock(lock);
        }
    }

    /** Returns the bell, at which a thread waits for a message of any rank. */
    Bell bell() {
        return bell;
    }

    /** Waits for the ring after so many rings, because a message of any rank may come. Senders ring meanwhile. */
    void awaitRing(long rings, Waiter.Check check) {
        bell.beginWaiting();
        try {
            poll(); // a sender that has seen no waiter has not rung
            bell.await(rings, check);
        } finally {
            bell.endWaiting();
        }
    }

    /** Ends a receive that waits in vain. Returns false if it has been matched before, and the message is taken. */
    boolean withdraw(Receive receive) {
        machine.lock(lock);
        try {
            if (!receive.isMatched()) {
                receives.end(receive);
                return true;
            }
            return false;
        } finally {
            machine.unlock(lock);
        }
    }

    /**
     * Takes the messages that have come through channels, for a thread that waits for something else. Returns whether
     * there were any. A thread that finds another one at work leaves it alone.
     */
    boolean poll() {
        if (!channels.hasNews() || !lock.tryLock()) {
            return false;
        }
        try {
            channels.open();
            boolean any = false;
            for (int i = 0; i < channels.count(); i++) {
                any |= readAll(channels.get(i));
            }
            return any;
        } finally {
            machine.unlock(lock);
        }
    }

    private boolean readAll(IncomingChannel channel) {
        boolean any = false;
        for (int message = 0; message < ChannelLayout.SLOTS && channel.hasNext(); message++) {
            readNext(channel);
            any = true;
        }
        return any;
    }

    private void readNext(IncomingChannel channel) {
        channel.read(next);
        deliver();
        channel.next();
    }

    // ---- messages of this node

    private void readChannels(Receive receive) {
        IncomingChannel channel = receive.source == Receive.ANY ? null : channelOf.get(receive.source);
        if (channel != null) {
            read(channel, receive);
            return;
        }
        long known = channels.open();
        if (receive.source == Receive.ANY) {
            int turn = channels.nextTurn();
            for (int i = 0; i < channels.count() && !receive.isMatched(); i++) {
                read(channels.get((turn + i) % channels.count()), receive);
            }
            return;
        }
        channel = channelOf.get(receive.source);
        if (channel != null) {
            read(channel, receive);
        } else {
            receive.awaits(channels.memory(), channels.madeWord(), known + 1);
        }
    }

    /** Also reads the messages that follow, as long as other non-blocking receives wait: they need no lock then. */
    private void read(IncomingChannel channel, Receive receive) {
        while (!receive.isMatched()) {
            if (!channel.hasNext()) {
                receive.awaits(channel.memory(), channel.nextWord(), channel.nextValue());
                return;
            }
            readNext(channel);
        }
        for (int more = 0; more < ChannelLayout.SLOTS && receives.pending() > 0 && channel.hasNext(); more++) {
            readNext(channel);
        }
    }

    // ---- messages of any node

    /**
     * Takes a message of a rank on another node. The payload of an eager message is copied before this method returns.
     *
     * @param source the sender, a rank of the job
     * @param communicator the communicator's number
     * @param envelope the {@link Envelope}
     * @param offeredBytes the length of an offered payload in bytes
     * @param transfer identifies the transfer of an offered payload at its sender
     * @param payload the memory of an eager payload
     * @param payloadOffset the offset of an eager payload in that memory
     */
    void arrive(int source, long communicator, long envelope, long offeredBytes, long transfer, MemorySegment payload,
            long payloadOffset) {
        machine.lock(lock);
        try {
            next.describe(source, communicator, envelope);
            if (next.isOffer) {
                next.offerFar(offeredBytes, transfer);
            } else {
                next.hold(payload, payloadOffset);
            }
            deliver();
        } finally {
            machine.unlock(lock);
        }
    }

    /** Removes an offer of another node that its sender has withdrawn. Returns false if a receive has matched it. */
    boolean removeOffer(int source, long transfer) {
        machine.lock(lock);
        try {
            Arrival kept = arrivals.findOffer(source, transfer);
            if (kept != null) {
                arrivals.remove(kept);
                arrivals.putBack(kept);
            }
            return kept != null;
        } finally {
            machine.unlock(lock);
        }
    }

    /** Describes the messages that no receive has matched. Returns null if there are none. */
    String describeUnreceived() {
        boolean isAnyRead;
        do {
            isAnyRead = poll(); // messages may still lie in channels
        } while (isAnyRead);
        machine.lock(lock);
        try {
            arrivals.sweep(this::isWithdrawn);
            return arrivals.describe();
        } finally {
            machine.unlock(lock);
        }
    }

    /** Drops the messages of a communicator that this rank has closed, and gives their senders credit. */
    void drop(long communicator) {
        machine.lock(lock);
        try {
            if (closed.size() < CLOSED_MAX) {
                closed.add(communicator);
            }
            arrivals.removeIf(kept -> kept.communicator == communicator, this::drop);
        } finally {
            machine.unlock(lock);
        }
    }

    /** Drops a message that no receive can match any more. */
    private void drop(Arrival message) {
        if (!message.isOffer) {
            giveCredit(message);
        } else if (message.isFarOffer) {
            decliner.decline(message.source, message.transfer);
        } else {
            IncomingTransfer.decline(machine, memory, message.transfer, message.transferNumber, message.bytes);
        }
        message.end();
    }

    /** Returns whether a message is an offer of this node that its sender has withdrawn. */
    private boolean isWithdrawn(Arrival kept) {
        return kept.isOffer && !kept.isFarOffer
                && IncomingTransfer.isWithdrawn(machine, memory, kept.transfer, kept.transferNumber);
    }

    /** Matches the next message with the oldest receive that accepts it, or keeps the message. */
    private void deliver() {
        Arrival message = next;
        Receive receive = receives.count() == 0 ? null : receives.find(message);
        if (receive != null) {
            receives.end(receive);
            match(receive, message);
        } else if (!closed.isEmpty() && closed.contains(message.communicator)) {
            drop(message);
        } else {
            if (arrivals.isSweepDue()) {
                arrivals.sweep(this::isWithdrawn);
            }
            next = arrivals.keep(message);
        }
    }

    private void match(Receive receive, Arrival message) {
        receive.match(message);
        Receive.Pending request = receive.pending(); // another call may have the receive after the store
        boolean isFar = message.isFarOffer;
        if (isFar) {
            peers.get(message.source).offerMatched(message.transfer, receive.put());
        }
        if (!message.isOffer) {
            giveCredit(message);
        }
        if (request != null) {
            request.matched();
        }
        if (receive.isOwn()) {
            machine.storePlain(receive.matchedWord, 0, receive.matchedValue()); // no other thread waits for it
        } else {
            machine.store(receive.matchedWord, 0, receive.matchedValue());
        }
        if (receive.source == Receive.ANY) {
            ring(receive);
        }
        message.end();
        if (isFar && request != null) {
            request.startTransfer();
        }
    }

    /**
     * Wakes the thread that awaits a receive, which no sender wakes any more. The thread of the receive itself may be
     * polling in its wait. Another thread rings in any case, because the thread of the receive may have looked for a
     * match, and not have begun to wait.
     */
    private void ring(Receive receive) {
        if (receive.isOwn()) {
            bell.ringIfAwaited();
        } else {
            bell.ring();
        }
    }

    private void giveCredit(Arrival message) {
        IncomingChannel channel = channelOf.get(message.source);
        if (channel != null) {
            channel.matched(message.cost());
        } else {
            peers.get(message.source).credit.matched(message.cost());
        }
    }
}
