/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.window;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.Areas;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.operation.Operation;
import org.tutti.collective.operation.OperationWait;
import org.tutti.collective.operation.TeamContext;
import org.tutti.memory.Memory;

/**
 * Takes and finds the windows of the current operation. A window is memory for longer data. An operation has up to two
 * windows: one in which this rank shows data to its node, and an inbox, into which the masters of other nodes put long
 * messages. A master is the first rank of a node. The operation takes each window from the rank's {@link WindowPool}
 * when it needs it, and gives it back when this rank leaves the operation. A team has one such object, for all its
 * operations.
 *
 * <p>An inbox that no other rank of the node reads has {@value #INBOX_BYTES} bytes. An inbox that all ranks of the node
 * read may be longer. A team shares an inbox only when the last operation in which it shared one is closed, that is,
 * left by all ranks of the node. If the inbox is longer than {@value #INBOX_BYTES} bytes, the operation {@link
 * WindowPool#LONG_AT_ONCE_MAX} before must be closed, too.
 */
public final class OperationWindows {
    /** The length of an inbox that no other rank of the node reads, in bytes. */
    public static final long INBOX_BYTES = 512 << 10;

    /**
     * The greatest number of bytes of data that fit into the payload of a READY line if the addresses of a window and
     * of the inbox are there, too.
     */
    private static final long IN_LINE_BYTES = RingLayout.PAYLOAD_BYTES - 2 * Long.BYTES;
    private static final long INBOX_ADDRESS = RingLayout.PAYLOAD + RingLayout.PAYLOAD_BYTES - Long.BYTES;
    private static final long NEVER = -1;

    private final Machine machine;
    private final Memory memory;
    private final MemorySegment ring;
    private final int localRank;
    private final Operation operation;
    private final OperationWait waiting;
    private final WindowPool pool;
    private final Area own = new Area();
    private final Areas found = new Areas();
    private Window shown; // null while the operation has shown nothing that is longer than a line
    private Window inbox; // null while the operation has needed none
    private long inboxLastShared = NEVER;

    /** Creates the windows of a team, which has taken none. */
    public OperationWindows(TeamContext context, Operation operation, OperationWait waiting, WindowPool pool) {
        this.machine = context.machine;
        this.memory = context.memory;
        this.ring = context.ring;
        this.localRank = context.localRank;
        this.operation = operation;
        this.waiting = waiting;
        this.pool = pool;
    }

    // ---- memory that ranks of the node show each other

    private long payload(int local) {
        return operation.cell(local) + RingLayout.PAYLOAD;
    }

    /**
     * Takes memory in which this rank will show data to the other ranks of its node, which know the length of the data.
     * If the data fit, the memory is the payload of this rank's READY line, the bytes beside its READY word. Otherwise
     * the memory is a window.
     *
     * @param bytes the length of the data, 0 or more
     * @param windowsMax the greatest number of windows of the rank's window ring that may be in use, this one included
     */
    public Area show(long bytes, int windowsMax) {
        if (bytes <= RingLayout.PAYLOAD_BYTES) {
            own.set(ring, payload(localRank));
        } else {
            showWindow(bytes, windowsMax);
        }
        return own;
    }

    private void showWindow(long bytes, int windowsMax) {
        assert shown == null : operation + " shows " + bytes + " bytes, and has shown before";
        shown = pool.take(bytes, windowsMax, waiting);
        assert bytes <= shown.segment().byteSize() - shown.start() : bytes + " bytes are shown at " + shown.start()
                + " of a window of " + shown.segment().byteSize();
        own.set(shown.segment(), shown.start());
        machine.storePlain(ring, payload(localRank), shown.address());
    }

    /**
     * Finds the memory in which a rank of this node shows data.
     *
     * @param other the local rank of that rank, its index on the node
     * @param bytes the length of the data, which both ranks know
     */
    public Area shown(int other, long bytes) {
        if (other == localRank) {
            return own;
        }
        long payload = payload(other);
        return bytes <= RingLayout.PAYLOAD_BYTES ? found.next(ring, payload) : at(machine.loadPlain(ring, payload));
    }

