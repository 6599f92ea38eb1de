/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Arrays;

import org.tutti.collective.layout.Fingerprint;

/**
 * The history of every byte of every memory: its last writer and its readers since, with their times. Bytes of one page
 * with the same history are kept as one range. An access that is not ordered after an earlier conflicting access is a
 * race, even if the bytes were right.
 *
 * <p>Pages keep the search for a range short: a run has a hundred thousand ranges, a page has a few.
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

    /** The bytes of a page. */
    static final int PAGE_BYTES = 16 << 10;

    private static final int[] NO_INTS = {};
    private static final long[] NO_LONGS = {};
    private static final int READERS_MIN = 2;
    private static final int RANGES_MIN = 2;
    private static final int PAGES_MIN = 1024;

    private static final class Range {
        private int start;
        private int end;
        private int writer = -1;
        private int time;
        private long step;
        private int readers;
        private int[] reader = NO_INTS;
        private int[] readTime = NO_INTS;
        private long[] readStep = NO_LONGS;

        Range(int start, int end) {
            this.start = start;
            this.end = end;
        }

        /** Cuts the range in two, and returns the second part. */
        Range cut(int at) {
            Range tail = new Range(at, end);
            tail.writer = writer;
            tail.time = time;
            tail.step = step;
            tail.readers = readers;
            tail.reader = reader.clone();
            tail.readTime = readTime.clone();
            tail.readStep = readStep.clone();
            end = at;
            return tail;
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

    /** The ranges of a page, by their first bytes. Offsets count from the page's first byte. */
    private final class Page {
        private final long address;
        private Range[] ranges = new Range[RANGES_MIN];
        private int count;

        Page(long address) {
            this.address = address;
        }

        /** Returns the index of the last range that begins at an offset or before; −1 if there is none. */
        int floor(int offset) {
            int low = 0;
            int high = count - 1;
            while (low <= high) {
                int middle = low + high >>> 1;
                if (ranges[middle].start <= offset) {
                    low = middle + 1;
                } else {
                    high = middle - 1;
                }
            }
            return high;
        }

        /** Returns the index of the first range that begins at an offset or later. A range that crosses it is cut. */
        int split(int offset) {
            int index = floor(offset);
            if (index < 0 || ranges[index].start == offset) {
                return Math.max(0, index);
            }
            if (ranges[index].end > offset) {
                insert(index + 1, ranges[index].cut(offset));
            }
            return index + 1;
        }

        void insert(int index, Range range) {
            if (count == ranges.length) {
                ranges = Arrays.copyOf(ranges, 2 * count);
            }
            System.arraycopy(ranges, index, ranges, index + 1, count - index);
            ranges[index] = range;
            count++;
        }

        void read(int from, int to, int who, Clock clock, long step) {
            int index = split(from);
            split(to);
            for (int at = from; at < to; at = ranges[index++].end) {
                if (index == count || ranges[index].start > at) {
                    race.report("reads bytes that nobody has written", -1, 0, address + at,
                            address + (index == count ? to : Math.min(to, ranges[index].start)));
                    return;
                }
                Range range = ranges[index];
                if (!clock.covers(range.writer, range.time)) {
                    report("reads bytes while they may still be written", range.writer, range.step, range);
                }
                range.addReader(who, clock.time(who), step);
            }
        }

        void write(int from, int to, int who, int time, Clock clock, long step) {
            int first = split(from);
            int end = split(to);
            for (int index = first; index < end; index++) {
                checkWrite(ranges[index], clock);
            }
            if (first == end) {
                insert(first, new Range(from, to));
            } else if (end > first + 1) {
                System.arraycopy(ranges, end, ranges, first + 1, count - end);
                Arrays.fill(ranges, count - (end - first - 1), count, null);
                count -= end - first - 1;
            }
            Range written = ranges[first];
            written.start = from;
            written.end = to;
            written.setWriter(who, time, step);
        }

        private void checkWrite(Range range, Clock clock) {
            if (!clock.covers(range.writer, range.time)) {
                report("writes bytes while they may still be written", range.writer, range.step, range);
            }
            for (int i = 0; i < range.readers; i++) {
                if (!clock.covers(range.reader[i], range.readTime[i])) {
                    report("overwrites bytes that may still be read", range.reader[i], range.readStep[i], range);
                }
            }
        }

        private void report(String what, int earlier, long earlierStep, Range range) {
            race.report(what, earlier, earlierStep, address + range.start, address + range.end);
        }

        boolean isWritten(int from, int to) {
            int index = floor(from);
            int at = from;
            while (at < to) {
                if (index < 0 || index == count || ranges[index].start > at || ranges[index].end <= at) {
                    return false;
                }
                at = ranges[index++].end;
            }
            return true;
        }
    }

    private final Race race;
    private Page[] pages = new Page[PAGES_MIN]; // a hash table; less than half of it is used
    private int pageCount;

    Shadow(Race race) {
        this.race = race;
    }

    private static int offset(long address) {
        return (int) (address & PAGE_BYTES - 1);
    }

    /** Returns the number of bytes from an address on that are in its page and before an end. */
    private static int length(long address, long end) {
        return (int) Math.min(end - address, PAGE_BYTES - offset(address));
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
        int length;
        for (long at = address, end = address + bytes; at < end; at += length) {
            length = length(at, end);
            pageOf(at).read(offset(at), offset(at) + length, who, clock, step);
        }
    }

    private Page pageOf(long address) {
        long start = address & -PAGE_BYTES;
        int place = place(start);
        if (pages[place] == null) {
            if (2 * ++pageCount == pages.length) {
                Page[] before = pages;
                pages = new Page[2 * before.length];
                for (Page page : before) {
                    if (page != null) {
                        pages[place(page.address)] = page;
                    }
                }
                place = place(start);
            }
            pages[place] = new Page(start);
        }
        return pages[place];
    }

    /** Returns the place of a page in the hash table: where it is, or where it would be. */
    private int place(long start) {
        int place = (int) (start * Fingerprint.GOLDEN >>> Integer.SIZE) & pages.length - 1;
        while (pages[place] != null && pages[place].address != start) {
            place = place + 1 & pages.length - 1;
        }
        return place;
    }

    /**
     * Tells whether every byte has been written before.
     *
     * @param address the first byte
     * @param bytes the number of bytes, 1 or more
     * @return whether all bytes have been written
     */
    boolean isWritten(long address, long bytes) {
        int length;
        for (long at = address, end = address + bytes; at < end; at += length) {
            length = length(at, end);
            if (!pageOf(at).isWritten(offset(at), offset(at) + length)) {
                return false;
            }
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
        int length;
        for (long at = address, end = address + bytes; at < end; at += length) {
            length = length(at, end);
            pageOf(at).write(offset(at), offset(at) + length, who, time, clock, step);
        }
    }

    /** Passes all bytes that were written to an action, range by range. */
    void forEachWritten(BytesAction action) {
        for (Page page : pages) {
            for (int index = 0; page != null && index < page.count; index++) {
                Range range = page.ranges[index];
                action.accept(page.address + range.start, range.end - range.start);
            }
        }
    }
}
