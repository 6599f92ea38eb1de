/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import org.tutti.collective.machine.Machine;
import org.tutti.memory.Memory;

/**
 * The transfers of long messages between a rank and the ranks of its node, in both directions. {@link FarMessages} has
 * those of other nodes.
 */
final class NodeTransfers {
    /** The most long messages of a rank to its node at a time, each of which has a block of the node's memory. */
    static final int OUTGOING_MAX = 2 * MessagesInFlight.COUNT_MAX;

    private final Machine machine;
    private final Memory memory;
    private final int rank;
    private final Pool<OutgoingTransfer> outgoing = new Pool<>(this::makeOutgoing, OUTGOING_MAX);
    private final Queue<OutgoingTransfer> failed = new ConcurrentLinkedQueue<>(); // until their receivers end them
    private int made;

    /**
     * Begins without a transfer.
     *
     * @param machine the access to memory
     * @param memory the shared memory of the node
     * @param rank this rank, a rank of the job
     */
    NodeTransfers(Machine machine, Memory memory, int rank) {
        this.machine = machine;
        this.memory = memory;
        this.rank = rank;
    }

    /** The pool makes one at a time, and keeps all of them. */
    private OutgoingTransfer makeOutgoing() {
        for (int left = failed.size(); left > 0; left--) {
            OutgoingTransfer oldest = failed.remove();
            if (oldest.isEndedByReceiver()) {
                return oldest;
            }
            failed.add(oldest);
        }
        if (made == OUTGOING_MAX) {
            throw new IllegalStateException("rank " + rank + " of the job has " + OUTGOING_MAX
                    + " long messages to ranks of its node under way, which is the limit; let these ranks receive some "
                    + "of them before the next send");
        }
        var transfer = new OutgoingTransfer(machine, memory);
        made++;
        return transfer;
    }

    /** Returns the transfers that are ready for messages of this rank. */
    Pool<OutgoingTransfer> outgoing() {
        return outgoing;
    }

    // ---- sending

    /** Waits until a receive has matched an offered message, and hands over the payload. */
    void handOver(Send send) {
        OutgoingTransfer transfer = send.transfer();
        try {
            machine.await(transfer.memory(), transfer.awaitedWord(), transfer.number() + 1, send.check);
        } catch (Throwable failure) {
            if (withdraw(send)) {
                throw failure;
            }
        }
        send.check.beginTransfer();
        try {
            while (!advance(send)) {
                send.check.awaitTransfer(machine, transfer.memory(), transfer.awaitedWord(), transfer.awaitedValue());
            }
        } finally {
            end(send);
        }
    }

    /** Ends a send. If the payload is not handed over, the receiver looks for another message. */
    void end(Send send) {
        OutgoingTransfer transfer = send.transfer();
        if (transfer != null) {
            send.setTransfer(null);
            transfer.fail();
            failed.add(transfer);
        }
    }

    /** Hands over as much of a payload as is possible without waiting. Returns whether the send is complete. */
    boolean advance(Send send) {
        OutgoingTransfer transfer = send.transfer();
        boolean isComplete = transfer.advance(send.source());
        if (isComplete) {
            putBack(send);
        }
        return isComplete;
    }

    /** Withdraws an offered message. Returns false if a receive has matched it. */
    boolean withdraw(Send send) {
        boolean isWithdrawn = send.transfer().withdraw();
        if (isWithdrawn) {
            putBack(send);
        }
        return isWithdrawn;
    }

    private void putBack(Send send) {
        outgoing.putBack(send.transfer());
        send.setTransfer(null);
    }

    // ---- receiving

    /** Returns whether the sender has withdrawn the offer that has matched a receive. */
    boolean isWithdrawn(Receive receive) {
        return IncomingTransfer.isWithdrawn(machine, memory, receive.transfer(), receive.transferNumber());
    }

    /** Begins to take the payload. Returns false if the sender has withdrawn the message. */
    boolean begin(Receive receive) {
        return receive.incoming().begin(machine, memory, receive);
    }

    /** Takes the payload. Returns false if the sender has withdrawn the message. */
    boolean fetch(Receive receive) {
        if (!begin(receive)) {
            return false;
        }
        IncomingTransfer incoming = receive.incoming();
        boolean isOver = incoming.advance();
        while (!isOver) {
            boolean isThere = false;
            try {
                receive.check.awaitTransfer(machine, incoming.memory(), incoming.awaitedWord(),
                        incoming.awaitedValue());
                isThere = true;
            } finally {
                if (!isThere) {
                    incoming.end();
                }
            }
            isOver = incoming.advance();
        }
        return !incoming.hasFailed();
    }
}
