/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

import org.tutti.memory.Memory;
import org.tutti.memory.Words;

/**
 * Where the ranks of a node are, asked for and answered through its memory. Questions are numbered. Each process looks
 * every now and then whether there is a new one, and then writes where its ranks are into a block, which it claims at
 * the first; so all of it costs nothing until somebody asks.
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
final class Inquiry {
    private static final long BEGUN = 0;
    private static final long LENGTH = BEGUN + Long.BYTES;
    private static final long TEXT = LENGTH + Long.BYTES;

    private final Memory memory;
    private final MemorySegment words;

    Inquiry(Memory memory, MemorySegment words) {
        this.memory = memory;
        this.words = words;
    }

    /** Asks all processes of the node; returns the number of the question. */
    long ask() {
        Words.add(words, NodeLayout.ASKED, 1);
        return Words.load(words, NodeLayout.ASKED);
    }

    /** Whether the process with this first rank has been asked something that it has not answered. */
    boolean isAsked(int firstRank) {
        return Words.load(words, NodeLayout.ASKED) > Words.load(words, NodeLayout.answered(firstRank));
    }

    /** Answers for the process with this first rank: what it says is where its ranks are from now on. */
    void answer(int firstRank, int ranks, RankThreads threads, Node node) {
        long question = Words.load(words, NodeLayout.ASKED);
        var text = new StringBuilder();
        threads.look(node).forEach(each -> text.append(each.text()).append('\n'));
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        long room = room(ranks);
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

    private static long room(int ranks) {
        return TEXT + (long) ranks * Whereabouts.TEXT_BYTES_MAX;
    }

    /** What the process with this first rank has answered to a question, or to a later one, if it has. */
    Optional<List<Whereabouts>> answer(int firstRank, long question) {
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
                : Optional.of(Whereabouts.parse(new String(bytes, StandardCharsets.UTF_8)));
    }
}
