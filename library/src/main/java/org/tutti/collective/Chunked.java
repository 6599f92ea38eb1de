/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

/**
 * An {@link Algorithm} that moves long messages in chunks of a length that users can choose. For example, {@code
 * srm@32k} is the algorithm {@code srm} with chunks of 32 KiB. All ranks must choose the same length. The length is
 * part of the algorithm's name, and ranks compare the names. If ranks choose different lengths, they get an exception.
 */
public interface Chunked {
    /** The length of the shortest chunk, in bytes. It is greater than any operator's unit. */
    long CHUNK_BYTES_MIN = 4 << 10;

    /** The length of the longest chunk, in bytes. */
    long CHUNK_BYTES_MAX = 1 << 20;

    /**
     * Returns a variant of this algorithm with chunks of another length. If the memory that carries the chunks is too
     * short for this length, the variant uses the longest chunks that fit.
     *
     * @param bytes the length of a chunk in bytes, {@link #CHUNK_BYTES_MIN} to {@link #CHUNK_BYTES_MAX}, a multiple of
     *            1 KiB
     * @return the algorithm
     */
    Algorithm withChunk(long bytes);
}
