/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.util.Arrays;

import org.tutti.Collective;
import org.tutti.TuttiException;
import org.tutti.collective.kernel.Kernel;

/**
 * A communicator as an algorithm sees it, at one rank: who takes part, the words and windows of the current operation,
 * and the few verbs that move data.
 *
 * <p>A team is in one operation at a time. What the operations of a communicator share at a rank is in its {@link
 * Ledger}, so several teams of the rank may be in different operations, each on a thread of its own.
 *
 * <p>What makes operations safe is in its parts: {@link Operation} has slots, leaving, closing and memory ordering,
 * {@link Waiting} mismatches and whatever else ends a wait, {@link Edges} what goes between nodes, {@link Ending} how
 * the communicator ends.
 */
public final class Team extends Placement {
    /** The word that says "my data of step k are there to be read"; its line carries fingerprint and payload. */
    public static final long READY = RingLayout.READY;

    /** The word that says "I have taken what I needed of step k"; it has a line to itself. */
    public static final long DONE = RingLayout.DONE;

    /** How many pieces have come over an edge over which nodes have {@linkplain #meet met}. */
    public static final long MET = Edges.MET;

    /** The steps that an operation may have. */
    public static final int STEPS_MAX = (1 << 20) - 1;

    /** What has room beside the address of what is shown, and of the inbox, in the payload of a READY line. */
    private static final long IN_LINE_BYTES = RingLayout.PAYLOAD_BYTES - 2 * Long.BYTES;
    private static final long INBOX_ADDRESS = RingLayout.PAYLOAD + RingLayout.PAYLOAD_BYTES - Long.BYTES;

    final Operation operation;
    final Edges edges;
    private final Waiting waiting;
    private final Ending ending;
    private final Area own = new Area();
    private final Areas found = new Areas();
    private final Area landing = new Area();
    private final Contributions contributions = new Contributions(this);
    private final Turns turns = new Turns(this);
    private final Chunk chunk = new Chunk();
    private final BlockExchange[] blockExchanges = new BlockExchange[Collective.values().length];
    private Outflow[] outflows;
    private Inflow[] inflows;

    /**
     * @param machine what to do things with
     * @param members what is known of the ranks' lives
     * @param pool this rank's windows
     * @param ringAddress the block of this communicator on this node, as {@link RingLayout} has it
     * @param rank this rank
     * @param view which ranks are on which nodes
     * @param reach how ranks on other nodes are reached; null with one node
     */
    public Team(Machine machine, Members members, WindowPool pool, long ringAddress, int rank, NodeView view,
            Reach reach) {
        this(machine, members, pool, ringAddress, rank, view, reach, null);
    }

    private Team(Machine machine, Members members, WindowPool pool, long ringAddress, int rank, NodeView view,
            Reach reach, Team first) {
        super(machine, members, pool, ringAddress, rank, view, reach, first);
        this.ending = new Ending(this);
        this.operation = new Operation(this, ending);
        this.waiting = operation.waiting;
        this.edges = new Edges(this, operation);
        this.inflows = new Inflow[layout.edges()];
        this.outflows = new Outflow[layout.edges()];
    }

    /**
     * Another view of this communicator at this rank, for operations that were started: it is in one operation at a
     * time, as every team, but others may be in different ones meanwhile, on other threads.
     *
     * @param background what to do things with, on the threads that run them
     * @return the team
     */
    public Team forBackground(Machine background) {
        ledger.expectOtherThreads();
        return new Team(background, members, pool, ringAddress, rank, view, reach, this);
    }

    /**
     * {@return how the communicator ends at this rank}
     */
    public Ending ending() {
        return ending;
    }

    // ---- calls

    /**
     * Makes sure that no other thread is in a blocking call of this communicator, at best effort.
     *
     * @param called what is to be called, such as "barrier"
     * @throws IllegalStateException when one is
     */
    public void checkIdle(String called) {
        if (ledger.blocking().isInside()) {
            throw ledger.blocking().refusal(describe(), called);
        }
    }

    /**
     * Gives the operations of a call their numbers and their place in the history: on the thread of the caller, whose
     * order of calls is what must be the same at all ranks.
     *
     * @param drawn the call
     */
    public void draw(Call drawn) {
        long bytesMax = operationBytesMax(drawn);
        if (blocking) {
            ledger.blocking().enter(drawn.called());
        }
        operation.draw(drawn, bytesMax);
    }

    /** Of a call that cannot be nothing is drawn: this throws. */
    private long operationBytesMax(Call drawn) {
        if (size() == 1) {
            return Long.MAX_VALUE; // it copies what there is
        }
        if (drawn.isUnequal() && !drawn.collective().combines()) {
            long bytesMax = blockExchange(drawn.collective()).blockBytesMax();
            drawn.checkBlocks(bytesMax, this);
            return bytesMax;
        }
        return drawn.algorithm().operationBytesMax(this, drawn.kernel());
    }

