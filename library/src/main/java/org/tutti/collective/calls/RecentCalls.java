/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.calls;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import org.tutti.Collective;
import org.tutti.collective.layout.Label;
import org.tutti.memory.Words;

/**
 * The last {@value #CALLS} calls of collectives of one rank, in the memory of its node. Another process can read them
 * while the rank runs, and after the process of the rank has ended. All communicators of the rank share the calls.
 *
 * <pre>
 *  line 0:      +0 the number of calls that the rank has begun
 *  line 1 + 2i: the call whose number is i modulo {@value #CALLS}, with numbers from 1
 *               +0 its key, 0 while the line is written: state (4 bits), collective (4), length of the text (8), root
 *               (16), number (32)
 *               +8 number of the communicator    +16 number of the call's first operation    +24 bytes
 *               +32 hash of the algorithm's name
 *  line 2 + 2i: the text, at most 64 bytes of UTF-8: a name and a line of the program, if they are known
 * </pre>
 *
 * <p><b>Memory ordering.</b> One thread at a time draws numbers on a communicator. A rank with one communicator counts
 * its calls with plain loads and stores. {@link RankRecord#share} is called before a second communicator exists. From
 * then on an atomic addition draws the number, so two threads write different lines unless {@value #CALLS} calls lie
 * between them. The thread stores 0 as the key, a store-store fence, the other words, and the key with release order. A
 * reader loads the key with acquire order, copies the line, and loads the key again after a load-load fence. If both
 * keys have the same number, the copy is of one call, and the number tells which one. If two threads write one line,
 * the reader may see parts of two calls, which no code but a report uses.
 */
public final class RecentCalls {
    /** The number of calls that are kept. */
    public static final int CALLS = 64;

    /** The length of the memory in bytes. */
    public static final long BYTES = Words.LINE_BYTES * (1L + 2 * CALLS);

    private static final long COMMUNICATOR = 8;
    private static final long OPERATION = 16;
    private static final long CALL_BYTES = 24;
    private static final long ALGORITHM = 32;
    private static final int STATE_MASK = 0xf;
    private static final int COLLECTIVE_SHIFT = 4;
    private static final int COLLECTIVE_MASK = 0xf;
    private static final int TEXT_SHIFT = 8;
    private static final int TEXT_MASK = 0xff;
    private static final int ROOT_SHIFT = 16;
    private static final int ROOT_MASK = 0xffff;
    private static final int NUMBER_SHIFT = Integer.SIZE;
    private static final int TEXT_BYTES_MAX = Words.LINE_BYTES;

    private final MemorySegment memory;
    private boolean shared;

    /**
     * Creates an object that reads or writes the calls of a rank.
     *
     * @param memory the memory, {@value #BYTES} bytes, aligned to a cache line and at first all zeros
     */
    public RecentCalls(MemorySegment memory) {
        this.memory = memory;
    }

    /** The state of a call. */
    public enum State {
        /** A non-blocking call has its number, and no thread runs it yet. */
        STARTED,
        /** A thread runs the call. */
        RUNNING,
        /** The call has ended. */
        DONE,
        /** The call has ended with an exception. */
        FAILED
    }

    /**
     * A call of a rank.
     *
     * @param number the number of the call among all calls of the rank, from 1
     * @param communicator the number by which all ranks know the communicator; 0 is the world
     * @param operation the number of the call's first operation on the communicator, from 1
     * @param collective the collective
     * @param algorithm the hash of the algorithm's name, {@link Label#hash}
     * @param bytes the length of the vector, or of one block, in bytes
     * @param root the root, a rank of the communicator; 0 if the collective has none
     * @param state the state of the call
     * @param text the name of the call of which this call is a part, and the line of the program, if they are known
     */
    public record Entry(long number, long communicator, long operation, Collective collective, long algorithm,
            long bytes, int root, State state, String text) {}

    /**
     * Writes a call.
     *
     * @param communicator the number by which all ranks know the communicator
     * @param operation the number of the call's first operation, from 1
     * @param collective the collective
     * @param algorithm the algorithm
     * @param bytes the length of the vector, or of one block, in bytes
     * @param root the root
     * @param state the state of the call
     * @param text a text, of which 64 bytes are kept; null for none
     * @return the key of the call, for {@link #set}
     */
    public long begin(long communicator, long operation, Collective collective, Label algorithm, long bytes, int root,
            State state, String text) {
        long number = draw();
        long line = line(number);
        Words.storePlain(memory, line, 0);
        VarHandle.storeStoreFence();
        Words.storePlain(memory, line + COMMUNICATOR, communicator);
        Words.storePlain(memory, line + OPERATION, operation);
        Words.storePlain(memory, line + CALL_BYTES, bytes);
        Words.storePlain(memory, line + ALGORITHM, algorithm.hash());
        assert collective.ordinal() <= COLLECTIVE_MASK : "the number of " + collective + " is too long";
        long key = number << NUMBER_SHIFT | (root & ROOT_MASK) << ROOT_SHIFT
                | collective.ordinal() << COLLECTIVE_SHIFT;
        if (text != null) {
            key |= writeText(line + Words.LINE_BYTES, text) << TEXT_SHIFT;
        }
        Words.store(memory, line, key | state.ordinal());
        return key;
    }

