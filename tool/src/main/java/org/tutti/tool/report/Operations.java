/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.util.Arrays;
import java.util.BitSet;
import java.util.function.Consumer;

/**
 * The blocking calls that belong together: the calls of all ranks of a communicator that are the same operation. An
 * operation that some rank has not recorded is left out.
 */
final class Operations {
    private static final int NUMBER_BITS = 40;
    private static final long NUMBER_MAX = (1L << NUMBER_BITS) - 1;

    private Operations() {}

    /**
     * Hands the calls of each operation that synchronizes to an action, operation by operation in the order of their
     * numbers.
     *
     * @param recording the recordings
     * @param action takes the calls of an operation, two or more of different ranks
     */
    static void forEachSynchronizing(JobRecording recording, Consumer<int[]> action) {
        Calls calls = recording.calls();
        BitSet[] members = members(recording);
        long[] keys = new long[calls.size()];
        int[] found = new int[calls.size()];
        int count = 0;
        for (int call = 0; call < calls.size(); call++) {
            if (recording.siteOf(call).isSynchronizing() && calls.number(call) > 0 && calls.number(call) < NUMBER_MAX) {
                keys[count] = key(calls, call);
                found[count++] = call;
            }
        }
        long[] distinct = Arrays.stream(keys, 0, count).sorted().distinct().toArray();
        int[] starts = new int[distinct.length + 1];
        for (int i = 0; i < count; i++) {
            starts[Arrays.binarySearch(distinct, keys[i]) + 1]++;
        }
        Arrays.parallelPrefix(starts, Integer::sum);
        int[] next = starts.clone();
        int[] ordered = new int[count];
        for (int i = 0; i < count; i++) {
            ordered[next[Arrays.binarySearch(distinct, keys[i])]++] = found[i];
        }
        for (int operation = 0; operation < distinct.length; operation++) {
            int[] group = Arrays.copyOfRange(ordered, starts[operation], starts[operation + 1]);
            if (isComplete(calls, group, members[calls.communicator(group[0])])) {
                action.accept(group);
            }
        }
    }

    private static long key(Calls calls, int call) {
        return (long) calls.communicator(call) << NUMBER_BITS | calls.number(call);
    }

    private static BitSet[] members(JobRecording recording) {
        BitSet[] members = new BitSet[recording.communicators()];
        Arrays.setAll(members, _ -> new BitSet());
        for (int call = 0; call < recording.calls().size(); call++) {
            if (recording.siteOf(call).kind() == Kind.COLLECTIVE) {
                members[recording.calls().communicator(call)].set(recording.calls().rank(call));
            }
        }
        return members;
    }

    private static boolean isComplete(Calls calls, int[] group, BitSet members) {
        BitSet ranks = new BitSet();
        for (int call : group) {
            ranks.set(calls.rank(call));
        }
        return group.length > 1 && group.length == members.cardinality() && ranks.equals(members);
    }
}
