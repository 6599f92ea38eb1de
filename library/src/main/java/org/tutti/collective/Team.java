/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

import org.tutti.Topology;
import org.tutti.collective.kernel.Kernel;
import org.tutti.memory.Memory;

/**
 * A communicator as an algorithm sees it, at one rank: who takes part, the words and windows of the current operation,
 * and the few verbs that move data. All that makes operations safe is here, once.
 *
 * <p>A team is in one operation at a time. What the operations of a communicator share at a rank is in its {@link
 * Ledger}, so several teams of the rank may be in different operations, each on a thread of its own.
 *
 * <p>{@link Operation} has what makes operations safe: slots, leaving and closing, memory ordering, mismatches.
 */
public final class Team extends Operation {
    /** The word that says "my data of step k are there to be read"; its line carries fingerprint and payload. */
    public static final long READY = RingLayout.READY;

    /** The word that says "I have taken what I needed of step k"; it has a line to itself. */
    public static final long DONE = RingLayout.DONE;

    /** The steps that an operation may have. */
    public static final int STEPS_MAX = (1 << 20) - 1;

    /** What an operation takes its data from, as memory to be lent. */
    public static final int SOURCE = 0;

    /** Where an operation's result goes, as memory to be lent. */
    public static final int TARGET = 1;

    private static final int WAY_BITS = 2;

    private final Memory memory;
    private final long ringAddress;
    private final WindowPool pool;
    private final Area own = new Area();
    private final Areas found = new Areas();
    private final Loans loans;
    private final Area landing = new Area();
    private final Invitations invitations;
    private Inflow[] inflows;
    private final Outflow[] outflows;

    private Window shown; // of the present operation, and only once it has shown more than a line has room for
    private Window inbox; // of the present operation, and only once it has needed it

    /**
     * A team of ranks on one node.
     *
     * @param machine what to do things with
     * @param members what is known of the ranks' lives
     * @param memory the node's memory
     * @param ringAddress the block of this communicator, as {@link RingLayout} has it
     * @param pool this rank's windows
     * @param rank this rank
     * @param size the communicator's ranks
     */
    public Team(Machine machine, Members members, Memory memory, long ringAddress, WindowPool pool, int rank,
            int size) {
        this(machine, members, memory, ringAddress, pool, rank, new NodeView(new Topology(new int[size]), 0), null);
    }

    /**
     * A team of ranks on one node or several.
     *
     * @param machine what to do things with
     * @param members what is known of the ranks' lives
     * @param memory the node's memory
     * @param ringAddress the block of this communicator on this node, as {@link RingLayout} has it
     * @param pool this rank's windows
     * @param rank this rank
     * @param view which ranks are on which nodes
     * @param reach how ranks on other nodes are reached; null with one node
     */
    public Team(Machine machine, Members members, Memory memory, long ringAddress, WindowPool pool, int rank,
            NodeView view, Reach reach) {
        this(machine, members, memory, ringAddress, pool, rank, view, reach, null);
    }

    private Team(Machine machine, Members members, Memory memory, long ringAddress, WindowPool pool, int rank,
            NodeView view, Reach reach, Team first) {
        super(machine, members, memory, ringAddress, rank, view, reach, first);
        this.memory = memory;
        this.ringAddress = ringAddress;
        this.pool = pool;
        this.loans = new Loans(memory, ringAddress, layout, localSize);
        this.invitations = new Invitations(machine, topology.nodes() > 1);
        this.inflows = new Inflow[layout.edges()];
        this.outflows = new Outflow[layout.edges()];
    }

    /**
     * Another view of this communicator at this rank, for operations that the caller does not wait for: it is in one
     * operation at a time, as every team, but others may be in different ones meanwhile, on other threads.
     *
     * @param background what to do things with, on those threads
     * @return the team
     */
    public Team forBackground(Machine background) {
        ledger.expectOtherThreads();
        return new Team(background, members, memory, ringAddress, pool, rank, view, reach, this);
    }