    private Area at(long address) {
        assert address > 0 : operation + " looks for a window at address " + address;
        return found.next(memory.around(address), memory.offset(address));
    }

    /**
     * Takes memory in which this rank will show data to its node. Only this rank knows the length of the data. This
     * rank's READY line, the cache line with its READY word, tells other ranks whether the data are in the line itself
     * or in a window.
     */
    public Area showVarying(long bytes) {
        if (bytes <= IN_LINE_BYTES) {
            long payload = payload(localRank);
            machine.storePlain(ring, payload, 0);
            own.set(ring, payload + Long.BYTES);
        } else {
            showWindow(bytes, Integer.MAX_VALUE);
        }
        return own;
    }

    /** Finds the memory that a rank of this node shows by {@link #showVarying}. */
    public Area shownVarying(int other) {
        long payload = payload(other);
        long address = machine.loadPlain(ring, payload);
        return address == 0 ? found.next(ring, payload + Long.BYTES) : at(address);
    }

    // ---- memory that other nodes put into

    /**
     * Takes an inbox of {@value #INBOX_BYTES} bytes for the current operation, unless the operation has one. No other
     * rank of the node reads it.
     */
    public MemorySegment inbox() {
        if (inbox == null) {
            inbox = pool.takeBlock(INBOX_BYTES, machine);
        }
        assert inbox.segment().byteSize() >= INBOX_BYTES : "the inbox is shared with " + inbox.segment().byteSize()
                + " bytes, and taken with " + INBOX_BYTES;
        return inbox.segment();
    }

    /**
     * Takes an inbox for the current operation that the other ranks of the node read too, and announces its address to
     * them. Only the master calls this method, before it invites another node to put into the inbox.
     */
    public void tellInbox(long bytes) {
        machine.storePlain(ring, operation.cell(TeamContext.MASTER) + INBOX_ADDRESS, sharedInbox(bytes));
    }

    /**
     * Sets an area to an offset in the inbox of this node's master. A rank may call this method only when a piece of a
     * message has come to the inbox, because the master has announced the address of the inbox before that.
     */
    public void findInbox(Area area, long at) {
        long address = machine.loadPlain(ring, operation.cell(TeamContext.MASTER) + INBOX_ADDRESS);
        assert address > 0 && at >= 0 : operation + " looks for the inbox at address " + address + ", byte " + at;
        area.set(memory.around(address), memory.offset(address) + at);
    }

    private long sharedInbox(long bytes) {
        if (inboxLastShared != operation.sequence) {
            waiting.awaitClosed(inboxLastShared);
            inboxLastShared = operation.sequence;
        }
        if (inbox == null) {
            if (bytes > INBOX_BYTES) {
                waiting.awaitClosed(operation.sequence - WindowPool.LONG_AT_ONCE_MAX);
            }
            inbox = pool.takeBlock(bytes, machine);
        }
        assert inbox.segment().byteSize() >= bytes : "the inbox was taken with " + inbox.segment().byteSize()
                + " bytes, and is shared with " + bytes;
        return inbox.address();
    }

    /**
     * Returns the window that the current operation has in a given segment, or null if the segment holds none of its
     * windows.
     */
    public Window windowOf(MemorySegment segment) {
        return inbox != null && segment.equals(inbox.segment()) ? inbox
                : shown != null && segment.equals(shown.segment()) ? shown : null;
    }

    /**
     * Ends the right of other nodes to put into the operation's windows. A failed operation calls this method before it
     * gives the windows back.
     */
    public void revoke() {
        if (inbox != null) {
            inbox.revoke(machine);
        }
        if (shown != null) {
            shown.revoke(machine);
        }
    }

    /**
     * Gives the windows of the operation back to the rank's pool. The pool hands a window out again when all ranks of
     * the node have left the operation, or immediately if no other rank reads the window.
     */
    public void giveBack() {
        if (shown != null) {
            pool.giveBack(shown, true, waiting);
            shown = null;
        }
        if (inbox != null) {
            pool.giveBack(inbox, inboxLastShared == operation.sequence, waiting);
            inbox = null;
        }
    }
}
