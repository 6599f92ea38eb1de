/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.stream.Collectors;

import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;

/**
 * Writes and reads the line in which a rank announces that it is making a group. The line is the rank's left line, the
 * cache line that the rank has in the block of the parent communicator. It holds the group's number, the address of the
 * group's block, the number of the parent's operations that the rank had drawn before, and the group's members. The
 * members are one bit for each of the first {@value #RANKS_SAID} ranks of the parent, and one bit for all other ranks.
 *
 * <p>Memory ordering: the number is stored last, with release order. No two groups have the same number. Therefore, if
 * a reader finds the same number before and after it has read the rest, the rest belongs to that group.
 */
public final class GroupLine {
    private static final int RANKS_SAID = 255;

    private GroupLine() {}

    /**
     * Writes the line in which this rank announces that it is making a group.
     *
     * @param machine the machine of the calling thread
     * @param ring the parent's block, the memory that holds the line
     * @param line the offset of the rank's left line in the block
     * @param id the group's number, not 0
     * @param address the address of the group's block, at the group's master on the node; 0 at other ranks
     * @param drawn the number of the parent's operations that the rank has drawn before
     * @param ranks the ranks of the group, by their numbers in the parent
     */
    public static void write(Machine machine, MemorySegment ring, long line, long id, long address, long drawn,
            int[] ranks) {
        machine.publish(ring, line + RingLayout.GROUP_ADDRESS, address);
        machine.publish(ring, line + RingLayout.GROUP_DRAWN, drawn);
        for (int first = 0; first <= RANKS_SAID; first += Long.SIZE) {
            machine.publish(ring, line + RingLayout.GROUP_RANKS + first / Byte.SIZE, bits(ranks, first));
        }
        machine.publish(ring, line + RingLayout.GROUP, id);
    }

    /** Clears the group's number in the line, because the group is complete. */
    public static void clear(Machine machine, MemorySegment ring, long line) {
        machine.publish(ring, line + RingLayout.GROUP, 0);
    }

    private static long bits(int[] ranks, int first) {
        long bits = 0;
        for (int each : ranks) {
            int said = Math.min(each, RANKS_SAID);
            if (said >= first && said < first + Long.SIZE) {
                bits |= 1L << said - first;
            }
        }
        return bits;
    }

    /** Remembers that this rank has made a group, together with each member of the group. */
    public static void noteMade(TeamContext parent, long id, int[] ranks) {
        if (parent.operations.lastMade.length == 0) {
            parent.operations.lastMade = new long[Math.min(parent.size(), RANKS_SAID)];
        }
        for (int each : ranks) {
            if (each < RANKS_SAID) {
                parent.operations.lastMade[each] = id;
            }
        }
    }

    /**
     * Returns whether another rank waits until this rank begins to make a group that the other rank is making. The
     * other rank has written the group's number into its left line, a line of shared memory that each rank of the
     * parent has. The result is false if this rank is making the same group. The result is also false if that group is
     * the last one that both ranks have made, because the other rank may still be finishing it.
     *
     * @param parent the parent communicator at this rank
     * @param other the other rank, as a rank of the parent
     * @param made the group's number that was read from the other rank's line
     * @param memory the memory that holds the line
     * @param line the offset of the line in that memory
     * @return whether the other rank waits for this rank
     */
    public static boolean isAwaited(TeamContext parent, int other, long made, MemorySegment memory, long line) {
        Machine machine = parent.machine;
        long[] lastMade = parent.operations.lastMade;
        return Math.max(parent.rank, other) < RANKS_SAID
                && made != parent.operations.making && (other >= lastMade.length || lastMade[other] != made)
                && (machine.load(memory,
                        line + RingLayout.GROUP_RANKS + (long) parent.rank / Long.SIZE * Long.BYTES) >>> parent.rank
                        & 1) != 0
                && machine.load(memory, line + RingLayout.GROUP) == made; // or the bits are the next group's
    }

    /** Returns the ranks of the group that a rank's left line names, in ascending order, as text for messages. */
    public static String ranks(Machine machine, MemorySegment memory, long line) {
        var words = new long[(RANKS_SAID + 1) / Long.SIZE];
        for (int i = 0; i < words.length; i++) {
            words[i] = machine.load(memory, line + RingLayout.GROUP_RANKS + (long) i * Long.BYTES);
        }
        BitSet said = BitSet.valueOf(words);
        String named = said.stream().filter(each -> each < RANKS_SAID).mapToObj(String::valueOf)
                .collect(Collectors.joining(", "));
        return "ranks " + named
                + (said.get(RANKS_SAID) ? (named.isEmpty() ? "" : " and others ") + "from " + RANKS_SAID + " on" : "");
    }
}
