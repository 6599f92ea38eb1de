/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.operation.EagerBuffers;
import org.tutti.collective.operation.Operation;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.operation.OperationWait;
import org.tutti.collective.operation.StepWords;
import org.tutti.collective.operation.TeamContext;
import org.tutti.collective.window.OperationWindows;
import org.tutti.collective.window.Window;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Words;

/**
 * What goes between the masters of nodes in an operation, over the edges of its slot: what flows are made of.
 *
 * <p>Before the first put or signal of an operation to another node, the ranks there must have left the operation that
 * used the slot before. Who does not know that yet reads their left words, as inside a node: it gets them from there.
 * So every read of a slot's edges happens before the next operation's puts.
 *
 * <p><b>Meeting.</b> In the first operation of a group another node's block may not be there yet; puts to it come to
 * nothing, and nobody is told. So two nodes meet: each makes its block, puts a word to the other one, and waits for
 * that of the other. Of the two puts one arrives at least: if that of A is lost, B made its block after it had come, so
 * after A had made its own; and B puts later still. Who has heard of the other puts once more, unless it has put after
 * that already, and the other one's block is there, as it was before it put. A word says which of both it is: so who
 * knows from it that its own has come need not put again. Nothing is asked for, and nobody keeps a put for later.
 */
public final class Edges {
    /** What a node puts that has not heard of the other one. */
    private static final int HERE = 1;

    /** What a node puts that has. */
    public static final int MET = 2;

    private static final long UNKNOWN = Long.MIN_VALUE;

    private final TeamContext context;
    private final Operation operation;
    private final OperationWait waiting;
    private final OperationWindows windows;
    private final RendezvousOffers invitations;
    private final Machine machine;
    private final MemorySegment ring;
    private final RingLayout layout;
    private final OperationSequence operations;
    private final PutTarget putTarget = new PutTarget();

    private MemorySegment eagerBuffersHere;

    public Edges(TeamContext context, Operation operation, OperationWait waiting, OperationWindows windows,
            RendezvousOffers invitations) {
        this.context = context;
        this.operation = operation;
        this.waiting = waiting;
        this.windows = windows;
        this.invitations = invitations;
        this.machine = context.machine;
        this.ring = context.ring;
        this.layout = context.layout;
        this.operations = context.operations;
    }

    // ---- where things are

    /** Where the word lies, in the eager buffers or the communicator's block, that says what a flow has brought. */
    private long wordOf(Flow flow, int receivingEdge) {
        long slotIndex = operation.slotIndex();
        return flow.isEager ? layout.eagerArrived(slotIndex, receivingEdge) : layout.arrived(slotIndex, receivingEdge);
    }

    /** Where the places of a flow begin, counted from its word. */
    private long startOf(Flow flow) {
        return flow.isEager ? layout.eagerBuffer(flow.edge) : RingLayout.PAYLOAD;
    }

    private long creditOf(int edge) {
        return layout.credit(operation.slotIndex(), edge);
    }

    /** The block of this node in which the CREDIT word of an edge lies. */
    private MemorySegment creditsOf(int edge) {
        return layout.isPair(edge) ? eagerBuffersHere() : ring;
    }

    /** The handle of the block of another node in which the CREDIT word of an edge lies. */
    private long creditsAt(int otherNode, int edge) {
        return layout.isPair(edge) ? eagerBuffersOf(otherNode) : ringOf(otherNode);
    }

    /** Finds where the places of a flow to this node lie. */
    void findPlaces(Inflow flow, Area places) {
        places.set(flow.isEager ? eagerBuffersHere() : ring, wordOf(flow, flow.edge) + startOf(flow));
    }

    /** Finds the eager buffer of an edge of this node. */
    public void findEagerBuffer(int edge, Area eagerBuffer) {
        eagerBuffer.set(eagerBuffersHere(), layout.eagerArrived(operation.slotIndex(), edge) + RingLayout.EAGER_BUFFER);
    }

    /** The eager buffers of this node, when its master has claimed them. */
    private MemorySegment eagerBuffersHere() {
        if (eagerBuffersHere == null) {
            waiting.awaitWord(context.master(context.node), ring, RingLayout.EAGER_BUFFERS, 1);
            eagerBuffersHere = context.eagerBuffers.here(machine);
        }
        return eagerBuffersHere;
    }

    /** The handle of another node's eager buffers. A rank that lacks it asks the master there until that has them. */
    private long eagerBuffersOf(int other) {
        long handle = context.eagerBuffers.elsewhere(other);
        return handle != 0 ? handle : askForEagerBuffers(other);
    }

