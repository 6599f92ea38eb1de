/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import org.tutti.TuttiException;
import org.tutti.collective.communicator.BrokenWord;
import org.tutti.collective.communicator.CommunicatorClose;
import org.tutti.collective.flow.Edges;
import org.tutti.collective.flow.Flows;
import org.tutti.collective.flow.Inflow;
import org.tutti.collective.flow.Outflow;
import org.tutti.collective.flow.RendezvousOffers;
import org.tutti.collective.flow.RendezvousSchedule;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.machine.Area;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.Members;
import org.tutti.collective.operation.DataMover;
import org.tutti.collective.operation.Operation;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.operation.OperationWait;
import org.tutti.collective.operation.StepWords;
import org.tutti.collective.operation.TeamContext;
import org.tutti.collective.window.OperationWindows;
import org.tutti.collective.window.WindowPool;
import org.tutti.collective.window.ZeroCopyLoans;
import org.tutti.memory.WaitingCall;
import org.tutti.pattern.LevelTree;

/**
 * A rank's handle on a communicator, as an algorithm sees it: the ranks and their nodes, the words and windows of the
 * current operation, and the methods that move data. An algorithm is a method that calls a team and touches no raw
 * memory.
 *
 * <p><b>Life.</b> A rank has one team for its blocking calls, made when the rank joins the communicator ({@code
 * RankCommunicators}). {@code RequestRunner} makes further teams, by {@link #forBackground}, for non-blocking calls,
 * and uses them again. A team lives as long as the communicator, and is in one operation at a time. {@link Call#run}
 * begins an operation, gives the team to the algorithm, and leaves the operation. One thread runs an operation from its
 * first to its last step; another thread may run the team's next one. Several teams of a rank may be in different
 * operations at the same time. They share the rank's {@link OperationSequence}, which numbers the operations.
 *
 * <p><b>Use.</b> An algorithm numbers its steps 1, 2, 3, …, and the words {@link #READY} and {@link #DONE} tell the
 * other ranks of the node which step a rank has reached. A rank takes memory with {@link #show}, writes to it, and
 * posts READY. Another rank awaits that READY, finds the memory with {@link #shown}, and reads it. Data for other nodes
 * go through an {@link Outflow} and come out of an {@link Inflow}. All memory that a rank shows stays until all ranks
 * of its node have left the operation.
 *
 * <p><b>Parts.</b> A team is composed of parts, and the head of each part argues that the part is safe:
 * <ul>
 * <li>{@link TeamContext}: the fields that never change, such as the ranks, the nodes and the communicator's memory;
 * <li>{@link Operation}: the current operation; {@link OperationLifecycle} begins it, leaves it and breaks it off, and
 * argues closing and memory ordering;
 * <li>{@link OperationWait}: waits, and the mismatches, failures and deadlines that end them; {@link StepWords}: READY
 * and DONE;
 * <li>{@link OperationWindows}: the memory that ranks of a node show each other; {@link ZeroCopyLoans}: the callers'
 * memory that they lend each other;
 * <li>{@link Flows}: the ends of the streams between nodes, which {@link Edges} carry;
 * <li>{@link CommunicatorClose}: the end of the communicator at this rank.
 * </ul>
 */
public final class Team {
    /** The local rank of a node's master, the rank that exchanges data with other nodes. */
    public static final int MASTER = TeamContext.MASTER;

    /**
     * The word with which a rank announces that its data of a step can be read. Fingerprint and payload share the
     * word's line.
     */
    public static final long READY = RingLayout.READY;

    /**
     * The word with which a rank announces that it no longer needs the data of a step. The word has a line to itself.
     */
    public static final long DONE = RingLayout.DONE;

    /** The number of pieces that count as arrived over an edge after two nodes have {@linkplain #meet met} over it. */
    public static final long MET = Edges.MET;

    /** The greatest step of an operation. */
    public static final int STEPS_MAX = RingLayout.STEPS_MAX;

    final TeamContext context;
    final Operation operation;
    /** Begins, leaves and breaks off the operations of this team. */
    public final OperationLifecycle lifecycle;
    final Object[] locals = new Object[TeamLocal.COUNT_MAX];
    private final OperationWait waiting;
    private final OperationWindows windows;
    private final StepWords words;
    private final DataMover mover;
    private final ZeroCopyLoans loans;
    private final Edges edges;
    private final Flows flows;
    private final RendezvousSchedule turns;
    private final CommunicatorClose close;
    private final WindowPool pool;
    private final Area eagerBuffer = new Area();
    private final Chunk chunk = new Chunk();

