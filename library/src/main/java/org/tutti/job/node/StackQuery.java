/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.function.Supplier;

import org.tutti.memory.Memory;
import org.tutti.memory.Words;

/**
 * Asks the processes of a node, through the node's memory, where their ranks are, and brings their answers. Questions
 * have numbers that grow. Each process looks now and then for a new number. When it finds one, it writes a text into a
 * block of its own, which it claims at the first question. So nothing is claimed or written before a question is asked.
 *
 * <pre>
 *  block:  +0 begun: the question that the process answers, or has answered
 *          +8 length of the text        +16 the text, a line for each rank
 * </pre>
 *
 * <p>Memory ordering: a process stores the question's number as <i>begun</i>, writes, and stores the number as
 * <i>answered</i> with release order. A reader loads <i>answered</i> with acquire order, reads, and then finds
 * <i>begun</i> unchanged, or reads again: a fence on either side keeps the text between the two.
 */
public final class StackQuery {
    private static final long BEGUN = 0;
    private static final long LENGTH = BEGUN + Long.BYTES;
    private static final long TEXT = LENGTH + Long.BYTES;

    private final Memory memory;
    private final MemorySegment words;

    StackQuery(Memory memory, MemorySegment words) {
        this.memory = memory;
        this.words = words;
    }

    /** Asks all processes of the node; returns the number of the question. */
    public long ask() {
        Words.add(words, NodeLayout.ASKED, 1);
        return Words.load(words, NodeLayout.ASKED);
    }

    /** Whether the process with this first rank has been asked something that it has not answered. */
    public boolean isAsked(int firstRank) {
        return Words.load(words, NodeLayout.ASKED) > Words.load(words, NodeLayout.answered(firstRank));
    }

    /**
     * Answers for the process with this first rank.
     *
     * @param firstRank the first rank of the process
     * @param text says where its ranks are from the time on at which this begins
     * @param bytesMax how long the text may get, the same for all answers of the process
     */
    public void answer(int firstRank, Supplier<String> text, long bytesMax) {
        long question = Words.load(words, NodeLayout.ASKED);
        byte[] bytes = text.get().getBytes(StandardCharsets.UTF_8);
        long room = TEXT + bytesMax;
        long address = Words.loadPlain(words, NodeLayout.answer(firstRank));
        if (address == 0) {
            address = memory.claim(room, "where the ranks are");
            Words.storePlain(words, NodeLayout.answer(firstRank), address);
        }
        MemorySegment block = memory.block(address, room);
        Words.store(block, BEGUN, question);
        VarHandle.fullFence();
        Words.storePlain(block, LENGTH, bytes.length);
        MemorySegment.copy(bytes, 0, block, ValueLayout.JAVA_BYTE, TEXT, bytes.length);
        Words.store(words, NodeLayout.answered(firstRank), question);
    }

    /** The text that the process with this first rank has answered to a question, or to a later one, if it has. */
    public Optional<String> answer(int firstRank, long question) {
        long answered = Words.load(words, NodeLayout.answered(firstRank));
        if (answered < question) {
            return Optional.empty();
        }
        long address = Words.loadPlain(words, NodeLayout.answer(firstRank));
        long length = Words.loadPlain(memory.block(address, TEXT), LENGTH);
        MemorySegment block = memory.block(address, TEXT + length);
        byte[] bytes = block.asSlice(TEXT, length).toArray(ValueLayout.JAVA_BYTE);
        VarHandle.fullFence();
        return Words.load(block, BEGUN) != answered ? Optional.empty()
                : Optional.of(new String(bytes, StandardCharsets.UTF_8));
    }
}
