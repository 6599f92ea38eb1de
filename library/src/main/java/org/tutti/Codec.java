/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;

/**
 * Converts objects to bytes and back, so that a program can send them ({@link Messenger#send(Object, Codec, int,
 * int)}). Both ranks must use codecs that agree. An implementation must be safe for use by several threads if several
 * threads send or receive with it.
 *
 * @param <T> the class of the objects
 */
public interface Codec<T> {
    /**
     * {@return the number of bytes of an object}
     *
     * @param value the object
     */
    long bytes(T value);

    /**
     * Writes an object to memory.
     *
     * @param value the object
     * @param target the memory, with exactly {@link #bytes} bytes, aligned to 8 bytes
     */
    void write(T value, MemorySegment target);

    /**
     * Reads an object that {@link #write} has written.
     *
     * @param source the bytes of the object, aligned to 8 bytes. They may change after this method has returned
     * @return the object
     */
    T read(MemorySegment source);
}
