/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Locale;

import org.tutti.Collective;
import org.tutti.DataType;
import org.tutti.collective.layout.CallShape;
import org.tutti.collective.layout.Fingerprint;
import org.tutti.collective.layout.Label;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Machine;

/**
 * Writes and reads descriptors of calls. A descriptor is the description of a call that a rank writes into its cell,
 * the memory that an operation has for that rank ({@link RingLayout}). Other ranks compare it with their own
 * descriptor, to check that all ranks have made the same call. If the calls differ, messages name both.
 */
public final class Descriptor {
    private static final int OPERATOR_WORDS = Label.LENGTH / Long.BYTES;
    private static final int ALGORITHM_WORDS = OPERATOR_WORDS;
    private static final int NO_TYPE = 0xff;
    private static final int LONGEST_RANK_SHIFT = 48;
    private static final long LONGEST_ELEMENTS_MASK = (1L << LONGEST_RANK_SHIFT) - 1;

    private Descriptor() {}

    /** Returns a number that encodes the collective, element type and root of a call. */
    private static long kind(CallArguments call) {
        DataType type = call.type;
        return (long) call.root() << Integer.SIZE | (type == null ? NO_TYPE : type.ordinal()) << Byte.SIZE
                | call.collective().ordinal();
    }

    /** Returns a hash of all arguments of a call that must be the same at all ranks. */
    static long hash(CallArguments call) {
        return ((call.commonCount() * Fingerprint.GOLDEN ^ kind(call)) * Fingerprint.MULTIPLIER
                ^ call.algorithmName().hash())
                * Fingerprint.GOLDEN ^ call.operator().hash();
    }

    /**
     * Writes the descriptor of a call's current operation. The first word of the descriptor is 0 while the rest is
     * written, so that a rank that still reads the descriptor of an earlier operation can notice the change.
     *
     * @param machine the machine of the calling thread
     * @param cells the memory of the communicator's block
     * @param descriptor the offset of the descriptor in the block
     * @param call the call that the descriptor describes
     */
    public static void write(Machine machine, MemorySegment cells, long descriptor, CallArguments call) {
        Label operator = call.operator();
        Label algorithm = call.algorithmName();
        machine.storePlain(cells, descriptor, 0); // a rank that reads the old one must notice
        VarHandle.storeStoreFence();
        machine.storePlain(cells, descriptor + RingLayout.DESCRIPTOR_FINGERPRINT, call.history);
        machine.storePlain(cells, descriptor + RingLayout.DESCRIPTOR_CALL, call.hash);
        machine.storePlain(cells, descriptor + RingLayout.DESCRIPTOR_COUNT, call.commonCount());
        machine.storePlain(cells, descriptor + RingLayout.DESCRIPTOR_KIND, kind(call));
        machine.storePlain(cells, descriptor + RingLayout.DESCRIPTOR_TRAITS, operator.traits());
        if (call.hasCommonBlocks()) {
            machine.storePlain(cells, descriptor + RingLayout.DESCRIPTOR_ELEMENTS, call.blockElements);
            machine.storePlain(cells, descriptor + RingLayout.DESCRIPTOR_LONGEST,
                    (long) call.longestBlock << LONGEST_RANK_SHIFT | call.longestBlockElements & LONGEST_ELEMENTS_MASK);
        }
        for (int word = 0; word < OPERATOR_WORDS; word++) {
            machine.storePlain(cells, descriptor + RingLayout.NAMES + (long) word * Long.BYTES, operator.word(word));
        }
        for (int word = 0; word < ALGORITHM_WORDS; word++) {
            machine.storePlain(cells, descriptor + RingLayout.ALGORITHM_NAME + (long) word * Long.BYTES,
                    algorithm.word(word));
        }
        machine.store(cells, descriptor, call.sequence + 1);
    }

    /** Returns a description, for messages, of the call that a descriptor holds. */
    static String text(TeamContext context, MemorySegment cells, long descriptor) {
        Machine machine = context.machine;
        long kind = machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_KIND);
        Collective called = Collective.values()[(int) (kind & 0xff)];
        String operator = name(machine, cells, descriptor + RingLayout.NAMES, OPERATOR_WORDS);
        String algorithm = name(machine, cells, descriptor + RingLayout.ALGORITHM_NAME, ALGORITHM_WORDS);
        StringBuilder text = new StringBuilder(called.label()).append(" (algorithm ")
                .append(context.members.describe(called, algorithm, shape(context, cells, descriptor))).append(')');
        if (called.hasElements()) {
            DataType type = DataType.values()[(int) (kind >>> Byte.SIZE & 0xff)];
            long count = machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_COUNT);
            text.append(" of ").append(count < 0 ? "blocks of" : count).append(' ')
                    .append(type.name().toLowerCase(Locale.ROOT)).append(" elements");
            if (count < 0 && called.combines()) {
                long longest = machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_LONGEST);
                text.append(" (").append(machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_ELEMENTS))
                        .append(" in all, the longest block ").append(longest & LONGEST_ELEMENTS_MASK)
                        .append(" for rank ").append(longest >>> LONGEST_RANK_SHIFT).append(')');
            }
        }
        if (called.hasRoot()) {
            text.append(" with root ").append(kind >>> Integer.SIZE);
        } else if (kind >>> Integer.SIZE != 0) {
            text.append(" in which all make groups");
        }
        if (!operator.isEmpty()) {
            text.append(" and operator ").append(operator)
                    .append(Label.describeTraits(machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_TRAITS)));
        }
        return text.toString();
    }

    /** Returns the facts of a call on which the steps of its algorithm depend. */
    private static CallShape shape(TeamContext context, MemorySegment cells, long descriptor) {
        Machine machine = context.machine;
        long kind = machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_KIND);
        int type = (int) (kind >>> Byte.SIZE & 0xff);
        long count = machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_COUNT);
        long bytes = type == NO_TYPE ? 0 : Math.max(0, count) * DataType.values()[type].bytes();
        int root = Collective.values()[(int) (kind & 0xff)].hasRoot() ? (int) (kind >>> Integer.SIZE) : 0;
        return new CallShape(context.topology, !context.operations.isComplete(), bytes, root,
                (machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_TRAITS) & 1) != 0, count < 0);
    }

    private static String name(Machine machine, MemorySegment cells, long offset, int count) {
        long[] words = new long[count];
        for (int word = 0; word < count; word++) {
            words[word] = machine.loadPlain(cells, offset + (long) word * Long.BYTES);
        }
        return Label.decode(words);
    }
}
