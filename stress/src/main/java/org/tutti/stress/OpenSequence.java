/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.memory.Waiter;

/** A rank's operation sequence, which several of its threads use. */
final class OpenSequence {
    private static final Machine MACHINE = new LiveMachine(new Waiter(true));

    private final OperationSequence operations;

    /**
     * @param memory where the rank's left word lies
     * @param left at which byte
     * @param nodes how many nodes the communicator has
     */
    OpenSequence(MemorySegment memory, long left, int nodes) {
        this.operations = new OperationSequence(HealthyMembers.INSTANCE, memory, left, new int[1], 0, nodes);
        operations.expectOtherThreads();
    }

    /**
     * Takes note that the rank has finished an operation.
     *
     * @param operation its number
     */
    void leave(long operation) {
        operations.leave(MACHINE, operation);
    }

    /**
     * {@return below which operation all are closed}
     */
    long closed() {
        return operations.closed();
    }

    /**
     * Takes note of what is closed.
     *
     * @param operation all operations below are
     */
    void setClosed(long operation) {
        operations.setClosed(operation);
    }

    /**
     * Tells which operations another node has left.
     *
     * @param node the node
     * @return all below
     */
    long leftElsewhere(int node) {
        return operations.leftElsewhere(node);
    }

    /**
     * Takes note of what another node has left.
     *
     * @param node the node
     * @param operation all operations below
     */
    void raiseLeftElsewhere(int node, long operation) {
        operations.raiseLeftElsewhere(MACHINE, node, operation);
    }

    /**
     * Takes note of what all nodes have left.
     *
     * @param operation all operations below
     */
    void raiseLeftEverywhere(long operation) {
        operations.raiseLeftEverywhere(operation);
    }
}
