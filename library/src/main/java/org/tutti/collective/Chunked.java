/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

/**
 * An {@link Algorithm} that moves long messages in chunks whose length can be chosen: {@code srm@32k} is {@code srm}
 * with chunks of 32 KiB. All ranks must choose alike; as the length is part of the name, those that do not are told so.
 */
public interface Chunked {
    /** The shortest chunk, in bytes: more than any operator's unit. */
    long CHUNK_BYTES_MIN = 4 << 10;

    /** The longest chunk, in bytes. */
    long CHUNK_BYTES_MAX = 1 << 20;

    /**
     * The same algorithm with chunks of another length. Where windows or eager buffers are shorter than its buffers
     * would be, chunks are as long as they allow.
     *
     * @param bytes the length, {@link #CHUNK_BYTES_MIN} to {@link #CHUNK_BYTES_MAX}, a multiple of 1 KiB
     * @return the algorithm
     */
    Algorithm withChunk(long bytes);
}
