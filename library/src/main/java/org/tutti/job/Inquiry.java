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
 * <p>Memory ordering: a process stores an odd number that belongs to the question, writes, and stores the even one
 * after it with release order. A reader loads an even number with acquire order, reads, and then finds it unchanged, or
 * reads again: a fence on either side keeps the text between the two.
 */
final class Inquiry {
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
        return 2 * Words.load(words, NodeLayout.ASKED) > Words.load(words, NodeLayout.answered(firstRank));
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
        Words.store(words, NodeLayout.answered(firstRank), 2 * question - 1);
        VarHandle.fullFence();
        block.set(ValueLayout.JAVA_LONG, 0, bytes.length);
        MemorySegment.copy(bytes, 0, block, ValueLayout.JAVA_BYTE, Long.BYTES, bytes.length);
        Words.store(words, NodeLayout.answered(firstRank), 2 * question);
    }

    private static long room(int ranks) {
        return Long.BYTES + (long) ranks * Whereabouts.TEXT_BYTES_MAX;
    }

    /** What the process with this first rank has answered to a question, or to a later one, if it has. */
    Optional<List<Whereabouts>> answer(int firstRank, long question) {
        long answered = Words.load(words, NodeLayout.answered(firstRank));
        if (answered < 2 * question || answered % 2 != 0) {
            return Optional.empty();
        }
        long address = Words.loadPlain(words, NodeLayout.answer(firstRank));
        long length = memory.block(address, Long.BYTES).get(ValueLayout.JAVA_LONG, 0);
        MemorySegment block = memory.block(address, Long.BYTES + length);
        byte[] bytes = block.asSlice(Long.BYTES, length).toArray(ValueLayout.JAVA_BYTE);
        VarHandle.fullFence();
        return Words.load(words, NodeLayout.answered(firstRank)) != answered ? Optional.empty()
                : Optional.of(Whereabouts.parse(new String(bytes, StandardCharsets.UTF_8)));
    }
}
