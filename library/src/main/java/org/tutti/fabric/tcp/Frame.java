/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

/**
 * The header of a frame as fields in memory. A frame is the unit that a connection between two processes carries
 * ({@link FrameLayout}). One object is filled anew for every frame, so that frames allocate nothing.
 */
final class Frame {
    byte kind;
    byte flags;
    short operation;
    int length;
    long number;
    long count;
    long region;
    long offset;
    long word;
    long value;
    long tag;

    /** Sets the kind of the frame, sets all other fields to 0, and returns this frame. */
    Frame of(byte newKind) {
        kind = newKind;
        flags = 0;
        operation = 0;
        length = 0;
        number = 0;
        count = 0;
        region = 0;
        offset = 0;
        word = 0;
        value = 0;
        tag = 0;
        return this;
    }

    void copyFrom(Frame other) {
        kind = other.kind;
        flags = other.flags;
        operation = other.operation;
        length = other.length;
        number = other.number;
        count = other.count;
        region = other.region;
        offset = other.offset;
        word = other.word;
        value = other.value;
        tag = other.tag;
    }

    boolean has(byte flag) {
        return (flags & flag) != 0;
    }
}