    /**
     * As {@link #draw}, for a call that is run on another thread or later than the next one, by a team {@linkplain
     * #forBackground for that}.
     *
     * @param drawn the call
     */
    public void drawForOther(Call drawn) {
        long bytesMax = operationBytesMax(drawn);
        ledger.expectOtherThreads();
        operation.draw(drawn, bytesMax);
    }

    /**
     * Runs a call that was drawn, on this thread. What it throws has broken the communicator.
     *
     * @param drawn the call, which {@link #draw} of this communicator and rank has drawn
     */
    public void run(Call drawn) {
        try {
            do { // most calls are a single operation
                operation.begin(drawn);
                if (size() > 1) {
                    drawn.algorithm().run(this, drawn);
                } else {
                    runAlone(drawn);
                }
                operation.leave();
            } while (drawn.next());
        } catch (Throwable failure) {
            operation.breakOff(failure);
            throw failure;
        } finally {
            if (blocking) {
                ledger.blocking().leave();
            }
        }
    }

    /** A lone rank's contribution is its result. */
    private void runAlone(Call drawn) {
        if (drawn.collective().receives(0, drawn.root()) && !drawn.source().isSameAs(drawn.target())) {
            copy(drawn.source(), drawn.sourceAt(0), drawn.target(), drawn.targetAt(0),
                    drawn.collective().combines() ? drawn.blockBytes(0) : drawn.sourceBytes(0));
        }
    }

    /**
     * Tells what a call ends with when its rank has left the job meanwhile, and with it the memory.
     *
     * @param failure what was thrown
     * @return what says so, or else the same
     */
    public Throwable explain(Throwable failure) {
        return ledger.hasEnded() && !(failure instanceof TuttiException) ? waiting.hasLeft() : failure;
    }

    /**
     * {@return the number of the current operation, from 0, the same at every rank}
     */
    public long operation() {
        return operation.sequence;
    }

