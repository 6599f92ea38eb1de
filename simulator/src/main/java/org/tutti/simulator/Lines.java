/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.HashMap;
import java.util.Map;

/**
 * Which cores have which bytes of the nodes' memories in their caches, in a predicted run: whoever reads has them as
 * well, whoever writes has them alone. Caches never overflow. Kept for blocks of {@value #BLOCK_BYTES} bytes, and 64
 * cores; a memory of one node is used by the cores of one host.
 */
final class Lines {
    private static final int BLOCK_BYTES = 1 << 10;

    private final long privateStart;
    private final Map<Long, Long> holders = new HashMap<>();

    /**
     * @param nodes how many nodes there are; what lies above their memories belongs to one rank, and never crosses
     */
    Lines(int nodes) {
        this.privateStart = SymbolicMemory.start(nodes);
    }

    /** {@return how many of the bytes that a core reads come from another one} */
    long read(int core, long address, long bytes) {
        return use(core, address, bytes, false);
    }

    /** {@return how many of the bytes that a core writes another one has} */
    long write(int core, long address, long bytes) {
        return use(core, address, bytes, true);
    }

    private long use(int core, long address, long bytes, boolean writes) {
        if (address >= privateStart) {
            return 0;
        }
        long mine = 1L << core;
        long crossing = 0;
        for (long at = address; at < address + bytes;) {
            long block = at / BLOCK_BYTES;
            long end = Math.min(address + bytes, (block + 1) * BLOCK_BYTES);
            long held = holders.getOrDefault(block, mine);
            crossing += (writes ? held != mine : (held & mine) == 0) ? end - at : 0;
            holders.put(block, writes ? mine : held | mine);
            at = end;
        }
        return crossing;
    }
}
