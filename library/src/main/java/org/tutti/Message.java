/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * Describes a message that has been received: its source, its tag and the number of its elements. A program that
 * receives from any rank or with any tag passes an object, which the receive fills in. The object can be used again.
 */
public final class Message {
    private int source = Communicator.ANY_RANK;
    private int tag = Communicator.ANY_TAG;
    private long count;

    /** Creates an object that describes no message yet. */
    public Message() {
        // a receive fills it in
    }

    /**
     * Describes a message, for Tutti's own implementation only.
     *
     * @param ofSource the rank that has sent the message
     * @param ofTag the tag
     * @param ofCount the number of elements
     */
    public void set(int ofSource, int ofTag, long ofCount) {
        source = ofSource;
        tag = ofTag;
        count = ofCount;
    }

    /** {@return the rank of the communicator that has sent the message; {@link Communicator#ANY_RANK} before} */
    public int source() {
        return source;
    }

    /** {@return the tag of the message; {@link Communicator#ANY_TAG} before a message has been received} */
    public int tag() {
        return tag;
    }

    /** {@return the number of elements of the message} */
    public long count() {
        return count;
    }

    @Override
    public String toString() {
        return "a message of rank " + source + " with tag " + tag + " and " + count + " elements";
    }
}