    private long draw() {
        if (shared) {
            return Words.add(memory, 0, 1) + 1;
        }
        long number = Words.loadPlain(memory, 0) + 1;
        Words.storePlain(memory, 0, number);
        return number;
    }

    /** Prepares this object for calls of several threads at once. No call may begin meanwhile. */
    void share() {
        shared = true;
    }

    private long writeText(long offset, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(bytes.length, TEXT_BYTES_MAX);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, offset, length);
        return length;
    }

    /**
     * Sets the state of a call, unless its line has a later call.
     *
     * @param key the key of the call
     * @param state the new state
     */
    public void set(long key, State state) {
        long line = line(key >>> NUMBER_SHIFT);
        long there = Words.loadPlain(memory, line);
        if (there >>> NUMBER_SHIFT != key >>> NUMBER_SHIFT) {
            return;
        }
        if (shared) { // another thread may begin the later call meanwhile
            Words.compareAndSet(memory, line, there, key | state.ordinal());
        } else {
            Words.storePlain(memory, line, key | state.ordinal());
        }
    }

    private static long line(long number) {
        return Words.LINE_BYTES * (1 + 2 * (number % CALLS));
    }

    /** {@return the number of calls that the rank has begun} */
    public long begun() {
        return Words.load(memory, 0);
    }

    /** {@return the last calls, in ascending order of their numbers, without those that are being written} */
    public List<Entry> read() {
        MemorySegment copy = MemorySegment.ofArray(new long[(int) (BYTES / Long.BYTES)]);
        copyTo(copy);
        long last = Words.loadPlain(copy, 0);
        List<Entry> entries = new ArrayList<>();
        for (long before = Math.clamp(last, 0, CALLS) - 1L; before >= 0; before--) { // last may be any number
            long number = last - before;
            MemorySegment line = copy.asSlice(line(number), 2L * Words.LINE_BYTES);
            if (hasNumber(Words.loadPlain(line, 0), number)) {
                entries.add(entry(number, line));
            }
        }
        return entries;
    }

    /** Copies the calls. Lines of calls that are being written are zeros in the copy. */
    void copyTo(MemorySegment target) {
        Words.storePlain(target, 0, begun());
        for (int call = 0; call < CALLS; call++) {
            long line = line(call);
            long key = Words.load(memory, line);
            MemorySegment.copy(memory, line, target, line, 2L * Words.LINE_BYTES);
            VarHandle.loadLoadFence();
            boolean whole = key >>> NUMBER_SHIFT == Words.loadPlain(memory, line) >>> NUMBER_SHIFT;
            Words.storePlain(target, line, whole ? key : 0);
        }
    }

    private static boolean hasNumber(long key, long number) {
        return key != 0 && key >>> NUMBER_SHIFT == (number & -1L >>> NUMBER_SHIFT);
    }

    /** Makes an entry of bytes that another process has written, of which no value is trusted. */
    private static Entry entry(long number, MemorySegment copy) {
        long key = Words.loadPlain(copy, 0);
        int collective = (int) key >>> COLLECTIVE_SHIFT & COLLECTIVE_MASK;
        int length = Math.min(TEXT_BYTES_MAX, (int) key >>> TEXT_SHIFT & TEXT_MASK);
        byte[] text = copy.asSlice(Words.LINE_BYTES, length).toArray(ValueLayout.JAVA_BYTE);
        State[] states = State.values();
        Collective[] collectives = Collective.values();
        return new Entry(number, Words.loadPlain(copy, COMMUNICATOR), Words.loadPlain(copy, OPERATION),
                collectives[Math.min(collective, collectives.length - 1)], Words.loadPlain(copy, ALGORITHM),
                Words.loadPlain(copy, CALL_BYTES), (int) key >>> ROOT_SHIFT & ROOT_MASK,
                states[Math.min((int) key & STATE_MASK, states.length - 1)],
                new String(text, StandardCharsets.UTF_8));
    }
}
