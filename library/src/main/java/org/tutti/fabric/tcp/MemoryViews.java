/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;

/**
 * A cache of buffers that view native memory, for reads and writes of channels. Each memory has several views, each
 * with its own position and limit.
 *
 * <p>The views of the last two memories are kept, because calls use their source and their target in turn. The cache
 * holds the views by weak references, because a view keeps the memory of an automatic arena alive.
 */
final class MemoryViews {
    private final int count;
    private WeakReference<Views> last = new WeakReference<>(null);
    private WeakReference<Views> lastBefore = new WeakReference<>(null);

    /**
     * Creates an empty cache.
     *
     * @param count the number of views of a memory that are needed at the same time
     */
    MemoryViews(int count) {
        this.count = count;
    }

    /** The views of one memory. */
    private static final class Views {
        private final ByteBuffer[] buffers;
        private final MemorySegment.Scope scope;
        private final long address;
        private final long bytes;

        Views(MemorySegment memory, int count) {
            scope = memory.scope();
            address = memory.address();
            bytes = memory.byteSize();
            buffers = new ByteBuffer[count];
            buffers[0] = memory.asByteBuffer();
            for (int i = 1; i < count; i++) {
                buffers[i] = buffers[0].duplicate();
            }
        }

        /**
         * Returns whether these are views of exactly this memory. The scope is compared, too, because the address of
         * freed memory may belong to other memory.
         */
        boolean areOf(MemorySegment memory) {
            return memory.address() == address && memory.byteSize() == bytes && memory.scope().equals(scope);
        }
    }

    /** Returns whether memory can be viewed, because it is native and at most {@link Integer#MAX_VALUE} bytes long. */
    static boolean arePossible(MemorySegment memory) {
        return memory.isNative() && memory.byteSize() <= Integer.MAX_VALUE;
    }

    /** {@return the views of a memory; as long as a view is reachable, it keeps the memory alive} */
    ByteBuffer[] of(MemorySegment memory) {
        Views views = last.get();
        if (views != null && views.areOf(memory)) {
            return views.buffers;
        }
        WeakReference<Views> before = lastBefore;
        views = before.get();
        if (views == null || !views.areOf(memory)) {
            views = new Views(memory, count);
            before = new WeakReference<>(views);
        }
        lastBefore = last;
        last = before;
        return views.buffers;
    }
}
