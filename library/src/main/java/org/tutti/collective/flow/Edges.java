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
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.memory.Words;

/**
 * Sends and receives the messages of an operation between the masters of nodes. A master is the first rank of a node.
 * The messages go over the edges of the operation's slot, the words and buffers that a node has for messages of one
 * operation. A <i>put</i> writes bytes into another node's memory and raises an ARRIVED word there. A <i>signal</i>
 * only raises the ARRIVED word. A <i>credit</i> raises a CREDIT word, and an <i>invitation</i> tells the sender where
 * it may put. {@link Flow}s are made of these messages. A team has one such object, for all its operations.
 *
 * <p><b>Why nothing is overwritten.</b> Before a master puts into a slot of another node, all ranks there must have
 * left the operation that used the slot before. This holds for every put to a word, payload or eager buffer, and for
 * every signal and invitation. A few slots share a long buffer, so before a put to one they must also have left the
 * operation that used the long buffer before. This is a later operation than the one that used the slot before. If the
 * master does not know that the ranks have left, it gets their left words from that node. (Ranks of one node read each
 * other's left words directly.) Hence every read of a slot's edges, or of a long buffer, happens before the next
 * operation's puts. Three kinds of messages need no such check. The first is a credit. It answers a put of the same
 * operation, so its receiver is in that operation. The second is a put into invited memory. It answers an invitation of
 * the same operation, and the signal that follows it is checked. The third is the words of a meeting. They belong to
 * the first operation of a group, and no operation used the slot before.
 *
 * <p><b>Why these waits end.</b> A put waits only for earlier operations to be left. The puts of the first operation
 * that some rank has not left therefore wait for none.
 *
 * <p><b>Nodes of one rank.</b> The tag beside an ARRIVED or CREDIT word says whether its sender is quiet, that is, in
 * no other operation ({@link Operation#quiet}). If the sender is the only rank of its node, the tag therefore tells
 * which operations that node has left, and no get is needed.
 *
 * <p><b>Meeting.</b> In the first operation of a group another node may not have made the group's block yet. A put to
 * it is then lost, and its sender does not learn that. Therefore two nodes A and B meet: each makes its block, puts a
 * word to the other node, and waits for the other node's word. At least one of the two puts arrives. Suppose that the
 * put of A is lost. Then the block of B was not there yet. B makes its block later, and puts after that. The block of A
 * is there by then, because A made it before its own put. Hence the put of B arrives. A node that has received the
 * other node's word puts once more, unless it has already put after it received the word. That put arrives, because the
 * other node made its block before it put. The word has two values: {@link #HERE} says that its sender has not heard of
 * the other node, {@link #MET} that it has. A node that reads MET knows that its own put has arrived, and does not put
 * again. No node has to ask another one, or to keep a put for later.
 */
public final class Edges {
    /** The step that a node puts in a meeting if it has not heard of the other node. */
    private static final int HERE = 1;

    /**
     * The step that a node puts in a meeting once it has heard of the other node. This is also the number of pieces
     * that count as arrived over the edge after the meeting.
     */
    public static final int MET = 2;

    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final PutSource NOTHING = new PutSource();

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

    /** Creates the edges of a team, with the parts of the team that they use. */
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

    // ---- offsets and handles

    /**
     * Returns the offset of a flow's ARRIVED word in the block that has it: the eager buffers or the communicator's
     * block.
     */
    private long wordOf(Flow flow, int receivingEdge) {
        long slotIndex = operation.slotIndex();
        return flow.isEager ? layout.eagerArrived(slotIndex, receivingEdge) : layout.arrived(slotIndex, receivingEdge);
    }

    /** Returns the distance of a flow's first place from its ARRIVED word, in bytes. */
    private long startOf(Flow flow, int receivingEdge) {
        return flow.isLong ? layout.longBuffer(operation.slotIndex(), receivingEdge) - wordOf(flow, receivingEdge)
                : flow.isEager ? layout.eagerBuffer(receivingEdge) : RingLayout.PAYLOAD;
    }

    private long creditOf(int edge) {
        return layout.credit(operation.slotIndex(), edge);
    }

    /** Returns the block of this node that holds the CREDIT word of an edge. */
    private MemorySegment creditsOf(int edge) {
        return layout.isPair(edge) ? eagerBuffersHere() : ring;
    }

    /** Returns the handle of the block of another node that holds the CREDIT word of an edge. */
    private long creditsAt(int otherNode, int edge) {
        return layout.isPair(edge) ? eagerBuffersOf(otherNode) : ringOf(otherNode);
    }

    /**
     * Sets an area to the places, the buffers for its pieces, of a flow that comes to this node without an invitation.
     */
    void findPlaces(Inflow flow, Area places) {
        places.set(flow.isEager ? eagerBuffersHere() : ring, wordOf(flow, flow.edge) + startOf(flow, flow.edge));
    }