    @Override
    void letGo() {
        if (inbox != null) { // what others still put there must not come into a later operation
            inbox.revoke(machine);
        }
        if (shown != null) {
            shown.revoke(machine);
        }
        loans.forgetBorrowed();
    }

    @Override
    void giveBack() {
        takeBack();
        invitations.revokeAll();
        if (shown != null) {
            pool.close(shown, true, this);
            shown = null;
        }
        if (inbox != null) {
            pool.close(inbox, false, this);
            inbox = null;
        }
    }

    /** Gives the communicator's memory back, at the master that has claimed it, when nobody touches it any more. */
    void release() {
        if (landings != null) {
            landings.release(machine);
        }
        memory.release(ringAddress, layout.bytes());
    }

    // ---- calls

    /**
     * Runs a call that was drawn, on this thread. What it throws has broken the communicator.
     *
     * @param drawn the call, which {@link #draw} has drawn
     */
    public void run(Call drawn) {
        try {
            do { // most calls are a single operation
                begin(drawn);
                if (size() > 1) {
                    drawn.algorithm().run(this, drawn);
                } else if (drawn.collective().hasElements() && !drawn.source().isSameAs(drawn.target())) {
                    copy(drawn.source(), 0, drawn.target(), 0, drawn.bytes());
                }
                leave();
            } while (drawn.next());
        } catch (Throwable failure) {
            breakOff(failure);
            throw failure;
        } finally {
            endCall();
        }
    }

    // ---- words

    /**
     * Says that this rank has reached a step of the current operation: what it wrote before is visible to whoever
     * awaits the step.
     *
     * @param word {@link #READY} or {@link #DONE}
     * @param step 1 to {@value #STEPS_MAX}, greater than this rank's last
     */
    public void post(long word, long step) {
        assert step <= STEPS_MAX : "step " + step;
        long cell = RingLayout.cell(slot, localRank);
        if (word == READY) { // only now: others may be polling the line, and would take it away between two stores
            machine.storeTag(ring, cell + READY, tag());
        }
        machine.store(ring, cell + word, base + step);
    }

    /**
     * Waits until another rank of this node has reached a step of the current operation.
     *
     * @param other the rank, by its place on the node
     * @param word {@link #READY} or {@link #DONE}
     * @param step the step; 0 or less is always reached
     */
    public void await(int other, long word, long step) {
        if (step <= 0) {
            return;
        }
        long cell = RingLayout.cell(slot, other);
        awaitWord(localRanks[other], ring, cell + word, base + step);
        if (word == READY) {
            compare(localRanks[other], machine.loadTag(ring, cell + READY));
        }
    }

    /**
     * Waits until every other rank of this node has reached a step.
     *
     * @param word {@link #READY} or {@link #DONE}
     * @param step the step; 0 or less is always reached
     */
    public void awaitOthers(long word, long step) {
        for (int distance = 1; distance < localSize; distance++) {
            int other = localRank + distance;
            await(other < localSize ? other : other - localSize, word, step);
        }
    }

    // ---- data

    /**
     * Takes memory in which this rank will show data to others: the payload of its READY line when they fit there, else
     * a window of its pool. It belongs to the operation until all ranks have left it. Once an operation, before the
     * {@link #post} of READY after which others look for it.
     *
     * @param bytes how many, 0 to {@link #windowBytesMax}
     * @return the memory
     */
    public Area show(long bytes) {
        return show(bytes, Integer.MAX_VALUE);
    }

    /**
     * As {@link #show(long)}, but with a limit to the windows that this rank may have in use at once.
     *
     * @param bytes how many, 0 to {@link #windowBytesMax}
     * @param windowsMax the limit, 1 or more; payloads in lines do not count
     * @return the memory
     */
    public Area show(long bytes, int windowsMax) {
        long payload = RingLayout.cell(slot, localRank) + RingLayout.PAYLOAD;
        if (bytes <= RingLayout.PAYLOAD_BYTES) {
            own.set(ring, payload);
        } else {
            shown = pool.take(bytes, windowsMax, this);
            own.set(shown.segment(), shown.start());
            machine.storePlain(ring, payload, shown.address());
        }
        return own;
    }