    /**
     * Creates the team of a rank's blocking calls.
     *
     * @param machine the machine that reaches memory and other nodes
     * @param members the lives of the communicator's ranks
     * @param pool the pool of this rank's windows
     * @param ringAddress the address of the communicator's block on this node, with the layout of {@link RingLayout}
     * @param rank this rank
     * @param view the ranks and nodes of the communicator
     * @param endpoints the processes and regions of the ranks on other nodes; null with one node
     */
    public Team(Machine machine, Members members, WindowPool pool, long ringAddress, int rank, NodeView view,
            EndpointTable endpoints) {
        this(new TeamContext(machine, members, pool.memory(), ringAddress, rank, view, endpoints, null), pool);
    }

    private Team(TeamContext context, WindowPool pool) {
        this.context = context;
        this.pool = pool;
        this.operation = new Operation(context.layout);
        this.waiting = new OperationWait(context, operation);
        this.windows = new OperationWindows(context, operation, waiting, pool);
        this.words = new StepWords(context, operation, waiting);
        this.mover = new DataMover(context.machine, waiting);
        this.loans = new ZeroCopyLoans(context, operation, waiting, words);
        var invitations = new RendezvousOffers(context.machine, context.nodes() > 1);
        this.edges = new Edges(context, operation, waiting, windows, invitations);
        this.flows = new Flows(context, operation, words, mover, windows, edges);
        this.turns = new RendezvousSchedule(flows);
        this.close = new CommunicatorClose(context);
        this.lifecycle = new OperationLifecycle(context, operation, waiting, windows, loans, invitations,
                new BrokenWord(context));
    }

    /**
     * Creates another team of this rank and communicator, for non-blocking calls. It is in one operation at a time,
     * while other teams of the rank may be in other operations on other threads.
     *
     * @param background the machine of the threads that will run its operations
     * @return the team
     */
    public Team forBackground(Machine background) {
        context.operations.expectOtherThreads();
        return new Team(context.forBackground(background), pool);
    }

    // ---- ranks and nodes

    /**
     * {@return this rank, 0 to size − 1}
     */
    public int rank() {
        return context.rank;
    }

    /**
     * {@return the number of ranks}
     */
    public int size() {
        return context.size();
    }

    /**
     * {@return the address of the communicator's block on this node}
     */
    public long ringAddress() {
        return context.ringAddress;
    }

    /**
     * {@return this rank's local rank: its index among the ranks of its node, in ascending order} Ranks that share
     * memory name each other by their local ranks.
     */
    public int localRank() {
        return context.localRank;
    }

    /**
     * {@return the number of ranks on this node}
     */
    public int localSize() {
        return context.localSize;
    }

    /**
     * {@return the greatest number of ranks on a node}
     */
    public int ranksMax() {
        return context.view.ranksMax;
    }

    /**
     * {@return whether this rank is its node's master: the first rank of the node, which exchanges data with other
     * nodes}
     */
    public boolean isMaster() {
        return context.isMaster();
    }

    /** {@return the tree of this node's ranks that the levels determine; flat if there are no levels} */
    public LevelTree levelTree() {
        return context.view.levelTree;
    }

    /** {@return the number of levels of groups inside this node; 0 if there are none} */
    public int levels() {
        return context.view.levels.length;
    }

    /**
     * Returns the size of the groups of a level. The last group may have fewer ranks.
     *
     * @param level the level, 0 to {@link #levels()} − 1, from the smallest groups to the greatest
     * @return the number of ranks in a group, less than {@link #localSize()}
     */
    public int groupSize(int level) {
        return context.view.levels[level];
    }

    /** {@return this node, 0 to {@link #nodes()} − 1} */
    public int node() {
        return context.node;
    }

    /**
     * {@return the number of nodes}
     */
    public int nodes() {
        return context.nodes();
    }

    /**
     * Returns the node of a rank.
     *
     * @param other the rank
     * @return its node
     */
    public int nodeOf(int other) {
        return context.topology.nodeOf(other);
    }

    /**
     * Returns the number of ranks on a node.
     *
     * @param ofNode the node
     * @return the number, 1 or more
     */
    public int ranksOn(int ofNode) {
        return context.topology.ranksOn(ofNode);
    }

    /**
     * Returns a rank by its node and local rank.
     *
     * @param onNode the node
     * @param localRank the rank's index among the ranks of that node
     * @return the rank
     */
    public int rankAt(int onNode, int localRank) {
        return context.topology.rankAt(onNode, localRank);
    }