    /**
     * {@return the number of the operation that this rank will draw next, the same at every rank}
     */
    public long nextOperation() {
        return ledger.drawn();
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
        long cell = RingLayout.cell(operation.slot, localRank);
        if (word == READY) { // only now: others may be polling the line, and would take it away between two stores
            machine.storeTag(ring, cell + READY, operation.tag());
        }
        machine.store(ring, cell + word, operation.base + step);
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
        long cell = RingLayout.cell(operation.slot, other);
        waiting.awaitWord(localRanks[other], ring, cell + word, operation.base + step);
        if (word == READY) {
            operation.compare(localRanks[other], machine.loadTag(ring, cell + READY));
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
        long payload = RingLayout.cell(operation.slot, localRank) + RingLayout.PAYLOAD;
        if (bytes <= RingLayout.PAYLOAD_BYTES) {
            own.set(ring, payload);
        } else {
            Window window = operation.show(bytes, windowsMax);
            own.set(window.segment(), window.start());
            machine.storePlain(ring, payload, window.address());
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
        long payload = RingLayout.cell(operation.slot, other) + RingLayout.PAYLOAD;
        if (bytes <= RingLayout.PAYLOAD_BYTES) {
            return found.next(ring, payload);
        }
        long address = machine.loadPlain(ring, payload);
        return found.next(memory.around(address), memory.offset(address));
    }

    /**
     * As {@link #show(long)}, where each rank shows as much as it likes, and others do not know how much: the payload
     * of its READY line says where it is.
     *
     * @param bytes how many, 0 or more
     * @return the memory
     */
    Area showVarying(long bytes) {
        long payload = RingLayout.cell(operation.slot, localRank) + RingLayout.PAYLOAD;
        if (bytes <= IN_LINE_BYTES) {
            machine.storePlain(ring, payload, 0);
            own.set(ring, payload + Long.BYTES);
        } else {
            Window window = operation.show(bytes, Integer.MAX_VALUE);
            own.set(window.segment(), window.start());
            machine.storePlain(ring, payload, window.address());
        }
        return own;
    }

    /**
     * Finds what another rank of this node shows by {@link #showVarying}. Only after {@link #await} of its READY.
     *
     * @param other the rank, by its place on the node
     * @return the memory, until four more were found
     */
    Area shownVarying(int other) {
        long payload = RingLayout.cell(operation.slot, other) + RingLayout.PAYLOAD;
        long address = machine.loadPlain(ring, payload);
        return address == 0 ? found.next(ring, payload + Long.BYTES)
                : found.next(memory.around(address), memory.offset(address));
    }

    /** Tells the other ranks of this node, at its master, where its inbox is: before it invites somebody there. */
    void tellInbox(long bytes) {
        machine.storePlain(ring, RingLayout.cell(operation.slot, MASTER) + INBOX_ADDRESS,
                operation.sharedInbox(bytes));
    }

    /** Finds a place in the inbox of this node's master, once something has come there. */
    void findInbox(Area inbox, long at) {
        long address = machine.loadPlain(ring, RingLayout.cell(operation.slot, MASTER) + INBOX_ADDRESS);
        inbox.set(memory.around(address), memory.offset(address) + at);
    }

    /** Writes a number where others find it after {@link #post}. */
    void write(Area area, long at, long value) {
        machine.storePlain(area.segment(), area.start() + at, value);
    }

    /** Reads a number that another rank has written. */
    long read(Area area, long at) {
        return machine.loadPlain(area.segment(), area.start() + at);
    }

    /**
     * Finds what exchanges blocks of any length.
     *
     * @param collective a gather, a scatter, an allgather or an all-to-all
     * @return the exchange, the same each time
     */
    public BlockExchange blockExchange(Collective collective) {
        if (blockExchanges[collective.ordinal()] == null) {
            blockExchanges[collective.ordinal()] = new BlockExchange(this, collective);
        }
        return blockExchanges[collective.ordinal()];
    }

    /**
     * {@return what every rank has, where this one can read it: once an algorithm has {@linkplain Contributions#open
     * opened} it}
     */
    public Contributions contributions() {
        return contributions;
    }

    /**
     * {@return the callers' memory that ranks of this node lend each other}
     */
    public Loans loans() {
        return operation.loans;
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
        waiting.flush();
        if (bytes > 0) { // an empty block may lie anywhere
            machine.copy(source.segment(), source.start() + sourceOffset, target.segment(),
                    target.start() + targetOffset, bytes);
        }
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
        waiting.flush();
        if (bytes > 0) {
            machine.combine(kernel, left.segment(), left.start() + leftOffset, right.segment(),
                    right.start() + rightOffset, target.segment(), target.start() + targetOffset, bytes);
        }
    }

    // ---- between nodes

    /**
     * Finds what comes over an edge.
     *
     * @param edge the edge, of this node
     * @return what comes, to be opened once an operation
     */
    public Inflow inflow(int edge) {
        if (edge >= inflows.length) { // not all algorithms use pairs
            inflows = Arrays.copyOf(inflows, layout.edgesOfAllKinds());
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
        if (edge >= outflows.length) {
            outflows = Arrays.copyOf(outflows, layout.edgesOfAllKinds());
        }
        if (outflows[edge] == null) {
            outflows[edge] = new Outflow(this, edge);
        }
        return outflows[edge];
    }

    /**
     * {@return in which order this node invites others: once an algorithm has {@linkplain Turns#begin begun} it}
     */
    public Turns turns() {
        return turns;
    }

    /**
     * Finds the pair of this node and another one: an edge over which data and credits go both ways, whose landing
     * place is short: {@link #exceedsPair}. Only for algorithms that {@linkplain Algorithm#usesPairs say so}.
     *
     * @param otherNode the other node
     * @return the edge, at this node; at the other one it is the pair of this node
     */
    public int pair(int otherNode) {
        return layout.pair(otherNode);
    }

    /**
     * Tells whether what comes over a pair has no room in its landing place, so that the receiver has to invite the
     * sender to a window.
     *
     * @param bytes how many bytes come in an operation
     * @return whether they have not, the same at every rank
     */
    public boolean exceedsPair(long bytes) {
        return bytes > layout.pairLandingBytes();
    }

    /**
     * Cuts a message into chunks, which go through the places of a window in turn.
     *
     * @param bytes the length of the message
     * @param most how long a chunk may be, 1 or more
     * @param places how many places a window has
     * @return before the first chunk; used again by the next call
     */
    public Chunk chunks(long bytes, long most, int places) {
        return chunk.begin(bytes, most, places);
    }

    /**
     * Finds the landing place of an edge on this node, which all its ranks can read: to invite others to, where nothing
     * comes over the edge itself. Only for messages of more than {@link RingLayout#EDGE_PAYLOAD_BYTES}.
     *
     * @param edge the edge
     * @return the memory, {@link RingLayout#LANDING_BYTES} long, until this is asked again
     */
    public Area landing(int edge) {
        edges.findLanding(edge, landing);
        return landing;
    }

    /**
     * Says that this is a group that is being made: not all may have come, and the rings of other nodes may not be
     * there. What fails meanwhile breaks another communicator, so that those hear of it who have not come.
     */
    public void beginFounding() {
        ledger.setFounded(false);
    }

    /**
     * Says that all ranks have come, as a barrier has told: the group's first operation, or one of another
     * communicator.
     */
    public void endFounding() {
        ledger.setFounded(true);
    }

    /**
     * {@return whether all ranks are known to have come; else this is a group's first operation, in which nodes
     * {@linkplain #meet meet}}
     */
    public boolean isFounded() {
        return ledger.isFounded();
    }

    /**
     * Waits until another node has called this for this one, over the edge of the same number. Its ring may not be
     * there before.
     *
     * @param otherNode the node
     * @param edge the edge, at both; {@link #MET} pieces have come over it then
     */
    public void meet(int otherNode, int edge) {
        edges.meet(otherNode, edge);
    }

    /**
     * Takes note that every rank is in the current operation, as the algorithm has seen: so all have left the one that
     * used the slot before, and need not be asked. If none had another operation in flight, as READY words and puts
     * have told from rank to rank, all have left even the one before this.
     */
    public void noteAllAreHere() {
        ledger.raiseLeftEverywhere(Ledger.leftBy(operation.sequence, operation.quiet));
    }
}