    /**
     * Finds the memory in which a rank of this node shows its data. Only after {@link #await} of its READY.
     *
     * @param other the rank, by its place on the node
     * @param bytes the size that the other rank has asked for
     * @return the memory, until four more were found
     */
    public Area shown(int other, long bytes) {
        if (other == localRank) {
            return own;
        }
        long payload = RingLayout.cell(slot, other) + RingLayout.PAYLOAD;
        if (bytes <= RingLayout.PAYLOAD_BYTES) {
            return found.next(ring, payload);
        }
        long address = machine.loadPlain(ring, payload);
        return found.next(memory.around(address), memory.offset(address));
    }

    // ---- the callers' memory, lent inside a node

    /**
     * Lends the caller's memory to the other ranks of this node, if they can reach it: because it lies in the node's
     * memory, or because they are threads of one process and any of them may access it. They see it by {@link
     * #isLending} and find it by {@link #lent}. Once an operation, before the first {@link #post} of READY. Who lends
     * waits until all others have said that they need it no more, and then {@linkplain #takeBack takes it back}.
     *
     * <p>Memory ordering: a loan is stored before READY, with release order, and read after that was awaited, with
     * acquire order; it is cleared after all readers have said that they are done. When the lender's call fails, it is
     * cleared after the broken word has been set, and so is whatever the lender's caller does: a reader that sees
     * either sees the broken word, too.
     *
     * @param bytes the length of what could be lent; what fits into the line of READY is not lent
     * @param source the memory to be read
     * @return whether it is lent
     */
    public boolean lend(long bytes, Area source) {
        return lend(bytes, loans.way(source), source, Loans.NONE, null);
    }

    /**
     * Lends memory as {@link #lend(long, Area)} does, two pieces or none.
     *
     * @param bytes the length of each
     * @param source the memory to be read
     * @param target the memory where others read the result; nobody else writes there, as a call that fails cannot stop
     *               them
     * @return whether both are lent
     */
    public boolean lend(long bytes, Area source, Area target) {
        int sourceWay = loans.way(source);
        int targetWay = loans.way(target);
        return sourceWay == Loans.NONE || targetWay == Loans.NONE
                ? lend(bytes, Loans.NONE, null, Loans.NONE, null)
                : lend(bytes, sourceWay, source, targetWay, target);
    }

    /**
     * Says that this rank lends no memory, to others that would look for it. Before the first {@link #post} of READY.
     *
     * @param bytes the length of what could be lent
     */
    public void lendNothing(long bytes) {
        lend(bytes, Loans.NONE, null, Loans.NONE, null);
    }

    private boolean lend(long bytes, int sourceWay, Area source, int targetWay, Area target) {
        if (bytes <= RingLayout.PAYLOAD_BYTES) {
            return false;
        }
        long cell = RingLayout.cell(slot, localRank);
        machine.storePlain(ring, cell + RingLayout.LOANS, base + sourceWay + ((long) targetWay << WAY_BITS));
        storeLoan(cell, SOURCE, sourceWay, source);
        storeLoan(cell, TARGET, targetWay, target);
        return sourceWay != Loans.NONE;
    }

    private void storeLoan(long cell, int loan, int way, Area area) {
        if (way != Loans.NONE) {
            machine.storePlain(ring, cell + RingLayout.LOAN_STARTS + (long) loan * Long.BYTES,
                    loans.lend(sequence, localRank, loan, way, area));
        }
    }

    /**
     * Tells whether another rank of this node lends memory. Only after {@link #await} of its READY, and only if it has
     * said whether it does.
     *
     * @param other the rank, by its place on the node
     * @param bytes the length of what could be lent
     * @return whether it does
     */
    public boolean isLending(int other, long bytes) {
        return bytes > RingLayout.PAYLOAD_BYTES && ways(other) != Loans.NONE;
    }

