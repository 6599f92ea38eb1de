/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The way in which the bytes of a put, a get or an accumulate travel to and from another node. These are the three
 * protocols of Nieplocha, Tipparaju, Saify and Panda, "Protocols and Strategies for Optimizing Performance of Remote
 * Memory Operations on Clusters" (2002), section 3. The protocol has an effect only on the duration of a call.
 *
 * <p>{@link RemotePart#withProtocol} selects a protocol, for blocking and for non-blocking calls. Otherwise each call
 * chooses one. The choice depends on the number of bytes, on the number of runs, which are ranges of contiguous bytes,
 * and on the kind of memory:
 * <ul>
 * <li>{@link #ZERO_COPY} for runs of 16 KiB and more on average, if the memory is native, the call is a get, or all
 * runs together have more than 64 KiB;
 * <li>otherwise {@link #STREAMING} if all runs fit into one message of 64 KiB;
 * <li>otherwise {@link #PIPELINED}.
 * </ul>
 */
public enum TransferProtocol {
    /**
     * Runs of contiguous bytes are sent from where they lie, without being packed into a buffer. Each run is sent as a
     * frame, a message of at most 64 KiB, or as several frames. Native memory is written to the network without a copy,
     * sixteen frames in a system call. The bytes of a put are read from the network into their final position. Heap
     * memory is copied once, into frames of at most 60 KiB. Bytes that are sent over several connections are copied,
     * too, because they are kept until they are acknowledged. A get requests sixteen runs before the first one arrives.
     * Java allocates some 40 bytes for each frame that it writes to a socket from memory of an arena.
     */
    ZERO_COPY,
    /**
     * Bytes are packed into a buffer of 64 KiB and sent, and are unpacked at the other side. Only then is the next
     * buffer packed. Therefore each side needs one buffer, and the call waits once for each buffer. A side on which all
     * bytes are one run receives them without a buffer, in the other two protocols, too. This is the baseline of the
     * paper.
     */
    STREAMING,
    /**
     * Bytes are divided into chunks that are packed, sent and unpacked at the same time. While one chunk is packed, the
     * previous chunk is on the wire, and the chunk before it is unpacked. A chunk is a quarter of all bytes, but at
     * least 1 KiB and at most 32 KiB. Therefore the steps overlap in transfers of 2 KiB or more. The first and the last
     * chunk are half as long, so that the pipeline fills and drains sooner. The paper names this adaptive pipelined
     * streaming.
     */
    PIPELINED
}
