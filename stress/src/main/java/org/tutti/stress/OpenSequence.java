/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.stress;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.memory.Waiter;

/** A rank's operation sequence, for several threads of the rank. */
final class OpenSequence {
    private static final Machine MACHINE = new LiveMachine(new Waiter(true));

    private final OperationSequence operations;

    /**
     * @param memory the memory of the rank's left word
     * @param left the offset of the word
     * @param nodes the number of nodes of the communicator
     */
    OpenSequence(MemorySegment memory, long left, int nodes) {
        this.operations = new OperationSequence(HealthyMembers.INSTANCE, memory, left, new int[1], 0, nodes);
        operations.expectOtherThreads();
    }

    /**
     * Notes that the rank has left an operation.
     *
     * @param operation its number
     */
    void leave(long operation) {
        operations.leave(MACHINE, operation);
    }

    /** {@return the number below which all operations are closed} */
    long closed() {
        return operations.closed();
    }

    /**
     * Notes that operations are closed.
     *
     * @param operation the number below which all are closed
     */
    void setClosed(long operation) {
        operations.setClosed(operation);
    }

    /**
     * Returns the operations that another node has left.
     *
     * @param node the node
     * @return the number below which it has left all operations
     */
    long leftElsewhere(int node) {
        return operations.leftElsewhere(node);
    }

    /**
     * Notes that another node has left operations.
     *
     * @param node the node
     * @param operation the number below which all are left
     */
    void raiseLeftElsewhere(int node, long operation) {
        operations.raiseLeftElsewhere(MACHINE, node, operation);
    }

    /**
     * Notes that all nodes have left operations.
     *
     * @param operation the number below which all are left
     */
    void raiseLeftEverywhere(long operation) {
        operations.raiseLeftEverywhere(operation);
    }
}
