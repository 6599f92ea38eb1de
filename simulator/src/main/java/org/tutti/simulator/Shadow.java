/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/**
 * The history of every byte of every memory: its last writer and its readers since, with their times. Bytes with the
 * same history are kept as one range. An access that is not ordered after an earlier conflicting access is a race, even
 * if the bytes were right.
 *
 * <p>Addresses are those of the simulated memory; an accessor is a component of a {@link Clock}.
 */
final class Shadow {
    /** Receives races. */
    interface Race {
        /**
         * Reports a race.
         *
         * @param what the conflict, in words
         * @param earlier the component of the earlier access; −1 if the bytes that are read were never written
         * @param earlierStep the step of the run of the earlier access
         * @param address the first byte
         * @param end the byte after the last one
         */
        void report(String what, int earlier, long earlierStep, long address, long end);
    }

    /** Receives ranges of bytes. */
    interface BytesAction {
        /**
         * Receives a range.
         *
         * @param address the first byte
         * @param bytes the number of bytes
         */
        void accept(long address, long bytes);
    }

    private static final int[] NO_INTS = {};
    private static final long[] NO_LONGS = {};
    private static final int READERS_MIN = 2;

    private static final class Range {
        private long end;
        private int writer = -1;
        private int time;
        private long step;
        private int readers;
        private int[] reader = NO_INTS;
        private int[] readTime = NO_INTS;
        private long[] readStep = NO_LONGS;

        Range(long end) {
            this.end = end;
        }

        Range(Range whole) {
            this.end = whole.end;
            this.writer = whole.writer;
            this.time = whole.time;
            this.step = whole.step;
            this.readers = whole.readers;
            this.reader = whole.reader.clone();
            this.readTime = whole.readTime.clone();
            this.readStep = whole.readStep.clone();
        }

        void setWriter(int who, int at, long atStep) {
            writer = who;
            time = at;
            step = atStep;
            readers = 0;
        }

        void addReader(int who, int at, long atStep) {
            int index = 0;
            while (index < readers && reader[index] != who) {
                index++;
            }
            if (index == readers) {
                if (readers == reader.length) {
                    int more = Math.max(READERS_MIN, 2 * readers);
                    reader = Arrays.copyOf(reader, more);
                    readTime = Arrays.copyOf(readTime, more);
                    readStep = Arrays.copyOf(readStep, more);
                }
                readers++;
            }
            reader[index] = who;
            readTime[index] = at;
            readStep[index] = atStep;
        }
    }

    private final TreeMap<Long, Range> ranges = new TreeMap<>();
    private final Race race;

    Shadow(Race race) {
        this.race = race;
    }

    /**
     * Notes that bytes are read.
     *
     * @param address the first byte
     * @param bytes the number of bytes
     * @param who the reader
     * @param clock the reader's clock
     * @param step the step of the run
     */
    void read(long address, long bytes, int who, Clock clock, long step) {
        long end = address + bytes;
        Range whole = range(address, end);
        if (whole != null) {
            read(address, whole, who, clock, step);
            return;
        }
        split(address);
        split(end);
        long at = address;
        while (at < end) {
            Map.Entry<Long, Range> entry = ranges.ceilingEntry(at);
            if (entry == null || entry.getKey() > at) {
                race.report("reads bytes that nobody has written", -1, 0, at,
                        entry == null ? end : Math.min(end, entry.getKey()));
                return;
            }
            Range range = entry.getValue();
            read(at, range, who, clock, step);
            at = range.end;
        }
    }

    private void read(long address, Range range, int who, Clock clock, long step) {
        if (!clock.covers(range.writer, range.time)) {
            race.report("reads bytes while they may still be written", range.writer, range.step, address, range.end);
        }
        range.addReader(who, clock.time(who), step);
    }

    /** {@return the range from exactly one address to another, which most accesses find; or null} */
    private Range range(long address, long end) {
        Map.Entry<Long, Range> entry = ranges.floorEntry(address);
        return entry != null && entry.getKey() == address && entry.getValue().end == end ? entry.getValue() : null;
    }

    /**
     * Tells whether every byte has been written before.
     *
     * @param address the first byte
     * @param bytes the number of bytes, 1 or more
     * @return whether all bytes have been written
     */
    boolean isWritten(long address, long bytes) {
        long end = address + bytes;
        long at = address;
        while (at < end) {
            Map.Entry<Long, Range> entry = ranges.floorEntry(at);
            if (entry == null || entry.getValue().end <= at) {
                return false;
            }
            at = entry.getValue().end;
        }
        return true;
    }

    /**
     * Notes that bytes are written.
     *
     * @param address the first byte
     * @param bytes the number of bytes
     * @param who the writer
     * @param clock the writer's clock
     * @param step the step of the run
     */
    void write(long address, long bytes, int who, Clock clock, long step) {
        write(address, bytes, who, clock.time(who), clock, step);
    }

    /**
     * Notes that bytes are written, by a writer with earlier writes that may still be under way.
     *
     * @param address the first byte
     * @param bytes the number of bytes
     * @param who the writer
     * @param time the writer's time
     * @param clock the times that the writer knows, including its own
     * @param step the step of the run
     */
    void write(long address, long bytes, int who, int time, Clock clock, long step) {
        if (bytes == 0) {
            return;
        }
        long end = address + bytes;
        Range whole = range(address, end);
        if (whole != null) {
            checkWrite(address, whole, clock);
            whole.setWriter(who, time, step);
            return;
        }
        split(address);
        split(end);
        for (Map.Entry<Long, Range> entry = ranges.ceilingEntry(address); entry != null
                && entry.getKey() < end; entry = ranges.ceilingEntry(address)) {
            checkWrite(entry.getKey(), entry.getValue(), clock);
            ranges.remove(entry.getKey());
        }
        Range written = new Range(end);
        written.setWriter(who, time, step);
        ranges.put(address, written);
    }

    /** Passes all bytes that were written to an action, range by range. */
    void forEachWritten(BytesAction action) {
        ranges.forEach((address, range) -> action.accept(address, range.end - address));
    }

    private void checkWrite(long address, Range range, Clock clock) {
        if (!clock.covers(range.writer, range.time)) {
            race.report("writes bytes while they may still be written", range.writer, range.step, address, range.end);
        }
        for (int i = 0; i < range.readers; i++) {
            if (!clock.covers(range.reader[i], range.readTime[i])) {
                race.report("overwrites bytes that may still be read", range.reader[i], range.readStep[i], address,
                        range.end);
            }
        }
    }

    private void split(long address) {
        Map.Entry<Long, Range> entry = ranges.lowerEntry(address);
        if (entry != null && entry.getValue().end > address) {
            Range tail = new Range(entry.getValue());
            entry.getValue().end = address;
            ranges.put(address, tail);
        }
    }
}
