/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * Cuts a range of bytes into consecutive parts between units, as evenly as possible: of {@code n} units the first
 * {@code n % parts} parts have one more than the others.
 */
public final class Partition {
    private Partition() {}

    /**
     * Finds where a part begins; it ends where part {@code index + 1} begins.
     *
     * @param bytes the length of the whole, a multiple of unitBytes
     * @param unitBytes the length of a unit, which is not cut
     * @param parts the number of parts, 1 or more
     * @param index the part, 0 to parts
     * @return the first byte of the part
     */
    public static long start(long bytes, long unitBytes, int parts, int index) {
        long units = bytes / unitBytes;
        return unitBytes * (units / parts * index + Math.min(index, units % parts));
    }

    /**
     * Finds the part in which a byte lies.
     *
     * @param bytes the length of the whole, a multiple of unitBytes
     * @param unitBytes the length of a unit, which is not cut
     * @param parts the number of parts, 1 or more
     * @param at the byte, 0 to bytes − 1
     * @return the index of the part
     */
    public static int index(long bytes, long unitBytes, int parts, long at) {
        long units = bytes / unitBytes;
        long shorter = units / parts;
        long longer = units % parts;
        long unit = at / unitBytes;
        long inLonger = longer * (shorter + 1);
        return (int) (unit < inLonger ? unit / (shorter + 1) : longer + (unit - inLonger) / shorter);
    }

    /**
     * Counts the chunks of a range; an empty range is one empty chunk.
     *
     * @param bytes the length of the whole
     * @param chunkBytes the length of a chunk, more than zero
     * @return the number of chunks, 1 or more
     */
    public static int chunks(long bytes, long chunkBytes) {
        return Math.toIntExact(Math.max(1, (bytes + chunkBytes - 1) / chunkBytes));
    }
}
