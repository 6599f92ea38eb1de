/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;

/**
 * A message that a probe has taken out of the queue ({@link Messenger#probe}). No other receive gets it. A program that
 * does not know the length or the type of a message asks this object, and then receives the elements. Any thread of the
 * rank may do so.
 */
public abstract class FoundMessage {
    private final ArrayViews<MemorySegment> segments = ArrayViews.segments(0);
    private final ArrayViews<Span> booleans = ArrayViews.booleans(0);
    private final int source;
    private final int tag;
    private final DataType type;
    private final long count;

    /**
     * Constructor for Tutti's own implementation only.
     *
     * @param source the rank that has sent the message
     * @param tag the tag
     * @param type the type of the elements
     * @param count the number of elements
     */
    protected FoundMessage(int source, int tag, DataType type, long count) {
        this.source = source;
        this.tag = tag;
        this.type = type;
        this.count = count;
    }

    /** {@return the rank of the communicator that has sent the message} */
    public int source() {
        return source;
    }

    /** {@return the tag} */
    public int tag() {
        return tag;
    }

    /** {@return the type of the elements} */
    public DataType type() {
        return type;
    }

    /** {@return the number of elements} */
    public long count() {
        return count;
    }

    // also for boolean[], byte[], char[], short[], int[], long[], float[], double[]
    /**
     * Receives the elements. A message can be received once.
     *
     * @param target the memory for the elements, with room for {@link #count} or more
     * @return the number of elements; the rest of the memory is unchanged
     * @throws IllegalStateException if the message has been received
     * @throws MessageMismatchException if the message has elements of another type, or too many. The message can then
     *             still be received
     * @throws MessageWithdrawnException if the sender has withdrawn the message after the probe
     */
    public long receive(Span target) {
        Arguments.checkUsable(target.segment(), "target");
        Arguments.checkWritable(target.segment());
        target.stage();
        receiveMessage(target.segment(), target.type());
        target.unstage();
        return count();
    }

    /**
     * Receives the elements, for Tutti's own implementation only.
     *
     * @param target the memory for the elements
     * @param ofElements the type of the elements
     */
    protected abstract void receiveMessage(MemorySegment target, DataType ofElements);

    /** Drops the message, so that its sender goes on, for Tutti's own implementation only. */
    protected abstract void drop();

    @Override
    public String toString() {
        return "a message of rank " + source + " with tag " + tag + " and " + count + " elements of type " + type;
    }
}