    /**
     * Finds the memory that another rank of this node lends. Only if it {@linkplain #isLending does}.
     *
     * @param other the rank, by its place on the node
     * @param loan {@link #SOURCE} or {@link #TARGET}
     * @return the memory, until {@link #confirmLoans}, or {@value Areas#KEPT} more were found
     */
    public Area lent(int other, int loan) {
        int way = ways(other) >>> WAY_BITS * loan & (1 << WAY_BITS) - 1;
        long start = machine.loadPlain(ring,
                RingLayout.cell(slot, other) + RingLayout.LOAN_STARTS + (long) loan * Long.BYTES);
        Area lent = loans.lent(sequence, other, loan, way, start);
        if (lent == null) {
            confirmLoans();
            throw gone(localRanks[other]);
        }
        return lent;
    }

    private int ways(int other) {
        return (int) (machine.loadPlain(ring, RingLayout.cell(slot, other) + RingLayout.LOANS) - base);
    }

    /**
     * Makes sure that lent memory was lent as long as this rank has used it, and forgets it: throws when its owner's
     * call has failed meanwhile.
     */
    public void confirmLoans() {
        loans.forgetBorrowed();
        VarHandle.loadLoadFence();
        checkAlive();
    }

    /**
     * Ends the loans, if there are any.
     */
    public void takeBack() {
        loans.takeBack(sequence, localRank);
    }

    /**
     * Copies bytes from one area to another.
     *
     * @param source from where
     * @param sourceOffset at which byte of the area
     * @param target to where
     * @param targetOffset at which byte of the area
     * @param bytes how many
     */
    public void copy(Area source, long sourceOffset, Area target, long targetOffset, long bytes) {
        flush();
        machine.copy(source.segment(), source.start() + sourceOffset, target.segment(), target.start() + targetOffset,
                bytes);
    }

    /**
     * Combines bytes of two areas: {@code target = left op right}. The target may be one of them.
     *
     * @param kernel the operator for the type
     * @param left elements of lower ranks
     * @param leftOffset at which byte of the area
     * @param right elements of higher ranks
     * @param rightOffset at which byte of the area
     * @param target where the result goes
     * @param targetOffset at which byte of the area
     * @param bytes how many, a multiple of the operator's unit
     */
    public void combine(Kernel kernel, Area left, long leftOffset, Area right, long rightOffset, Area target,
            long targetOffset, long bytes) {
        flush();
        machine.combine(kernel, left.segment(), left.start() + leftOffset, right.segment(),
                right.start() + rightOffset, target.segment(), target.start() + targetOffset, bytes);
    }

    // ---- between nodes: what flows are made of

    /**
     * Finds what comes over an edge.
     *
     * @param edge the edge, of this node, or the {@link #star} of another node
     * @return what comes, to be opened once an operation
     */
    public Inflow inflow(int edge) {
        if (edge >= inflows.length) { // few algorithms use stars
            inflows = Arrays.copyOf(inflows, layout.edgesAndStars());
        }
        if (inflows[edge] == null) {
            inflows[edge] = new Inflow(this, edge);
        }
        return inflows[edge];
    }

    /**
     * Finds what goes to another node.
     *
     * @param edge the edge of this node that awaits that node's credits
     * @return what goes, to be opened once an operation, or one after the other for flows without credits
     */
    public Outflow outflow(int edge) {
        if (outflows[edge] == null) {
            outflows[edge] = new Outflow(this, edge);
        }
        return outflows[edge];
    }

    /**
     * Finds the star of a node: an edge that every node has for each other one, with room for {@link
     * RingLayout#EDGE_PAYLOAD_BYTES} and no landing place, over which no credits come.
     *
     * @param otherNode the node that puts there
     * @return the edge
     */
    public int star(int otherNode) {
        return layout.star(otherNode);
    }

    /**
     * Tells whether other nodes can be invited to memory: native memory they can, the heap and an arena confined to one
     * thread they cannot, as others write what arrives.
     *
     * @param area the memory
     * @return whether they can
     */
    public boolean isAddressable(Area area) {
        return area.segment().isNative() && Loans.isOpenToAll(area.segment());
    }