    /**
     * Returns the local rank of any rank: its index among the ranks of its node.
     *
     * @param other the rank
     * @return its local rank
     */
    public int localRankOf(int other) {
        return context.topology.localRankOf(other);
    }

    /**
     * Returns the number of ranks on the nodes before a node. If the blocks of all ranks are ordered by node, so that
     * each node's blocks lie together, this is the index of the node's first block.
     *
     * @param ofNode the node, or {@link #nodes}
     * @return the number of ranks: 0 for node 0, and {@link #size} for {@link #nodes}
     */
    public int position(int ofNode) {
        return context.view.positions[ofNode];
    }

    /** {@return whether the ranks of each node are consecutive, and the nodes are in the order of their ranks} */
    public boolean isInBlocks() {
        return context.view.isInBlocks;
    }

    /**
     * Returns the local rank of a rank, if it is on this node.
     *
     * @param other the rank
     * @return its local rank, or −1 if the rank is on another node
     */
    public int localRankHere(int other) {
        return context.localRankHere(other);
    }

    /**
     * {@return the greatest number of bytes that {@link #show} can give a rank: a power of two, the same at every rank}
     */
    public long windowBytesMax() {
        return context.view.windowBytesMax;
    }

    /**
     * {@return the length of the longest message of one operation, in bytes, the same at every rank} An algorithm that
     * takes {@value NodeView#STEPS_PER_RANK_AND_WINDOW} steps for each rank and for each greatest window that the
     * message would fill stays below {@link #STEPS_MAX} steps.
     */
    public long operationBytesMax() {
        return context.view.operationBytesMax;
    }

    /**
     * {@return the length of the longest block, in bytes, of which a window would have room for one from each rank if
     * every node had {@link #ranksMax} ranks} The length is the same at every rank, and 0 with very many ranks.
     */
    public long blockBytesMax() {
        return context.view.blockBytesMax;
    }

    /** {@return the name of this rank for messages} */
    public String describe() {
        return context.describe();
    }

    /**
     * Returns the name of another rank for messages.
     *
     * @param other the rank
     * @return its name
     */
    public String describe(int other) {
        return context.members.describe(other);
    }

    /**
     * Returns a description of a call of this rank for reports, if it is not known for which rank the call waits.
     *
     * @param name the name of the call, such as "barrier"
     * @return the description
     */
    public WaitingCall describeCall(String name) {
        Members members = context.members;
        return new WaitingCall(members.job(), members.rankInJob(context.rank), name, members.communicator(), 0,
                WaitingCall.UNKNOWN);
    }

    // ---- calls

    /** {@return the part that ends the communicator at this rank} */
    public CommunicatorClose ending() {
        return close;
    }

    /** {@return the context of this team, from which groups are made; its fields never change} */
    public TeamContext context() {
        return context;
    }

    /**
     * Checks, at best effort, that no thread is in a blocking call of this communicator.
     *
     * @param called the name of the call that is about to be made, such as "barrier"
     * @throws IllegalStateException if a thread is in a blocking call
     */
    public void checkIdle(String called) {
        context.checkIdle(called);
    }

    /**
     * Returns the exception that explains the failure of a call. If the rank has left its job, and has lost the job's
     * memory with it, the call may have thrown an exception that does not tell why.
     *
     * @param failure the exception that the call has thrown
     * @return an exception that says that the rank has left its job, or {@code failure} itself
     */
    public Throwable explain(Throwable failure) {
        return context.operations.hasEnded() && !(failure instanceof TuttiException) ? waiting.hasLeft() : failure;
    }

    /**
     * {@return the number of the current operation, from 0, the same at every rank}
     */
    public long operation() {
        return operation.sequence;
    }

    /** {@return the number that this rank will draw for its next operation, from 0, the same at every rank} */
    public long nextOperation() {
        return context.operations.drawn();
    }

    // ---- words

    /**
     * Announces that this rank has reached a step of the current operation. Every rank that awaits the step sees this
     * rank's earlier writes.
     *
     * @param word {@link #READY} or {@link #DONE}
     * @param step the step, 1 to {@value #STEPS_MAX}, greater than the last step that this rank has posted with the
     *            word
     */
    public void post(long word, long step) {
        words.post(word, step);
    }

    /**
     * Waits until another rank of this node has reached a step of the current operation.
     *
     * @param other the other rank's local rank
     * @param word {@link #READY} or {@link #DONE}
     * @param step the step; a step of 0 or less needs no wait
     */
    public void await(int other, long word, long step) {
        words.await(other, word, step);
    }

