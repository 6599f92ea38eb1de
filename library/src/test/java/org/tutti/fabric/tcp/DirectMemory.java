/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** The direct memory of this JVM. */
final class DirectMemory {
    private DirectMemory() {}

    /** Returns the number of bytes of all direct buffers. Buffers that are garbage count, too. */
    static long bytes() {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct")).findFirst().orElseThrow().getMemoryUsed();
    }

    /**
     * Collects garbage and returns the number of bytes of the direct buffers. A collection frees no buffer itself.
     * Another thread does so later, and the number stands still when the thread is done.
     */
    static long bytesInUse() throws InterruptedException {
        long before = -1;
        for (long bytes = collect(); bytes != before; bytes = collect()) {
            before = bytes;
        }
        return before;
    }

    private static long collect() throws InterruptedException {
        System.gc();
        Thread.sleep(20);
        return bytes();
    }
}