    private long askForEagerBuffers(int other) {
        waiting.flush();
        int asked = context.master(other);
        long look = OperationWait.NO_LOOK_YET;
        try (var wait = waiting.inTurns) {
            for (int turn = 0;; turn++) {
                waiting.awaitNothingOf(asked);
                Machine.Reply reply = context.get(asked, 0, Words.LINE_BYTES, waiting);
                if (reply == Machine.Reply.GONE) {
                    throw waiting.gone(asked);
                }
                if (reply == Machine.Reply.REFUSED) {
                    throw waiting.closed(asked);
                }
                long handle = EagerBuffers.handleIn(context.fetched, machine);
                if (handle != 0) {
                    context.eagerBuffers.setElsewhere(machine, other, handle);
                    return handle;
                }
                look = waiting.checkAndLook(look); // it may be in another call, which needs none
                wait.turn(waiting);
                machine.pause(turn);
            }
        }
    }

    /** The handle by which the master of another node lets others reach the communicator's block there. */
    private long ringOf(int otherNode) {
        return context.endpoints.ring(context.master(otherNode));
    }

    // ---- what goes out

    /**
     * Puts bytes of a flow's next piece into its place at another node, and says so: who awaits the piece there finds
     * them.
     */
    void put(Outflow flow, Area source, long sourceOffset, long offset, long bytes) {
        long at = source.start() + sourceOffset;
        assert source.holds(sourceOffset, bytes) : flow + " puts " + bytes + " bytes at " + sourceOffset + " of "
                + source;
        if (!flow.invites) {
            putAndRaise(flow, startOf(flow) + flow.place() + offset, source.segment(), at, bytes);
            return;
        }
        int receiver = context.master(flow.node);
        waiting.awaitRoomAt(receiver);
        RendezvousTarget invited = flow.target;
        putTarget.at(invited.process, invited.region, invited.offset + flow.place() + offset);
        if (!machine.put(putTarget, source.segment(), at, bytes, waiting)) {
            throw waiting.gone(receiver);
        }
        signal(flow);
    }

    /** Puts no bytes, but says that a flow's next piece is there. */
    void signal(Outflow flow) {
        putAndRaise(flow, 0, MemorySegment.NULL, 0, 0);
    }

    /** Puts bytes at some distance behind a word of the flow, and raises the word once they are there. */
    private void putAndRaise(Outflow flow, long distance, MemorySegment source, long sourceOffset, long bytes) {
        long region = flow.isEager ? eagerBuffersOf(flow.node) : ringOf(flow.node);
        long word = wordOf(flow, flow.edgeThere);
        aim(flow.node, region, word + distance, word, flow.arrival());
        putIntoSlot(flow.node, source, sourceOffset, bytes);
    }

    /** Has the next put go to the master of another node, and raise a word there to a step. */
    private void aim(int toNode, long region, long offset, long word, long step) {
        assert step > 0 && step <= StepWords.STEPS_MAX : "step " + step;
        assert toNode != context.node && context.isMaster() : "rank " + context.rank + " puts to node " + toNode
                + " from place " + context.localRank + " of node " + context.node;
        assert operation.isCurrent() : operation;
        putTarget.at(context.endpoints.process(context.master(toNode)), region, offset)
                .raise(word, operation.base + step, operation.tag());
    }

    /** Gives places back to the node that puts data there, up to a step: SRM's zero-byte put. */
    void credit(int toNode, int edge, long step) {
        // the slot is free there: a credit answers a put of this very operation, so its receiver is in it
        long word = creditOf(edge);
        aim(toNode, creditsAt(toNode, edge), word, word, step);
        if (!isPut(toNode, MemorySegment.NULL, 0, 0) && !context.members.hasLeft(context.master(toNode))) {
            throw waiting.gone(context.master(toNode)); // who has left properly awaits no credit
        }
    }

    /** Lets the master of another node put into memory of this rank; counts as the first credit of the flow. */
    void invite(Inflow flow, Area area, long bytes) {
        assert bytes > 0 && area.holds(0, bytes) : flow + " invites to " + bytes + " bytes of " + area;
        writeInvitation(area, bytes);
        long word = creditOf(flow.edgeThere);
        aim(flow.node, creditsAt(flow.node, flow.edgeThere), word + RingLayout.INVITATION, word, flow.credit(0));
        putIntoSlot(flow.node, invitations.written(), 0, RingLayout.INVITATION_BYTES);
    }

    private void writeInvitation(Area area, long bytes) {
        int process = context.endpoints.process(context.rank);
        MemorySegment segment = area.segment();
        Window window = windows.windowOf(segment);
        if (window != null) {
            invitations.write(process, window.handle(machine), area.start(), bytes);
        } else if (segment.equals(ring)) {
            invitations.write(process, context.endpoints.ring(context.rank), area.start(), bytes);
        } else if (eagerBuffersHere != null && segment.equals(eagerBuffersHere)) {
            invitations.write(process, context.eagerBuffers.handle(machine), area.start(), bytes);
        } else {
            invitations.write(process, invitations.open(segment.asSlice(area.start(), bytes)), 0, bytes);
        }
    }

