/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * How the bytes of a put, a get or an accumulate travel to and from another node: the three protocols of Nieplocha,
 * Tipparaju, Saify and Panda, "Protocols and Strategies for Optimizing Performance of Remote Memory Operations on
 * Clusters" (2002), section 3. Which one is used changes how long a call takes, and nothing else.
 *
 * <p>{@link RemotePart#withProtocol} chooses one. Otherwise each call chooses by its size, its runs and the kind of
 * memory:
 * <ul>
 * <li>runs of 16 KiB and more on average: {@link #ZERO_COPY}, if the memory is native, the call a get, or all of it
 * more than 64 KiB;
 * <li>else, what fits into one frame of 64 KiB: {@link #STREAMING}, which is one frame then;
 * <li>else {@link #PIPELINED}.
 * </ul>
 */
public enum TransferProtocol {
    /**
     * Nothing is packed: each run, or 64 KiB of it, or 60 if it is copied, is a frame of its own. Native memory goes
     * to the wire from where it lies, sixteen frames a system call, and the bytes of a put come from the wire to
     * where they belong. What lies in the heap, and what is sent over several rails (which keep it until it is
     * counted), is copied once. Of a get, sixteen runs are asked for before the first has come. Where memory of an
     * arena goes to a socket, Java allocates some 40 bytes a frame.
     */
    ZERO_COPY,
    /**
     * The paper's baseline: a buffer of 64 KiB is packed and sent, and its bytes are unpacked at the other side; the
     * next one is packed when that has been done. So there is one buffer at each side, and a wait for each.
     */
    STREAMING,
    /**
     * The paper's adaptive pipelined streaming: a chunk is packed while the one before it is on the wire, and the one
     * before that is unpacked. Chunks are a quarter of all bytes, 1 KiB to 32 KiB, so that from 2 KiB on the steps
     * overlap; the first and the last are half as long, so that the pipeline fills and drains sooner.
     */
    PIPELINED
}
