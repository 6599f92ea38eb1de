/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;

/**
 * Sends and receives messages between the ranks of a {@link Communicator}. A message consists of elements of one type,
 * and its receiver learns their number.
 *
 * <p><b>Matching.</b> A receive takes the oldest message of the same communicator, source and tag. A receive may accept
 * {@linkplain #ANY_RANK any rank} or {@linkplain #ANY_TAG any tag}. Messages of one rank that match the same receive
 * are received in the order of sending.
 *
 * <p><b>Threads.</b> Any number of threads of a rank may send and receive at once, also during a collective.
 *
 * <p><b>Memory ordering.</b> The writes that the sender made before the send are visible to the receiver once the
 * receive has returned.
 *
 * <p><b>Failure.</b> A call that cannot complete ends with {@link RankFailedException}, {@link
 * DeadlineExceededException}, {@link CallInterruptedException}, {@link JobAbortedException} or {@link
 * CommunicatorBrokenException}. The message of a send that has thrown is not received, and a receive that has thrown
 * has taken no message. Neither breaks the communicator.
 */
public abstract class Messenger {
    /** In place of the source of a receive: any rank of the communicator. */
    public static final int ANY_RANK = -1;

    /** In place of the tag of a receive: any tag. */
    public static final int ANY_TAG = -1;

    final ArrayViews<MemorySegment> segments;
    final ArrayViews<Span> booleans;

    Messenger(ArrayViews<MemorySegment> segments, ArrayViews<Span> booleans) {
        this.segments = segments;
        this.booleans = booleans;
    }

    /**
     * Sends a message, for Tutti's own implementation only.
     *
     * @param source the elements
     * @param type the type of the elements
     * @param target the rank that receives
     * @param tag the tag
     */
    protected abstract void sendMessage(MemorySegment source, DataType type, int target, int tag);

    /**
     * Receives a message, for Tutti's own implementation only.
     *
     * @param target the memory for the elements
     * @param type the type of the elements
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @param tag the tag, or {@link #ANY_TAG}
     * @param message receives the description of the message; may be null
     * @return the number of elements that have come
     */
    protected abstract long receiveMessage(MemorySegment target, DataType type, int source, int tag,
            @Nullable Message message);

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Sends elements to another rank, with tag 0. See {@link #send(Span, int, int)}.
     *
     * @param source the elements
     * @param target the rank that receives
     * @throws IllegalArgumentException if target is not a rank of the communicator
     */
    public void send(Span source, int target) {
        send(source, target, 0);
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Sends elements to another rank, or to this one. The call returns when this rank may use its memory again. A
     * message of up to 8 KiB on a node, or 3,968 bytes between nodes, is eager: the call does not wait for its receive.
     * It waits for the receive of a longer message, or if the target has 128 to 256 KiB of unreceived eager messages of
     * this rank. If the call ends with an exception, the message is not received.
     *
     * @param source the elements
     * @param target the rank that receives
     * @param tag the tag, 0 or more, by which the receiver can choose the message
     * @throws IllegalArgumentException if target is not a rank of the communicator, or the tag is negative
     */
    public void send(Span source, int target, int tag) {
        Arguments.checkUsable(source.segment(), "source");
        source.stage();
        sendMessage(source.segment(), source.type(), target, tag);
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Waits for a message of another rank, or of this one, and stores its elements.
     *
     * @param target the memory for the elements, with room for as many as come or more
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @param tag the tag, or {@link #ANY_TAG}
     * @return the number of elements that have come; the rest of the memory is unchanged
     * @throws IllegalArgumentException if source is not a rank of the communicator, or the tag is negative[, or the
     *             memory is read-only|]
     * @throws MessageMismatchException if the message has elements of another type, or too many
     */
    public long receive(Span target, int source, int tag) {
        return receive(target, source, tag, null);
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Waits for a message of another rank, or of this one, stores its elements, and describes it.
     *
     * @param target the memory for the elements, with room for as many as come or more
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @param tag the tag, or {@link #ANY_TAG}
     * @param message receives the source, the tag and the number of elements; may be null
     * @return the number of elements that have come; the rest of the memory is unchanged
     * @throws IllegalArgumentException if source is not a rank of the communicator, or the tag is negative[, or the
     *             memory is read-only|]
     * @throws MessageMismatchException if the message has elements of another type, or too many
     */
    public long receive(Span target, int source, int tag, @Nullable Message message) {
        Arguments.checkUsable(target.segment(), "target");
        Arguments.checkWritable(target.segment());
        target.stage();
        long count = receiveMessage(target.segment(), target.type(), source, tag, message);
        target.unstage();
        return count;
    }
}
