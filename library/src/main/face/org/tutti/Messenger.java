/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Optional;

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

    private static final ThreadLocal<Scalars> SCALARS = ThreadLocal.withInitial(Scalars::new);

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
     * @param isSynchronous whether the call waits until a receive has matched the message
     */
    protected abstract void sendMessage(MemorySegment source, DataType type, int target, int tag,
            boolean isSynchronous);

    /**
     * Sends a message and waits for another one, for Tutti's own implementation only.
     *
     * @param source the elements to send
     * @param sourceType their type
     * @param to the rank that receives them
     * @param target the memory for the elements that come
     * @param targetType their type
     * @param from the rank that sends them, or {@link #ANY_RANK}
     * @param tag the tag of both messages
     * @return the number of elements that have come
     */
    protected abstract long exchangeMessages(MemorySegment source, DataType sourceType, int to, MemorySegment target,
            DataType targetType, int from, int tag);

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
     * message of up to 8 KiB on a node, or 61,408 bytes between nodes (3,968 with several rails), is eager: the call
     * does not wait for its receive. It waits for the receive of a longer message, or if the target has 128 to 256 KiB
     * of unreceived eager messages of this rank. If the call ends with an exception, the message is not received.
     *
     * @param source the elements
     * @param target the rank that receives
     * @param tag the tag, 0 or more, by which the receiver can choose the message
     * @throws IllegalArgumentException if target is not a rank of the communicator, or the tag is negative
     */
    public void send(Span source, int target, int tag) {
        Arguments.checkUsable(source.segment(), "source");
        source.stage();
        sendMessage(source.segment(), source.type(), target, tag, false);
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

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Sends elements as {@link #send([Span|ARRAY], int, int)} does, but waits until a receive has matched the message.
     *
     * @param source the elements
     * @param target the rank that receives
     * @param tag the tag, 0 or more, by which the receiver can choose the message
     * @throws IllegalArgumentException if target is not a rank of the communicator, or the tag is negative
     */
    public void sendSynchronous(Span source, int target, int tag) {
        Arguments.checkUsable(source.segment(), "source");
        source.stage();
        sendMessage(source.segment(), source.type(), target, tag, true);
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Sends elements to a rank, and receives elements of a rank, at the same time. All ranks of a ring can make this
     * call at once, whatever the lengths. The two ranks may be the same, and the other rank may make a send and a
     * receive instead. If the call ends with an exception, one of the two messages may have been transferred.
     *
     * @param source the elements to send, in memory that all threads can access
     * @param to the rank that receives them
     * @param target the memory for the elements that come, with room for as many or more, apart from the source
     * @param from the rank that sends them, or {@link #ANY_RANK}
     * @param tag the tag of both messages, 0 or more
     * @return the number of elements that have come; the rest of the memory is unchanged
     * @throws IllegalArgumentException if one of the ranks is not in the communicator, or the tag is negative[, or the
     *             target is read-only|]
     * @throws MessageMismatchException if the message has elements of another type, or too many
     */
    public long exchange(Span source, int to, Span target, int from, int tag) {
        Arguments.checkShareable(source.segment(), "source");
        Arguments.checkUsable(target.segment(), "target");
        Arguments.checkWritable(target.segment());
        source.stage();
        target.stage();
        long count = exchangeMessages(source.segment(), source.type(), to, target.segment(), target.type(), from, tag);
        target.unstage();
        return count;
    }

    // ---- messages of unknown length

    /**
     * Waits for a message, and takes it out of the queue, so that no other receive gets it. The elements can be
     * received when memory for them is there. The sender of a message that is not eager waits until then.
     *
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @param tag the tag, or {@link #ANY_TAG}
     * @return the message
     * @throws IllegalArgumentException if source is not a rank of the communicator, or the tag is negative
     */
    public abstract FoundMessage probe(int source, int tag);

    /**
     * Takes a message out of the queue in the same way as {@link #probe}, if one has come. This method does not wait.
     *
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @param tag the tag, or {@link #ANY_TAG}
     * @return the message; empty if none has come
     * @throws IllegalArgumentException if source is not a rank of the communicator, or the tag is negative
     */
    public abstract Optional<FoundMessage> tryProbe(int source, int tag);

    /**
     * Sends an object as the bytes that a codec makes of it.
     *
     * @param <T> the class of the object
     * @param value the object
     * @param codec converts the object to bytes
     * @param target the rank that receives
     * @param tag the tag, 0 or more
     * @throws IllegalArgumentException if target is not a rank of the communicator, or the tag is negative, or the
     *             codec tells a negative number of bytes, or more than {@link Integer#MAX_VALUE}
     */
    public <T> void send(T value, Codec<T> codec, int target, int tag) {
        long bytes = codec.bytes(value);
        if (bytes < 0 || bytes > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("the codec needs " + bytes + " bytes for an object; a message of an "
                    + "object has 0 to " + Integer.MAX_VALUE);
        }
        MemorySegment segment = aligned(bytes);
        codec.write(value, segment);
        sendMessage(segment, DataType.BYTE, target, tag, false);
    }

    /**
     * Waits for a message, and converts its bytes to an object.
     *
     * @param <T> the class of the object
     * @param codec converts bytes to the object
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @param tag the tag, or {@link #ANY_TAG}
     * @return the object
     * @throws IllegalArgumentException if source is not a rank of the communicator, or the tag is negative
     * @throws MessageMismatchException if the message has elements of another type than byte
     */
    public <T> T receive(Codec<T> codec, int source, int tag) {
        Objects.requireNonNull(codec, "codec");
        while (true) {
            FoundMessage found = probe(source, tag);
            MemorySegment segment;
            try {
                segment = aligned(found.count());
                found.receiveMessage(segment, DataType.BYTE);
            } catch (MessageWithdrawnException _) {
                continue; // the next message may be there
            } catch (Throwable failure) {
                found.drop();
                throw failure;
            }
            return codec.read(segment);
        }
    }

    private static MemorySegment aligned(long bytes) {
        return MemorySegment.ofArray(new long[(int) ((bytes + Long.BYTES - 1) / Long.BYTES)]).asSlice(0, bytes);
    }

    // ---- neighbours

    /**
     * Creates a communicator whose ranks are the places of a grid, with calls between neighbours. This is a collective
     * call. It consists of an allreduce of 16 bytes for each dimension, a {@link Communicator#split} and a {@link
     * Communicator#duplicate}.
     *
     * <p>The ranks get new numbers if more neighbours are then on the same node. If all nodes have the same number of
     * ranks, and boxes of that size divide the grid, each node gets a box, of the shape with the fewest links between
     * nodes. Otherwise the ranks keep their order.
     *
     * @param dimensions the length of each dimension, 1 or more; the same at every rank. The product is the number of
     *            ranks. {@link CartesianCommunicator#balanced} computes such lengths
     * @param isPeriodic for each dimension whether its last place is a neighbour of its first; the same at every rank
     * @return the grid, to be {@linkplain CartesianCommunicator#close closed}; it uses the job's algorithms and has no
     *         deadline. A deadline of this view limits only this call
     * @throws IllegalArgumentException if the product of the dimensions is not the number of ranks, a dimension is less
     *             than 1, there is not one element of isPeriodic for each dimension, or the arguments of two ranks
     *             differ; in the last case at every rank
     * @throws CollectiveMismatchException if two ranks pass different numbers of dimensions
     */
    public CartesianCommunicator cartesian(int[] dimensions, boolean[] isPeriodic) {
        return CartesianCommunicator.of(communicator(), dimensions, isPeriodic);
    }

    /**
     * Creates a communicator in which each rank names its neighbours, with calls between neighbours. The ranks keep
     * their numbers. This is a collective call. It consists of an all-to-all of 4 bytes for each pair of ranks, an
     * allreduce of 8 bytes, and two calls of {@link Communicator#duplicate}.
     *
     * @param sources the ranks from which this rank receives; may contain this rank, and a rank several times
     * @param targets the ranks to which this rank sends; may contain this rank, and a rank several times
     * @return the graph, to be {@linkplain GraphCommunicator#close closed}; it uses the job's algorithms and has no
     *         deadline. A deadline of this view limits only this call
     * @throws IllegalArgumentException if a neighbour is not a rank of the communicator; or, at every rank, if a rank
     *             names a neighbour as its target more often or less often than the neighbour names it as a source
     */
    public GraphCommunicator graph(int[] sources, int[] targets) {
        return GraphCommunicator.of(communicator(), sources, targets);
    }

    private Communicator communicator() {
        return (Communicator) this; // no other class can extend this one
    }

    // ---- messages of one element

    // also with int, double
    /**
     * Sends one number to another rank, with tag 0. See {@link #send(Span, int, int)}.
     *
     * @param value the number
     * @param target the rank that receives
     * @throws IllegalArgumentException if target is not a rank of the communicator
     */
    public void send(long value, int target) {
        send(value, target, 0);
    }

    // also with int, double
    /**
     * Sends one number to another rank. See {@link #send(Span, int, int)}.
     *
     * @param value the number
     * @param target the rank that receives
     * @param tag the tag, 0 or more
     * @throws IllegalArgumentException if target is not a rank of the communicator, or the tag is negative
     */
    public void send(long value, int target, int tag) {
        send(SCALARS.get().of(value), target, tag);
    }

    /**
     * Waits for a message with tag 0 that has one element, and returns the element.
     *
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @return the element
     * @throws IllegalArgumentException if source is not a rank of the communicator
     * @throws MessageMismatchException if the message has elements of another type, or not one
     */
    public long receiveLong(int source) {
        return receiveLong(source, 0);
    }

    /**
     * Waits for a message that has one element, and returns the element.
     *
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @param tag the tag, or {@link #ANY_TAG}
     * @return the element
     * @throws IllegalArgumentException if source is not a rank of the communicator, or the tag is negative
     * @throws MessageMismatchException if the message has elements of another type, or not one
     */
    public long receiveLong(int source, int tag) {
        Scalars scalars = SCALARS.get();
        requireOne(receive(scalars.of(0L), source, tag));
        return scalars.longs[0];
    }

    /**
     * Waits for a message with tag 0 that has one element, and returns the element.
     *
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @return the element
     * @throws IllegalArgumentException if source is not a rank of the communicator
     * @throws MessageMismatchException if the message has elements of another type, or not one
     */
    public int receiveInt(int source) {
        return receiveInt(source, 0);
    }

    /**
     * Waits for a message that has one element, and returns the element.
     *
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @param tag the tag, or {@link #ANY_TAG}
     * @return the element
     * @throws IllegalArgumentException if source is not a rank of the communicator, or the tag is negative
     * @throws MessageMismatchException if the message has elements of another type, or not one
     */
    public int receiveInt(int source, int tag) {
        Scalars scalars = SCALARS.get();
        requireOne(receive(scalars.of(0), source, tag));
        return scalars.ints[0];
    }

    /**
     * Waits for a message with tag 0 that has one element, and returns the element.
     *
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @return the element
     * @throws IllegalArgumentException if source is not a rank of the communicator
     * @throws MessageMismatchException if the message has elements of another type, or not one
     */
    public double receiveDouble(int source) {
        return receiveDouble(source, 0);
    }

    /**
     * Waits for a message that has one element, and returns the element.
     *
     * @param source the rank that sends, or {@link #ANY_RANK}
     * @param tag the tag, or {@link #ANY_TAG}
     * @return the element
     * @throws IllegalArgumentException if source is not a rank of the communicator, or the tag is negative
     * @throws MessageMismatchException if the message has elements of another type, or not one
     */
    public double receiveDouble(int source, int tag) {
        Scalars scalars = SCALARS.get();
        requireOne(receive(scalars.of(0.0), source, tag));
        return scalars.doubles[0];
    }

    private static void requireOne(long count) {
        if (count != 1) {
            throw new MessageMismatchException("the message has no element, but the receive is for one; send one "
                    + "element, or receive into an array");
        }
    }
}