    /**
     * Finds the landing place of an edge on this node, which all its ranks can read: to invite others to, where nothing
     * comes over the edge itself. Only for messages of more than {@link RingLayout#EDGE_PAYLOAD_BYTES}.
     *
     * @param edge the edge
     * @return the memory, {@link RingLayout#LANDING_BYTES} long, until this is asked again
     */
    public Area landing(int edge) {
        landing.set(landingsHere(), layout.landed(layout.slotIndex(sequence), edge) + RingLayout.LANDING);
        return landing;
    }

    /** Where the word lies, in the landings or the communicator's block, that says what a flow has brought. */
    private long wordOf(Flow flow, int receivingEdge) {
        long slotIndex = layout.slotIndex(sequence);
        return flow.lands ? layout.landed(slotIndex, receivingEdge) : layout.arrived(slotIndex, receivingEdge);
    }

    /** Finds where the places of a flow to this node lie. */
    void findPlaces(Inflow flow, Area places) {
        places.set(flow.lands ? landingsHere() : ring, wordOf(flow, flow.edge) + startOf(flow));
    }

    /** Where the places of a flow begin, counted from its word. */
    private static long startOf(Flow flow) {
        return flow.lands ? RingLayout.LANDING : RingLayout.PAYLOAD;
    }

    /**
     * Puts bytes of a flow's next piece into its place at another node, a cell or a landing place, and says so: who
     * awaits the piece there finds them.
     *
     * <p>Before the first put of an operation into a slot of another node, the ranks there must have left the operation
     * that used the slot before. Who does not know that yet reads their left words, as inside a node.
     */
    void put(Outflow flow, Area source, long sourceOffset, long offset, long bytes) {
        long word = wordOf(flow, flow.edgeThere);
        putIntoSlot(flow.node, regionOf(flow), word + startOf(flow) + flow.place() + offset, source.segment(),
                source.start() + sourceOffset, bytes, word, flow.number);
    }

    /** Puts no bytes, but says that a flow's next piece is there. */
    void signal(Outflow flow) {
        long word = wordOf(flow, flow.edgeThere);
        putIntoSlot(flow.node, regionOf(flow), word, MemorySegment.NULL, 0, 0, word, flow.number);
    }

    private long regionOf(Outflow flow) {
        return flow.lands ? landingsOf(flow.node) : ringOf(flow.node);
    }

    /** Gives places back to the node that puts data there, up to a step: SRM's zero-byte put. */
    void credit(int toNode, int edge, long step) {
        // the slot is free there: a credit answers a put of this very operation, so its receiver is in it
        long word = layout.credit(layout.slotIndex(sequence), edge);
        if (!isPut(toNode, ringOf(toNode), word, MemorySegment.NULL, 0, 0, word, step)
                && !members.hasLeft(master(toNode))) {
            throw gone(master(toNode)); // who has left properly awaits no credit
        }
    }

    /** Waits until the slot of the current operation is free at another node. */
    private void awaitSlot(int toNode) {
        if (ledger.leftElsewhere(toNode) <= sequence - layout.slots()) {
            awaitLeft(toNode, sequence - layout.slots());
        }
    }

    /** The handle by which the master of another node lets others reach the communicator's block there. */
    private long ringOf(int otherNode) {
        return reach.ring(master(otherNode));
    }

    private void putIntoSlot(int toNode, long region, long offset, MemorySegment source, long sourceOffset, long bytes,
            long word, long step) {
        awaitSlot(toNode);
        if (!isPut(toNode, region, offset, source, sourceOffset, bytes, word, step)) {
            throw gone(master(toNode));
        }
    }

    private boolean isPut(int toNode, long region, long offset, MemorySegment source, long sourceOffset, long bytes,
            long word, long step) {
        assert step <= STEPS_MAX : "step " + step;
        int master = master(toNode);
        awaitNothingOf(master);
        unflushed = true;
        return machine.put(reach.process(master), region, offset, source, sourceOffset, bytes, word, base + step,
                tag(), this);
    }

