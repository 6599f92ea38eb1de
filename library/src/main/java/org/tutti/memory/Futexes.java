/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;

/**
 * Lets threads sleep until a word of a node's memory may have been raised, by a thread of any process of the node. The
 * threads sleep in {@code futex(2)}, which this class calls through {@code java.lang.foreign}. A node has {@value
 * #COUNT} futexes, one for each line of a page, and a word belongs to the futex of its line. Each futex has a count of
 * the threads that sleep there, and a number that grows with each wake-up.
 *
 * <p>A thread that raises a word reads the count. The count seldom changes, so it stays in the caches of all cores. The
 * thread makes a system call only if another thread sleeps at a word of the same line.
 *
 * <p><b>Wake-ups.</b> A sleeper first raises the count. It reads its word {@value #READS} times in some microseconds,
 * and then sleeps, unless the number has grown since it read the word for the first time. A writer raises the word
 * before it reads the count. No fence separates the two steps of the writer, because a fence would cost every word a
 * few nanoseconds. The writer misses the sleeper only if the store reaches the sleeper's core after the last of these
 * reads, although the writer has read the count before the first one. A writer in a process that cannot call {@code
 * futex} wakes no thread. Every sleep is therefore limited, and the caller reads the word again.
 *
 * <p>A process that is killed while a thread of it sleeps leaves the count too high. Later writers of words of this
 * line then make a system call that wakes no thread.
 */
public final class Futexes {
    private static final int COUNT = 64;
    private static final int READS = 64;
    private static final long NUMBERS = (long) COUNT * Integer.BYTES;

    /** The number of bytes of shared memory that the futexes of a node need. */
    public static final long BYTES = 2 * NUMBERS;

    private static final long NANOS_PER_SECOND = 1_000_000_000;
    private static final long WAIT = 0; // FUTEX_WAIT
    private static final long WAKE = 1; // FUTEX_WAKE
    private static final long ALL = Integer.MAX_VALUE;

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final long SYSTEM_CALL = systemCall(System.getProperty("os.arch"));
    private static final MethodHandle FUTEX = CLibrary.find("syscall",
            FunctionDescriptor.of(ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS,
                    ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS),
            Linker.Option.firstVariadicArg(1));
    private static final ThreadLocal<MemorySegment> TIMEOUT =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(2 * Long.BYTES, Long.BYTES)); // struct timespec

    private final MemorySegment memory;

    /**
     * Creates the access of a process to the futexes of its node.
     *
     * @param memory {@link #BYTES} bytes of the node's memory, all 0 at first, aligned to a cache line
     */
    public Futexes(MemorySegment memory) {
        this.memory = memory;
    }

    /** Returns the number of the system call on a processor, or −1 if it is not known. */
    private static long systemCall(String processor) {
        return switch (processor) {
            case "amd64" -> 202;
            case "aarch64" -> 98;
            default -> -1;
        };
    }

    /** {@return whether this process can sleep and wake} */
    public static boolean arePossible() {
        return FUTEX != null && SYSTEM_CALL >= 0;
    }

    private static long count(MemorySegment words, long offset) {
        return (words.address() + offset >>> Long.numberOfTrailingZeros(Words.LINE_BYTES)) % COUNT * Integer.BYTES;
    }

    /**
     * Wakes the threads that sleep at a word. Must be called after the word was raised.
     *
     * @param words the memory that contains the word
     * @param offset the offset of the word in that memory, in bytes
     */
    public void wake(MemorySegment words, long offset) {
        long count = count(words, offset);
        if ((int) INT.getOpaque(memory, count) > 0 && arePossible()) {
            Words.addInt(memory, NUMBERS + count, 1);
            call(count, WAKE, ALL, MemorySegment.NULL);
        }
    }

    /**
     * Sleeps until a word may have been raised. Returns immediately if the word has reached the value, and may return
     * early without a reason. The thread sleeps outside the JVM, so an interrupt does not wake it.
     *
     * @param words the memory that contains the word
     * @param offset the offset of the word in that memory, in bytes
     * @param atLeast the value for which the caller waits
     * @param nanosMax the longest sleep in nanoseconds
     */
    void sleep(MemorySegment words, long offset, long atLeast, long nanosMax) {
        long count = count(words, offset);
        Words.addInt(memory, count, 1);
        try {
            int number = Words.loadIntVolatile(memory, NUMBERS + count);
            for (int read = 0; read < READS; read++) {
                if (Words.load(words, offset) >= atLeast) {
                    return;
                }
                Thread.onSpinWait();
            }
            MemorySegment timeout = TIMEOUT.get();
            timeout.set(ValueLayout.JAVA_LONG, 0, nanosMax / NANOS_PER_SECOND);
            timeout.set(ValueLayout.JAVA_LONG, Long.BYTES, nanosMax % NANOS_PER_SECOND);
            call(count, WAIT, number, timeout);
        } finally {
            Words.addInt(memory, count, -1);
        }
    }

    /** Calls futex. The result does not matter, because every caller reads its word again. */
    private void call(long count, long operation, long value, MemorySegment timeout) {
        try {
            long result = (long) FUTEX.invokeExact(SYSTEM_CALL, memory.asSlice(NUMBERS + count, Integer.BYTES),
                    operation, value, timeout);
            assert result >= -1 : "futex has returned " + result;
        } catch (Throwable e) {
            throw new AssertionError("a call of the C library has thrown", e);
        }
    }
}
