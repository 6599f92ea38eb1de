/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

import org.tutti.collective.machine.Machine;
import org.tutti.memory.Memory;

/**
 * The channels that the ranks of a node have made to a rank, in the order in which the rank has opened them. The {@link
 * Mailbox} guards this object with its lock, except for {@link #hasNews}.
 */
final class IncomingChannels {
    private final Machine machine;
    private final Memory memory;
    private final MemorySegment doors;
    private final long door;
    private final RankTable<IncomingChannel> bySource;
    private IncomingChannel[] channels = new IncomingChannel[4];
    private int opened;
    private long newest;
    private int turn;

    /**
     * Begins without a channel.
     *
     * @param machine the access to memory
     * @param memory the shared memory of the node
     * @param doors the memory with a {@link Doors door} for each rank
     * @param rank the rank in the job that receives
     * @param bySource gets each channel that this object opens
     */
    IncomingChannels(Machine machine, Memory memory, MemorySegment doors, int rank,
            RankTable<IncomingChannel> bySource) {
        this.machine = machine;
        this.memory = memory;
        this.doors = doors;
        this.door = Doors.door(rank);
        this.bySource = bySource;
    }

    int count() {
        return opened;
    }

    IncomingChannel get(int place) {
        return channels[place];
    }

    /** Returns the place of the channel that is read first this time, so that no sender keeps the others waiting. */
    int nextTurn() {
        turn = turn + 1 < opened ? turn + 1 : 0;
        return turn;
    }

    /** Opens the channels that senders have made. Returns the value of {@link #madeWord}, read before the look. */
    long open() {
        long known = machine.load(doors, door + Doors.OPENED);
        long first = machine.load(doors, door + Doors.NEWEST);
        for (long address = first; address != newest;) {
            var channel = new IncomingChannel(machine, memory, address);
            if (opened == channels.length) {
                channels = Arrays.copyOf(channels, 2 * opened);
            }
            channels[opened++] = channel;
            bySource.getOrMake(channel.source(), _ -> channel);
            address = channel.before();
        }
        newest = first;
        return known;
    }

    /** Returns the memory of the word that grows when a sender makes a channel. */
    MemorySegment memory() {
        return doors;
    }

    /** Returns the offset of that word. */
    long madeWord() {
        return door + Doors.OPENED;
    }

    /** Looks without the lock. A thread that misses a message takes it at the next look. */
    boolean hasNews() {
        int known = opened;
        IncomingChannel[] all = channels;
        for (int i = 0; i < known && i < all.length; i++) {
            if (all[i] != null && all[i].hasNext()) {
                return true;
            }
        }
        return machine.load(doors, door + Doors.NEWEST) != newest;
    }
}
