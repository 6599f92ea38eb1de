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
 * Asks the processes of a node where their ranks are, in which calls and at which lines of the program, and reads the
 * answers. Questions and answers lie in the node's memory. Questions have ascending numbers. Each process looks for a
 * new number periodically. When it finds one, it writes a text into a block of its own, which it allocates at the first
 * question. Therefore nothing is allocated or written before a question is asked.
 *
 * <pre>
 *  block:  +0 begun: the question that the process answers, or has answered
 *          +8 length of the text        +16 the text, a line for each rank
 * </pre>
 *
 * <p>Memory ordering: a process stores the question's number as <i>begun</i>, writes the text, and then stores the
 * number as <i>answered</i> with release order. A reader loads <i>answered</i> with acquire order, reads the text, and
 * then loads <i>begun</i>. If <i>begun</i> differs, the text may be mixed, and the reader reports no answer. The
 * writer's fence keeps its writes of the text after the store of <i>begun</i>. The reader's fence keeps its reads of
 * the text before the load of <i>begun</i>.
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

    /** Asks all processes of the node where their ranks are, and returns the number of the question. */
    public long ask() {
        Words.add(words, NodeLayout.ASKED, 1);
        return Words.load(words, NodeLayout.ASKED);
    }

    /** Returns whether the process with this first rank has an unanswered question. */
    public boolean isAsked(int firstRank) {
        return Words.load(words, NodeLayout.ASKED) > Words.load(words, NodeLayout.answered(firstRank));
    }

    /**
     * Writes the answer of a process to the latest question.
     *
     * @param firstRank the first rank of the process
     * @param text the supplier of the text that tells where the ranks are; it is called after the question was read
     * @param bytesMax the greatest length of the text in bytes, the same for all answers of the process
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

    /**
     * Returns the answer of the process with this first rank to a question or to a later one. It is empty if the
     * process has not answered, or is just writing another answer.
     */
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