    /**
     * Waits until every other rank of this node has reached a step of the current operation.
     *
     * @param word {@link #READY} or {@link #DONE}
     * @param step the step; a step of 0 or less needs no wait
     */
    public void awaitOthers(long word, long step) {
        words.awaitOthers(word, step);
    }

    // ---- data

    /**
     * Takes memory in which this rank will show data to the ranks of its node. The memory is the payload of the rank's
     * READY line if the data fit there, else a window of its pool. The operation keeps the memory until all ranks of
     * the node have left it. A rank calls this once in an operation, before it {@linkplain #post posts} the READY after
     * which other ranks look for the data.
     *
     * @param bytes the length of the data, 0 to {@link #windowBytesMax}
     * @return the memory
     */
    public Area show(long bytes) {
        return show(bytes, Integer.MAX_VALUE);
    }

    /**
     * Takes memory as {@link #show(long)} does, with a limit on the number of windows that this rank has in use.
     *
     * @param bytes the length of the data, 0 to {@link #windowBytesMax}
     * @param windowsMax the limit, 1 or more; payloads in lines do not count
     * @return the memory
     */
    public Area show(long bytes, int windowsMax) {
        return windows.show(bytes, windowsMax);
    }

    /**
     * Finds the memory in which a rank of this node shows its data. This rank calls this only after {@link #await} of
     * the other rank's READY.
     *
     * @param other the other rank's local rank
     * @param bytes the number of bytes with which the other rank has called {@link #show}
     * @return the memory, valid until four more areas were found
     */
    public Area shown(int other, long bytes) {
        return windows.shown(other, bytes);
    }

    /**
     * Takes memory as {@link #show(long)} does, if other ranks do not know how much this rank shows. The payload of
     * this rank's READY line tells where the memory is.
     *
     * @param bytes the length of the data, 0 or more
     * @return the memory
     */
    public Area showVarying(long bytes) {
        return windows.showVarying(bytes);
    }

    /**
     * Finds the memory that another rank of this node shows by {@link #showVarying}. This rank calls this only after
     * {@link #await} of the other rank's READY.
     *
     * @param other the other rank's local rank
     * @return the memory, valid until four more areas were found
     */
    public Area shownVarying(int other) {
        return windows.shownVarying(other);
    }

    /**
     * Takes an inbox, a block into which other nodes put, at the master of this node, and tells the other ranks of the
     * node where it is. The master calls this before it invites another node to the inbox.
     *
     * @param bytes the length of the inbox, the same each time in an operation
     */
    public void tellInbox(long bytes) {
        windows.tellInbox(bytes);
    }

    /**
     * Writes a number of 64 bits, which other ranks may read after this rank's next {@link #post}.
     *
     * @param area the area that holds the number
     * @param at the offset of the number in the area, a multiple of 8
     * @param value the number
     */
    public void write(Area area, long at, long value) {
        context.machine.storePlain(area.segment(), area.start() + at, value);
    }

    /**
     * Reads a number of 64 bits that another rank has written.
     *
     * @param area the area that holds the number
     * @param at the offset of the number in the area, a multiple of 8
     * @return the number
     */
    public long read(Area area, long at) {
        return context.machine.loadPlain(area.segment(), area.start() + at);
    }

    /** {@return the part with which ranks of this node lend each other their callers' memory} */
    public ZeroCopyLoans loans() {
        return loans;
    }

    /**
     * Copies bytes from one area to another. Before it copies, it sends the frames that puts to other nodes have
     * gathered, so that other nodes do not wait for the copy.
     *
     * @param source the area to copy from
     * @param sourceOffset the offset of the bytes in it
     * @param target the area to copy to
     * @param targetOffset the offset of the bytes in it
     * @param bytes the number of bytes, 0 or more
     */
    public void copy(Area source, long sourceOffset, Area target, long targetOffset, long bytes) {
        mover.copy(source, sourceOffset, target, targetOffset, bytes);
    }

    /**
     * Combines bytes of two areas: {@code target = left op right}. The target may be one of them. Before it combines,
     * it sends the frames that puts to other nodes have gathered.
     *
     * @param kernel the operator for the type
     * @param left the area with the elements of lower ranks
     * @param leftOffset the offset of the elements in it
     * @param right the area with the elements of higher ranks
     * @param rightOffset the offset of the elements in it
     * @param target the area for the result
     * @param targetOffset the offset of the result in it
     * @param bytes the number of bytes, a multiple of the operator's unit
     */
    public void combine(Kernel kernel, Area left, long leftOffset, Area right, long rightOffset, Area target,
            long targetOffset, long bytes) {
        mover.combine(kernel, left, leftOffset, right, rightOffset, target, targetOffset, bytes);
    }

