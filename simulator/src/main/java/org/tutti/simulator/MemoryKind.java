/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

/** Where a caller has its elements. */
enum MemoryKind {
    /** In an array: lent by reference, to ranks of the same process. */
    HEAP("on the heap"),
    /** In native memory of its own: lent likewise; and other nodes may be invited to it. */
    NATIVE("in its own memory"),
    /** In the memory of the node: lent by its address, to ranks of other processes, too. */
    SHARED("in the memory of the node");

    private final String description;

    MemoryKind(String description) {
        this.description = description;
    }

    String description() {
        return description;
    }
}
