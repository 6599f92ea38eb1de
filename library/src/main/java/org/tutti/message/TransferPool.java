/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.ArrayDeque;

import org.tutti.collective.machine.Machine;
import org.tutti.memory.Memory;

/**
 * The blocks of a rank for transfers to ranks of its node. There are as many as calls have offered messages at the same
 * time. Any number of threads may use this class.
 */
final class TransferPool {
    private final Machine machine;
    private final Memory memory;
    private final ArrayDeque<Transfer> spares = new ArrayDeque<>();

    TransferPool(Machine machine, Memory memory) {
        this.machine = machine;
        this.memory = memory;
    }

    /** Returns a block for one transfer. */
    synchronized Transfer take() {
        Transfer spare = spares.poll();
        return spare != null ? spare : new Transfer(machine, memory);
    }

    /** Puts back the block of a transfer that is complete. */
    synchronized void putBack(Transfer transfer) {
        spares.push(transfer);
    }
}