    /** Sets an area to the place in the long buffer for the rest of the piece that a flow has awaited last. */
    void findRest(Inflow flow, Area rest) {
        rest.set(eagerBuffersHere(),
                layout.longBuffer(operation.slotIndex(), flow.edge) + flow.restPlace(flow.piece()));
    }

    /** Sets an area to the eager buffer of an edge of this node, in the current operation's slot. */
    public void findEagerBuffer(int edge, Area eagerBuffer) {
        eagerBuffer.set(eagerBuffersHere(), layout.eagerArrived(operation.slotIndex(), edge) + RingLayout.EAGER_BUFFER);
    }

    /** Waits until the master of this node has claimed the node's eager buffers, and returns them. */
    private MemorySegment eagerBuffersHere() {
        if (eagerBuffersHere == null) {
            waiting.awaitWord(context.master(context.node), ring, RingLayout.EAGER_BUFFERS, 1);
            eagerBuffersHere = context.eagerBuffers.here(machine);
        }
        return eagerBuffersHere;
    }

    /**
     * Returns the handle by which this node addresses another node's eager buffers. A rank that does not know the
     * handle gets it from the master there, again and again until that master has claimed the buffers.
     */
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
                look = waiting.checkAndLook(look); // the other rank may be in another call, which needs none
                wait.turn(waiting);
                machine.pause(turn);
            }
        }
    }

    /** Returns the handle under which the master of another node has registered the communicator's block there. */
    private long ringOf(int otherNode) {
        return context.endpoints.ring(context.master(otherNode));
    }

    // ---- sending

    /**
     * Puts bytes of the piece that a flow is sending into the piece's place, its buffer at the receiving node. Then
     * raises the flow's ARRIVED word there, so that the receiver can see that the bytes have come.
     *
     * @param flow the sending end of the flow; the number of the piece is already counted in it
     * @param source the bytes, in one or several runs
     * @param offset the offset of the bytes in the piece's place, its buffer at the receiver
     */
    void put(Outflow flow, PutSource source, long offset) {
        if (!flow.invites) {
            putAndRaise(flow, startOf(flow, flow.edgeThere) + flow.place() + offset, source);
            return;
        }
        int receiver = context.master(flow.node);
        waiting.awaitRoomAt(receiver);
        RendezvousTarget invited = flow.target;
        putTarget.at(invited.process, invited.region, invited.offset + flow.place() + offset);
        if (!machine.put(putTarget, source, waiting)) {
            throw waiting.gone(receiver);
        }
        signal(flow); // a frame of its own: it names one region, and the ARRIVED word is in another one
    }

    /**
     * Puts the rest of a piece into its place in the long buffer of the receiving node. No word tells of it, because
     * the ARRIVED word is raised by a later put, when the bytes of all earlier ones are there.
     *
     * @param flow the sending end of the flow
     * @param rest the bytes
     * @param piece the number of the piece, from 1 on, which is sent next
     */
    void putRest(Outflow flow, PutSource rest, long piece) {
        putTarget.at(context.endpoints.process(context.master(flow.node)), eagerBuffersOf(flow.node),
                layout.longBuffer(operation.slotIndex(), flow.edgeThere) + flow.restPlace(piece));
        putWhenLeft(flow.node, rest, layout.longBuffers());
    }

    /** Raises the ARRIVED word at the receiving node for a flow's current piece, without writing bytes. */
    void signal(Outflow flow) {
        putAndRaise(flow, 0, NOTHING);
    }

    /**
     * Puts bytes into the region that has a flow's ARRIVED word, at a distance behind the word. Raises the word once
     * the bytes are there.
     */
    private void putAndRaise(Outflow flow, long distance, PutSource source) {
        long region = flow.isEager ? eagerBuffersOf(flow.node) : ringOf(flow.node);
        long word = wordOf(flow, flow.edgeThere);
        aim(flow.node, region, word + distance, word, flow.arrival());
        putWhenLeft(flow.node, source, flow.isLong ? layout.longBuffers() : layout.slots());
    }

    /**
     * Sets the target of the next put to memory of another node's master. The put will also raise a word of that memory
     * to a step of the operation.
     */
    private void aim(int toNode, long region, long offset, long word, long step) {
        assert step > 0 && step <= StepWords.STEPS_MAX : "step " + step;
        assert toNode != context.node && context.isMaster() : "rank " + context.rank + " puts to node " + toNode
                + " from place " + context.localRank + " of node " + context.node;
        assert operation.isCurrent() : operation;
        putTarget.at(context.endpoints.process(context.master(toNode)), region, offset)
                .raise(word, operation.base + step, operation.tag());
    }

    /**
     * Sends a credit to the node that sends the pieces of a flow: raises the CREDIT word there to a step. This is the
     * zero-byte put of SRM (2003).
     */
    void credit(int toNode, int edge, long step) {
        // the slot is free there: a credit answers a put of the same operation, so its receiver is in that operation
        long word = creditOf(edge);
        aim(toNode, creditsAt(toNode, edge), word, word, step);
        if (!isPut(toNode, NOTHING) && !context.members.hasLeft(context.master(toNode))) {
            throw waiting.gone(context.master(toNode)); // a rank that has left properly awaits no credit
        }
    }

    /**
     * Invites the master of the other node to put the pieces of a flow into memory of this rank. The invitation is also
     * the first credit of the flow.
     *
     * @param flow the receiving end of the flow
     * @param area the memory into which the other node will put
     * @param bytes the length of that memory that the other node may use, 1 or more
     */
    void invite(Inflow flow, Area area, long bytes) {
        assert bytes > 0 && area.holds(0, bytes) : flow + " invites to " + bytes + " bytes of " + area;
        writeInvitation(area, bytes);
        long word = creditOf(flow.edgeThere);
        aim(flow.node, creditsAt(flow.node, flow.edgeThere), word + RingLayout.INVITATION, word, flow.credit(0));
        putWhenLeft(flow.node, invitations.written(), layout.slots());
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

    /**
     * Sends the next put once all ranks of another node have left the operation that used the same memory before.
     *
     * @param round the number of operations after which an operation uses that memory again
     */
    private void putWhenLeft(int toNode, PutSource source, int round) {
        long before = operation.sequence - round;
        if (operations.leftElsewhere(toNode) <= before) {
            awaitLeft(toNode, before);
        }
        if (!isPut(toNode, source)) {
            throw waiting.gone(context.master(toNode));
        }
    }

    private boolean isPut(int toNode, PutSource source) {
        waiting.awaitRoomAt(context.master(toNode));
        return machine.put(putTarget, source, waiting);
    }

    /**
     * Waits until another node has called this method for this node, in the first operation of a group. Before that,
     * the other node's block of the group may not exist.
     *
     * @param otherNode the other node
     * @param edge the edge that both nodes use for the meeting
     */
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
        if (!isPut(toNode, NOTHING)) {
            throw waiting.gone(context.master(toNode));
        }
    }

    // ---- receiving

    /**
     * Waits until the node that receives a flow has invited this node, and reads the invitation into the flow's target.
     */
    void awaitInvitation(Outflow flow) {
        awaitCredit(flow.edge, flow.credit(0), flow.node);
        invitations.read(creditsOf(flow.edge), creditOf(flow.edge) + RingLayout.INVITATION, flow.target);
    }

    /** Waits until the node that sends a flow has put, or only signalled, the flow's current piece. */
    void awaitArrival(Inflow flow) {
        awaitPut(flow.isEager ? eagerBuffersHere() : ring, wordOf(flow, flow.edge), flow.arrival(), flow.node);
    }

    /**
     * Returns whether the node that sends a flow has put the flow's pieces up to a step. Unlike a wait, this method
     * does not compare the calls of the two nodes.
     */
    boolean hasArrived(Inflow flow, long step) {
        return machine.load(flow.isEager ? eagerBuffersHere() : ring, wordOf(flow, flow.edge)) >= operation.base + step;
    }

    /** Waits until another node has sent the credit of a step; a step of 0 or less needs no wait. */
    void awaitCredit(int edge, long step, int fromNode) {
        awaitPut(creditsOf(edge), creditOf(edge), step, fromNode);
    }

    private void awaitPut(MemorySegment words, long word, long step, int fromNode) {
        assert step <= StepWords.STEPS_MAX && fromNode != context.node : "step " + step + " of node " + fromNode;
        if (step > 0) {
            int sender = context.master(fromNode);
            waiting.awaitWord(sender, words, word, operation.base + step);
            boolean quietThere = waiting.compare(sender, machine.loadTag(words, word));
            if (context.topology.ranksOn(fromNode) == 1) { // its only rank has left all that its tag tells
                operations.raiseLeftElsewhere(machine, fromNode,
                        OperationSequence.leftBy(operation.sequence, quietThere, layout.slots()));
            }
        }
    }

    // ---- left words of other nodes

    /**
     * Waits until all ranks of another node have left an operation. A rank that has left the job, or closed the
     * communicator, counts as having left all operations.
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

    /**
     * Gets the left words of another node's ranks, and returns the least. A left word counts the operations that a rank
     * has left. Asks a rank there that still has the communicator. If no rank there has it any more, returns {@link
     * Long#MAX_VALUE}. If the process of such a rank cannot be reached, returns UNKNOWN.
     */
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