    /** Lets the master of another node put into memory of this rank; counts as the first credit. */
    void invite(int toNode, int edge, Area area, long bytes) {
        writeInvitation(area, bytes);
        long word = layout.credit(layout.slotIndex(sequence), edge);
        putIntoSlot(toNode, ringOf(toNode), word + RingLayout.INVITATION, invitations.written(), 0,
                RingLayout.INVITATION_BYTES, word, 1);
    }

    private void writeInvitation(Area area, long bytes) {
        int process = reach.process(rank);
        if (area.segment().equals(ring)) {
            invitations.write(process, reach.ring(rank), area.start(), bytes);
        } else if (isLandings(area.segment())) {
            invitations.write(process, landings.handle(machine), area.start(), bytes);
        } else if (inbox != null && area.segment().equals(inbox.segment())) {
            invitations.write(process, inbox.handle(machine), area.start(), bytes);
        } else if (shown != null && area.segment().equals(shown.segment())) {
            invitations.write(process, shown.handle(machine), area.start(), bytes);
        } else {
            invitations.write(process, invitations.open(area.segment().asSlice(area.start(), bytes)), 0, bytes);
        }
    }

    /** Waits until another node has invited this one, and says where to. */
    void awaitInvitation(int edge, int fromNode, Target target) {
        awaitCredit(edge, 1, fromNode);
        invitations.read(ring, layout.credit(layout.slotIndex(sequence), edge) + RingLayout.INVITATION, target);
    }

    /**
     * Puts bytes to where another node has invited this one. Whoever awaits a later {@link #signal} of this rank to
     * that node finds them there.
     */
    void put(int toNode, Target target, long targetOffset, Area source, long sourceOffset, long bytes) {
        awaitNothingOf(master(toNode));
        if (!machine.put(target.process(), target.region(), target.offset() + targetOffset, source.segment(),
                source.start() + sourceOffset, bytes, Machine.NO_WORD, 0, 0, this)) {
            throw gone(master(toNode));
        }
        unflushed = true;
    }

    /** The memory of this rank into which others put long messages: {@link Flow#INBOX_BYTES}. */
    MemorySegment inbox() {
        if (inbox == null) {
            inbox = pool.takeBlock(Flow.INBOX_BYTES, machine);
        }
        return inbox.segment();
    }

    /** Waits until the other node has put a flow's next piece, or said that it is there. */
    void awaitArrival(Inflow flow) {
        awaitPut(flow.lands ? landingsHere() : ring, wordOf(flow, flow.edge), flow.number, flow.node);
    }

    /** Waits until another node has credited a step; 0 or less is always reached. */
    void awaitCredit(int edge, long step, int fromNode) {
        awaitPut(ring, layout.credit(layout.slotIndex(sequence), edge), step, fromNode);
    }

    private void awaitPut(MemorySegment words, long word, long step, int fromNode) {
        if (step > 0) {
            awaitWord(master(fromNode), words, word, base + step);
            boolean quietThere = compare(master(fromNode), machine.loadTag(words, word));
            if (topology.ranksOn(fromNode) == 1) { // who is in this operation has left those that it says
                ledger.raiseLeftElsewhere(machine, fromNode, Ledger.leftBy(sequence, quietThere));
            } else if (meeting && !ledger.hasMet(fromNode)) {
                ledger.raiseLeftElsewhere(machine, fromNode, 0); // who has put has made its ring
            }
        }
    }

    /**
     * Takes note that every rank is in the current operation, as the algorithm has seen: so all have left the one that
     * used the slot before, and need not be asked. If none had another operation in flight, as READY words and puts
     * have told from rank to rank, all have left even the one before this.
     */
    public void noteAllAreHere() {
        ledger.raiseLeftEverywhere(Ledger.leftBy(sequence, quiet));
        meeting = false;
    }
}
