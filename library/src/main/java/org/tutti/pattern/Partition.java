/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * Divides a range of bytes into consecutive parts, as evenly as possible without cutting a unit, for example an
 * element. If the range has {@code n} units, the first {@code n % parts} parts have one unit more than the others.
 */
public final class Partition {
    private Partition() {}

    /**
     * Returns the offset at which a part begins, if a range of bytes is divided into parts as evenly as possible. The
     * part ends where part {@code index + 1} begins.
     *
     * @param bytes the length of the range, a multiple of unitBytes
     * @param unitBytes the number of bytes that must stay in one part, for example those of an element
     * @param parts the number of parts, 1 or more
     * @param index the index of the part, from 0; {@code parts} for the end of the last part
     * @return the offset of the part's first byte
     */
    public static long start(long bytes, long unitBytes, int parts, int index) {
        long units = bytes / unitBytes;
        return unitBytes * (units / parts * index + Math.min(index, units % parts));
    }

    /**
     * Returns the index of the part that contains a byte, if a range of bytes is divided into parts as evenly as
     * possible.
     *
     * @param bytes the length of the range, a multiple of unitBytes
     * @param unitBytes the number of bytes that must stay in one part, for example those of an element
     * @param parts the number of parts, 1 or more
     * @param at the offset of the byte, 0 to bytes − 1
     * @return the index of the part, from 0
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
     * Returns the number of chunks into which a range of bytes is divided. The last chunk may be shorter. An empty
     * range has one empty chunk.
     *
     * @param bytes the length of the range in bytes
     * @param chunkBytes the length of a chunk in bytes, more than 0
     * @return the number of chunks, 1 or more
     */
    public static int chunks(long bytes, long chunkBytes) {
        return Math.toIntExact(Math.max(1, (bytes + chunkBytes - 1) / chunkBytes));
    }
}
