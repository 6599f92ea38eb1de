/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;

/**
 * Views of native memory for channels, some of each memory, with positions and limits of their own.
 *
 * <p>Those of two memories are kept, as calls send from their source and their target in turns; but only until the next
 * collection of garbage, as memory of an automatic arena is there for as long as its views are.
 */
final class MemoryViews {
    private final int count;
    private WeakReference<Views> last = new WeakReference<>(null);
    private WeakReference<Views> lastBefore = new WeakReference<>(null);

    /** @param count how many views of a memory are needed at the same time */
    MemoryViews(int count) {
        this.count = count;
    }

    /** Views of one memory. */
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

        /** Whether they are of just this memory; other memory may have its address once it has been freed. */
        boolean areOf(MemorySegment memory) {
            return memory.address() == address && memory.byteSize() == bytes && memory.scope().equals(scope);
        }
    }

    /** Whether there are views of a memory. */
    static boolean arePossible(MemorySegment memory) {
        return memory.isNative() && memory.byteSize() <= Integer.MAX_VALUE;
    }

    /** {@return the views of a memory, which keep it for as long as they are kept} */
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
