/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The way in which the bytes of a put, a get or an accumulate travel to and from another node. These are the three
 * protocols of Nieplocha, Tipparaju, Saify and Panda, "Protocols and Strategies for Optimizing Performance of Remote
 * Memory Operations on Clusters" (2002), section 3. The protocol changes only the duration of a call.
 *
 * <p>{@link RemotePart#withProtocol} selects a protocol. Otherwise each call chooses one by the number of its bytes,
 * its runs and the kind of its memory:
 * <ul>
 * <li>{@link #ZERO_COPY} for runs of 16 KiB and more on average, if the memory is native, the call is a get, or all
 * runs together have more than 64 KiB;
 * <li>otherwise {@link #STREAMING} for all runs that fit into one frame of 64 KiB, which is then the only frame;
 * <li>otherwise {@link #PIPELINED}.
 * </ul>
 */
public enum TransferProtocol {
    /**
     * Runs are not packed: each run is a frame of its own, or several frames of 64 KiB (60 KiB if the bytes are
     * copied). Native memory is written to the wire without a copy, with sixteen frames a system call, and the bytes of
     * a put are read from the wire into their final position. Heap memory is copied once, and so are bytes that go over
     * several rails, because rails keep them until they are acknowledged. A get requests sixteen runs before the first
     * one arrives. Java allocates some 40 bytes for each frame that it writes to a socket from memory of an arena.
     */
    ZERO_COPY,
    /**
     * The baseline of the paper: a buffer of 64 KiB is packed and sent, and its bytes are unpacked at the other side.
     * Only then is the next buffer packed. Each side thus needs one buffer, and the call waits once for each buffer.
     */
    STREAMING,
    /**
     * The adaptive pipelined streaming of the paper: a chunk is packed while the previous chunk is on the wire and the
     * one before it is unpacked. Chunks are a quarter of all bytes, but 1 KiB to 32 KiB, so that the steps overlap from
     * 2 KiB on. The first and the last chunk are half as long, so that the pipeline fills and drains sooner.
     */
    PIPELINED
}
