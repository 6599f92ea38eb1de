/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

/** The memory in which a caller has its elements. */
enum MemoryKind {
    /** An array. It is lent by reference to ranks of the same process. */
    HEAP("on the heap"),
    /**
     * Native memory of the process. It is lent by reference to ranks of the same process, and other nodes may be
     * invited to it.
     */
    NATIVE("in its own memory"),
    /** The shared memory of the node. It is lent by its address, also to ranks of other processes. */
    SHARED("in the memory of the node");

    private final String description;

    MemoryKind(String description) {
        this.description = description;
    }

    String description() {
        return description;
    }
}