    // ---- between nodes

    /** Returns whether every transfer that the current operation has begun has been sent or taken; for assertions. */
    boolean areFlowsDone() {
        return flows.areDone();
    }

    /**
     * Returns the receiving end of the flow, a stream of pieces from another node, that comes over an edge.
     *
     * @param edge the edge, of this node
     * @return the receiving end, which an algorithm opens in each operation; further flows may follow over the same
     *         edge
     */
    public Inflow inflow(int edge) {
        return flows.inflow(edge);
    }

    /**
     * Returns the sending end of a flow, a stream of pieces to another node.
     *
     * @param edge the edge of this node on which the other node's credits arrive
     * @return the sending end, which an algorithm opens in each operation. Flows without credits, and further flows to
     *         the same node, may follow in the same operation
     */
    public Outflow outflow(int edge) {
        return flows.outflow(edge);
    }

    /**
     * {@return the schedule in which this node invites other nodes, after an algorithm has {@linkplain
     * RendezvousSchedule#begin begun} it}
     */
    public RendezvousSchedule rendezvousSchedule() {
        return turns;
    }

    /**
     * Returns the pair of this node and another node: an edge over which data and credits go both ways, with a short
     * eager buffer ({@link #exceedsPair}). Only algorithms for which {@link Algorithm#usesPairs} is true may use pairs.
     *
     * @param otherNode the other node
     * @return the edge at this node; at the other node, data go to the pair of this node
     */
    public int pair(int otherNode) {
        return flows.pair(otherNode);
    }

    /** {@return the length of the eager buffer of a pair, in bytes, the same at every rank} */
    public long pairBytes() {
        return context.layout.pairEagerBytes();
    }

    /**
     * Returns whether a message is too long for the eager buffer of a pair. The receiver must then invite the sender to
     * a window.
     *
     * @param bytes the number of bytes that come over the pair in an operation
     * @return whether the message is too long, the same at every rank
     */
    public boolean exceedsPair(long bytes) {
        return flows.exceedsPair(bytes);
    }

    /**
     * {@return the longest piece of a message that the fabric sends as one packet, in bytes; the same at every rank}
     */
    public int packetBytes() {
        return context.machine.packetBytes();
    }

    /**
     * Cuts a message into chunks, which go through the places of a window in turn.
     *
     * @param bytes the length of the message
     * @param most the length of the longest chunk, 1 or more bytes
     * @param places the number of places in a window
     * @return the chunks, set before the first one; the next call uses the same object again
     */
    public Chunk chunks(long bytes, long most, int places) {
        return chunk.begin(bytes, most, places);
    }

    /**
     * Returns the eager buffer of an edge on this node, which all ranks of the node can read. If a node receives
     * nothing over the edge itself, it may invite other nodes to the buffer. Only for messages of more than {@link
     * RingLayout#EDGE_PAYLOAD_BYTES}.
     *
     * @param edge the edge
     * @return the memory, {@link RingLayout#EAGER_BUFFER_BYTES} long, valid until the next call
     */
    public Area eagerBuffer(int edge) {
        edges.findEagerBuffer(edge, eagerBuffer);
        return eagerBuffer;
    }

    /**
     * {@return whether all ranks are known to have joined the communicator} The result is false while a group is being
     * made; in the group's first operation nodes {@linkplain #meet meet}.
     */
    public boolean isComplete() {
        return context.operations.isComplete();
    }

    /**
     * Waits until another node has called this method for this node, over the edge with the same index. Before that,
     * the other node's block may not exist.
     *
     * @param otherNode the other node
     * @param edge the edge, the same at both nodes; {@link #MET} pieces count as arrived over it when this method
     *            returns
     */
    public void meet(int otherNode, int edge) {
        edges.meet(otherNode, edge);
    }

    /**
     * Records that every rank has entered the current operation. An algorithm calls this when its waits have shown it.
     * All ranks have then left the operation that used the slot before, so this rank need not ask other nodes. The tags
     * of READY words and puts have passed from rank to rank whether any rank had another operation in flight. If none
     * had, all ranks have left every earlier operation.
     */
    public void noteAllAreHere() {
        context.operations.raiseLeftEverywhere(OperationSequence.leftBy(operation.sequence, operation.quiet));
    }
}