    private void putIntoSlot(int toNode, MemorySegment source, long sourceOffset, long bytes) {
        long before = operation.sequence - layout.slots();
        if (operations.leftElsewhere(toNode) <= before) {
            awaitLeft(toNode, before);
        }
        if (!isPut(toNode, source, sourceOffset, bytes)) {
            throw waiting.gone(context.master(toNode));
        }
    }

    private boolean isPut(int toNode, MemorySegment source, long sourceOffset, long bytes) {
        waiting.awaitRoomAt(context.master(toNode));
        return machine.put(putTarget, source, sourceOffset, bytes, waiting);
    }

    /** Waits until another node has called this for this one; its block may not be there before. */
    public void meet(int otherNode, int edge) {
        long word = layout.arrived(operation.slotIndex(), edge);
        boolean heard = machine.load(ring, word) >= operation.base + HERE;
        say(otherNode, word, heard ? MET : HERE);
        awaitPut(ring, word, HERE, otherNode);
        if (!heard && machine.load(ring, word) < operation.base + MET) {
            say(otherNode, word, MET);
        }
    }

    private void say(int toNode, long word, int step) {
        aim(toNode, ringOf(toNode), word, word, step);
        if (!isPut(toNode, MemorySegment.NULL, 0, 0)) {
            throw waiting.gone(context.master(toNode));
        }
    }

    // ---- what comes in

    /** Waits until the other node has invited this one, and finds where to. */
    void awaitInvitation(Outflow flow) {
        awaitCredit(flow.edge, flow.credit(0), flow.node);
        invitations.read(creditsOf(flow.edge), creditOf(flow.edge) + RingLayout.INVITATION, flow.target);
    }

    /** Waits until the other node has put a flow's next piece, or said that it is there. */
    void awaitArrival(Inflow flow) {
        awaitPut(flow.isEager ? eagerBuffersHere() : ring, wordOf(flow, flow.edge), flow.arrival(), flow.node);
    }

    /** Tells whether the other node has put a flow up to a step; only a wait compares what both have called. */
    boolean hasArrived(Inflow flow, long step) {
        return machine.load(flow.isEager ? eagerBuffersHere() : ring, wordOf(flow, flow.edge)) >= operation.base + step;
    }

    /** Waits until another node has credited a step; 0 or less is always reached. */
    void awaitCredit(int edge, long step, int fromNode) {
        awaitPut(creditsOf(edge), creditOf(edge), step, fromNode);
    }

    private void awaitPut(MemorySegment words, long word, long step, int fromNode) {
        assert step <= StepWords.STEPS_MAX && fromNode != context.node : "step " + step + " of node " + fromNode;
        if (step > 0) {
            int sender = context.master(fromNode);
            waiting.awaitWord(sender, words, word, operation.base + step);
            boolean quietThere = waiting.compare(sender, machine.loadTag(words, word));
            if (context.topology.ranksOn(fromNode) == 1) { // who is in this operation has left those that it says
                operations.raiseLeftElsewhere(machine, fromNode,
                        OperationSequence.leftBy(operation.sequence, quietThere));
            }
        }
    }

    // ---- who has left

    /**
     * Waits until all ranks of another node have left an operation. Those that have left the job have, and those that
     * have closed the communicator.
     */
    private void awaitLeft(int other, long before) {
        waiting.flush();
        long look = OperationWait.NO_LOOK_YET;
        try (var wait = waiting.inTurns) {
            for (int turn = 0;; turn++) {
                long least = askLeft(other);
                if (least > UNKNOWN) {
                    operations.raiseLeftElsewhere(machine, other, least);
                }
                if (least > before) {
                    return;
                }
                look = waiting.checkAndLook(look);
                wait.turn(waiting);
                machine.pause(turn);
            }
        }
    }

    /** Gets the left words of another node from a rank that has them, and returns the least. */
    private long askLeft(int other) {
        int ranks = context.topology.ranksOn(other);
        for (int local = 0; local < ranks; local++) {
            int asked = context.topology.rankAt(other, local);
            if (context.members.hasLeft(asked)) {
                continue;
            }
            waiting.awaitNothingOf(asked);
            long firstLeft = context.layoutAt(asked).left(0);
            Machine.Reply reply = context.get(asked, firstLeft, (long) ranks * Words.LINE_BYTES, waiting);
            if (reply == Machine.Reply.GIVEN) {
                return leastLeft(other, ranks);
            }
            if (reply == Machine.Reply.GONE) {
                return UNKNOWN;
            } // else its process has closed the communicator
        }
        return Long.MAX_VALUE;
    }

    private long leastLeft(int other, int ranks) {
        long least = Long.MAX_VALUE;
        for (int local = 0; local < ranks; local++) {
            if (!context.members.hasLeft(context.topology.rankAt(other, local))) {
                least = Math.min(least, machine.loadPlain(context.fetched, (long) local * Words.LINE_BYTES));
            }
        }
        return least;
    }
}
