/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * The bytes that a put sends: one or several runs of memory, which the put writes one after the other to consecutive
 * bytes at its target. One put of several runs is one message, with one word to raise. A caller reuses one source for
 * many puts, so that puts allocate nothing, and {@linkplain #clear clears} it after each, so that the source keeps no
 * memory alive.
 */
public final class PutSource {
    private MemorySegment[] segments = {MemorySegment.NULL};
    private long[] offsets = new long[1];
    private long[] lengths = new long[1];
    private int count;
    private long bytes;

    /** Removes all runs. */
    public void clear() {
        Arrays.fill(segments, 0, count, MemorySegment.NULL);
        count = 0;
        bytes = 0;
    }

    /**
     * Adds a run after those that the source has. A run that continues the last run becomes part of it.
     *
     * @param segment the memory of the run
     * @param offset the offset of the run in the memory, in bytes
     * @param length the length of the run, in bytes, 0 or more; a run of 0 bytes adds nothing
     * @return this source
     */
    public PutSource add(MemorySegment segment, long offset, long length) {
        assert offset >= 0 && length >= 0 && length <= segment.byteSize() - offset
                : "a run of " + length + " bytes at " + offset + " of " + segment;
        if (length == 0) {
            return this;
        }
        int last = count - 1;
        if (count > 0 && offset == offsets[last] + lengths[last] && segment.equals(segments[last])) {
            lengths[last] += length;
        } else {
            if (count == segments.length) {
                grow();
            }
            segments[count] = segment;
            offsets[count] = offset;
            lengths[count] = length;
            count++;
        }
        bytes += length;
        return this;
    }

    private void grow() {
        int before = segments.length;
        segments = Arrays.copyOf(segments, 2 * before);
        Arrays.fill(segments, before, segments.length, MemorySegment.NULL);
        offsets = Arrays.copyOf(offsets, segments.length);
        lengths = Arrays.copyOf(lengths, segments.length);
    }

    /** {@return the number of runs, 0 or more} */
    public int runs() {
        return count;
    }

    /** {@return the number of bytes of all runs} */
    public long bytes() {
        return bytes;
    }

    /**
     * Returns the memory of a run.
     *
     * @param run the index of the run, from 0
     * @return the memory
     */
    public MemorySegment segment(int run) {
        return segments[run];
    }

    /**
     * Returns the offset of a run in its memory.
     *
     * @param run the index of the run, from 0
     * @return the offset, in bytes
     */
    public long offset(int run) {
        return offsets[run];
    }

    /**
     * Returns the length of a run.
     *
     * @param run the index of the run, from 0
     * @return the length, in bytes, 1 or more
     */
    public long length(int run) {
        return lengths[run];
    }

    /**
     * Copies bytes of this source to consecutive bytes of other memory. The bytes of all runs, one run after the other,
     * are numbered from 0; the memory between the runs does not count.
     *
     * @param from the number of the first byte to copy
     * @param target the memory to copy to
     * @param targetOffset the offset in the target at which the first byte is written
     * @param length the number of bytes to copy, at most {@link #bytes} − {@code from}
     */
    public void copy(long from, MemorySegment target, long targetOffset, long length) {
        assert from >= 0 && length >= 0 && from + length <= bytes : length + " bytes from " + from + " of " + bytes;
        int run = 0;
        long before = 0;
        while (run < count && before + lengths[run] <= from) {
            before += lengths[run++];
        }
        long at = from;
        while (at < from + length) {
            long part = Math.min(before + lengths[run], from + length) - at;
            MemorySegment.copy(segments[run], offsets[run] + at - before, target, targetOffset + at - from, part);
            at += part;
            before += lengths[run++];
        }
    }
}
