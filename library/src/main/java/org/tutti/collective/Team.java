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
import org.tutti.collective.operation.CallRecorder;
import org.tutti.collective.operation.DataMover;
import org.tutti.collective.operation.Operation;
import org.tutti.collective.operation.OperationSequence;
import org.tutti.collective.operation.OperationWait;
import org.tutti.collective.operation.RunningCall;
import org.tutti.collective.operation.StepWords;
import org.tutti.collective.operation.TeamContext;
import org.tutti.collective.window.OperationWindows;
import org.tutti.collective.window.WindowPool;
import org.tutti.collective.window.ZeroCopyLoans;
import org.tutti.memory.WaitingCall;
import org.tutti.pattern.LevelTree;
import org.tutti.pattern.RootedTree;

/**
 * A rank's handle on a communicator for the algorithms of collectives. It knows the ranks and their nodes, and has
 * methods that wait for other ranks, show memory to them and move data. An algorithm calls these methods and touches no
 * raw memory. An operation is one run of an algorithm.
 *
 * <p><b>Life.</b> A rank has one team for its blocking calls, made when the rank joins the communicator ({@code
 * RankCommunicators}). For non-blocking calls {@code RequestRunner} makes further teams by {@link #forBackground}, and
 * uses each of them for many calls. A team lives as long as the communicator, and is in one operation at a time. {@link
 * Call#run} begins an operation, gives the team to the algorithm, and leaves the operation. One thread runs an
 * operation from its first to its last step; another thread may run the team's next one. Several teams of a rank may be
 * in different operations at the same time. They share the rank's {@link OperationSequence}, which numbers the
 * operations.
 *
 * <p><b>Use.</b> An algorithm numbers its steps 1, 2, 3, …, and two words in shared memory, {@link #READY} and {@link
 * #DONE}, tell the other ranks of the node which step a rank has reached. A rank takes memory with {@link #show},
 * writes to it, and posts READY. Another rank awaits that READY, finds the memory with {@link #shown}, and reads it.
 * Data for another node are sent by an {@link Outflow} and received by an {@link Inflow}. Memory that a rank shows is
 * not used again until all ranks of its node have left the operation.
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
     * The word with which a rank announces that its data of a step can be read. The word's cache line also holds short
     * data and a hash of the rank's calls.
     */
    public static final long READY = RingLayout.READY;

    /**
     * The word with which a rank announces that it no longer needs the data of a step. The word has a cache line to
     * itself.
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
    final RunningCall running;
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
    private final CallRecorder recorder;
    private final Area eagerBuffer = new Area();
    private final Chunk chunk = new Chunk();

    /**
     * Creates the team with which a rank runs its blocking calls.
     *
     * @param machine the machine that reads and writes shared memory and puts data to other nodes
     * @param members the states of the communicator's ranks: which of them have joined, left or failed
     * @param pool the pool of this rank's windows, the memory that it shows to the other ranks of its node
     * @param ringAddress the address of the communicator's shared memory on this node, which {@link RingLayout}
     *            describes
     * @param rank this rank
     * @param view the ranks and nodes of the communicator
     * @param endpoints the processes and memory regions of the ranks on other nodes; null if there is one node
     */
    public Team(Machine machine, Members members, WindowPool pool, long ringAddress, int rank, NodeView view,
            EndpointTable endpoints) {
        this(machine, members, pool, ringAddress, rank, view, endpoints, null);
    }

    /**
     * Creates the team with which a rank runs its blocking calls, and records the calls.
     *
     * @param machine the machine that reads and writes shared memory and puts data to other nodes
     * @param members the states of the communicator's ranks: which of them have joined, left or failed
     * @param pool the pool of this rank's windows, the memory that it shows to the other ranks of its node
     * @param ringAddress the address of the communicator's shared memory on this node, which {@link RingLayout}
     *            describes
     * @param rank this rank
     * @param view the ranks and nodes of the communicator
     * @param endpoints the processes and memory regions of the ranks on other nodes; null if there is one node
     * @param recorder the recorder of the rank's calls on the communicator; null to record nothing
     */
    public Team(Machine machine, Members members, WindowPool pool, long ringAddress, int rank, NodeView view,
            EndpointTable endpoints, CallRecorder recorder) {
        this(new TeamContext(machine, members, pool.memory(), ringAddress, rank, view, endpoints, null), pool,
                recorder);
    }

    private Team(TeamContext context, WindowPool pool, CallRecorder recorder) {
        this.context = context;
        this.recorder = recorder;
        this.running = new RunningCall(recorder, context.blocking);
        this.pool = pool;
        this.operation = new Operation(context.layout);
        this.waiting = new OperationWait(context, operation, running);
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
     * Creates another team of this rank and communicator, for non-blocking calls. The new team is in one operation at a
     * time. Other teams of the rank may be in other operations on other threads at the same time.
     *
     * @param background the machine with which the new team reaches memory and other nodes
     * @return the new team
     */
    public Team forBackground(Machine background) {
        context.operations.expectOtherThreads();
        return new Team(context.forBackground(background), pool, recorder);
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

    /**
     * {@return the tree of this node's ranks that the levels of groups determine} Without levels, all other ranks are
     * children of the root.
     */
    public LevelTree levelTree() {
        return context.view.levelTree;
    }

    /** {@return the number of levels of groups inside this node; 0 if there are none} */
    public int levels() {
        return context.view.levels.length;
    }

    /**
     * Returns the size of the groups into which a level divides the ranks of this node. The last group may have fewer
     * ranks.
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
     * Returns the number of ranks on the nodes before a given node. If one block of each rank is stored in the order of
     * the nodes, this number is the index of the node's first block.
     *
     * @param ofNode the node, or {@link #nodes} for all nodes
     * @return the number of ranks: 0 for node 0, and {@link #size} for {@link #nodes}
     */
    public int position(int ofNode) {
        return context.view.positions[ofNode];
    }

    /**
     * Returns the number of ranks on consecutive nodes. Node 0 follows the last node.
     *
     * @param firstNode the first of the nodes
     * @param count the number of nodes, 0 to {@link #nodes}
     * @return the number of ranks
     */
    public int ranksOn(int firstNode, int count) {
        int end = firstNode + count;
        return end <= context.nodes() ? position(end) - position(firstNode)
                : size() - position(firstNode) + position(end - context.nodes());
    }

    /** {@return whether the ranks of each node are consecutive, and the nodes are in the order of their ranks} */
    public boolean isInBlocks() {
        return context.view.isInBlocks;
    }

    /**
     * Returns the index of a rank among the ranks of this node.
     *
     * @param other the rank
     * @return the rank's index, or −1 if the rank is on another node
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
     * {@return the length of the longest message of one operation, in bytes, the same at every rank} With this limit an
     * algorithm stays below {@link #STEPS_MAX} steps, even if it takes {@value NodeView#STEPS_PER_RANK_AND_WINDOW}
     * steps for each rank and each window. The number of windows is the length of the message divided by {@link
     * #windowBytesMax}.
     */
    public long operationBytesMax() {
        return context.view.operationBytesMax;
    }

    /**
     * {@return the length of the longest block, in bytes, if one block of each rank must fit into one window} Each node
     * counts as if it had {@link #ranksMax} ranks. The length is the same at every rank. It is 0 if there are very many
     * ranks.
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
     * Returns an entry for reports on waiting ranks. It says that this rank waits in a call, and that the rank for
     * which it waits is unknown.
     *
     * @param name the name of the call, such as "barrier"
     * @return the entry
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

    /** {@return the context of this team, which holds the fields that never change; groups are made from it} */
    public TeamContext context() {
        return context;
    }

    /**
     * Throws an exception if a thread of this rank is known to be in a blocking call of this communicator. The check is
     * a best effort.
     *
     * @param called the name of the call that is about to be made, such as "barrier"
     * @throws IllegalStateException if a thread is in a blocking call
     */
    public void checkIdle(String called) {
        context.checkIdle(called);
    }

    /**
     * Returns the exception that explains the failure of a call to the caller. A rank that has left its job has lost
     * the job's memory, so the call may have thrown an exception that does not name the cause.
     *
     * @param failure the exception that the call has thrown
     * @return an exception which says that the rank has left its job, or {@code failure} itself if the rank has not
     *         left or {@code failure} is a {@code TuttiException}
     */
    public Throwable explain(Throwable failure) {
        return context.operations.hasEnded() && !(failure instanceof TuttiException) ? waiting.hasLeft() : failure;
    }

    /**
     * {@return the number of the current operation} Operations are numbered from 0, in the same way at every rank.
     */
    public long operation() {
        return operation.sequence;
    }

    /**
     * {@return the number that this rank will give its next operation} Operations are numbered from 0, in the same way
     * at every rank.
     */
    public long nextOperation() {
        return context.operations.drawn();
    }

    // ---- words

    /**
     * Announces to the other ranks of this node that this rank has reached a step of the current operation. A rank that
     * awaits the step sees everything that this rank has written before.
     *
     * @param word {@link #READY} if other ranks may read this rank's data of the step, or {@link #DONE} if this rank
     *            has read theirs
     * @param step the step, 1 to {@value #STEPS_MAX}. It must be greater than the last step that this rank has posted
     *            with the word.
     */
    public void post(long word, long step) {
        words.post(word, step);
    }

    /**
     * Waits until another rank of this node has posted a step of the current operation.
     *
     * @param other the other rank's index on this node
     * @param word the word with which the other rank posts the step, {@link #READY} or {@link #DONE}
     * @param step the step; if it is 0 or less, this method returns immediately
     */
    public void await(int other, long word, long step) {
        words.await(other, word, step);
    }

    /**
     * Waits until every other rank of this node has posted a step of the current operation.
     *
     * @param word the word with which the ranks post the step, {@link #READY} or {@link #DONE}
     * @param step the step; if it is 0 or less, this method returns immediately
     */
    public void awaitOthers(long word, long step) {
        words.awaitOthers(word, step);
    }

    /**
     * Waits until all children of this rank in a tree of the node's ranks have posted a step of the current operation.
     *
     * @param tree the tree of the node's ranks
     * @param root the local rank of the tree's root
     * @param word the word with which the ranks post the step, {@link #READY} or {@link #DONE}
     * @param step the step; if it is 0 or less, this method returns immediately
     */
    public void awaitChildren(RootedTree tree, int root, long word, long step) {
        words.awaitChildren(tree, root, word, step);
    }

    // ---- data

    /**
     * Takes memory in which this rank will show data to the other ranks of its node. Short data get the space beside
     * this rank's {@link #READY} word. Longer data get a window of this rank's pool. No later operation uses the memory
     * until all ranks of the node have left this one. Within the operation, a rank that writes to a part of the memory
     * again first awaits {@link #DONE} of the readers. A rank calls this method once in an operation, before it
     * {@linkplain #post posts} READY for the data.
     *
     * @param bytes the length of the data, 0 to {@link #windowBytesMax}
     * @return the memory for the data
     */
    public Area show(long bytes) {
        return show(bytes, Integer.MAX_VALUE);
    }

    /**
     * Takes memory in which this rank will show data to its node, as {@link #show(long)} does, but first waits until
     * fewer than {@code windowsMax} windows of the rank's ring of windows are in use. Windows outside the ring, such as
     * those of requests, do not count.
     *
     * @param bytes the length of the data, 0 to {@link #windowBytesMax}
     * @param windowsMax the greatest number of windows in use, 1 or more. Short data beside a word do not count.
     * @return the memory for the data
     */
    public Area show(long bytes, int windowsMax) {
        return windows.show(bytes, windowsMax);
    }

    /**
     * Finds the memory in which another rank of this node shows its data. This rank must first have awaited ({@link
     * #await}) the other rank's READY for the data.
     *
     * @param other the other rank's index on this node
     * @param bytes the number of bytes with which the other rank has called {@link #show}
     * @return the memory. The object is used again for the fourth area that is found after this one.
     */
    public Area shown(int other, long bytes) {
        return windows.shown(other, bytes);
    }

    /**
     * Takes memory in which this rank will show data to the other ranks of its node, if they do not know the length of
     * the data. The space beside this rank's {@link #READY} word tells them where the memory is.
     *
     * @param bytes the length of the data, 0 or more
     * @return the memory for the data
     */
    public Area showVarying(long bytes) {
        return windows.showVarying(bytes);
    }

    /**
     * Finds the memory in which another rank of this node shows data of a length that this rank does not know ({@link
     * #showVarying}). This rank must first have awaited ({@link #await}) the other rank's READY for the data.
     *
     * @param other the other rank's index on this node
     * @return the memory. The object is used again for the fourth area that is found after this one.
     */
    public Area shownVarying(int other) {
        return windows.shownVarying(other);
    }

    /**
     * Takes an inbox, a block of memory into which other nodes put data, and tells the other ranks of this node where
     * it is. Only the node's master calls this method, before it invites another node to the inbox.
     *
     * @param bytes the length of the inbox, the same in every call within an operation
     */
    public void tellInbox(long bytes) {
        windows.tellInbox(bytes);
    }

    /**
     * Writes a number of 64 bits to memory that this rank shows. Other ranks of the node may read it after this rank's
     * next {@link #post}.
     *
     * @param area the area to which the number is written
     * @param at the offset of the number in the area, a multiple of 8
     * @param value the number
     */
    public void write(Area area, long at, long value) {
        context.machine.storePlain(area.segment(), area.start() + at, value);
    }

    /**
     * Reads a number of 64 bits that another rank of this node has written to memory that it shows.
     *
     * @param area the area that holds the number
     * @param at the offset of the number in the area, a multiple of 8
     * @return the number
     */
    public long read(Area area, long at) {
        return context.machine.loadPlain(area.segment(), area.start() + at);
    }

    /** {@return the part of this team with which ranks of this node lend each other the memory of their callers} */
    public ZeroCopyLoans loans() {
        return loans;
    }

    /**
     * Copies bytes from one area of memory to another. Puts to other nodes that are still in send buffers are sent
     * first, so that other nodes do not wait for the copy.
     *
     * @param source the area to copy from
     * @param sourceOffset the offset of the bytes in the source
     * @param target the area to copy to
     * @param targetOffset the offset of the bytes in the target
     * @param bytes the number of bytes, 0 or more
     */
    public void copy(Area source, long sourceOffset, Area target, long targetOffset, long bytes) {
        mover.copy(source, sourceOffset, target, targetOffset, bytes);
    }

    /**
     * Combines the elements of two areas of memory, {@code target = left op right}. The target may be one of the two
     * areas. Puts to other nodes that are still in send buffers are sent first, so that other nodes do not wait.
     *
     * @param kernel the operator for elements of this type
     * @param left the area with the elements of lower ranks
     * @param leftOffset the offset of the elements in {@code left}
     * @param right the area with the elements of higher ranks
     * @param rightOffset the offset of the elements in {@code right}
     * @param target the area for the result
     * @param targetOffset the offset of the result in the target
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
     * Returns the receiving end of the flow that comes to this node over an edge. A flow is a stream of pieces from
     * another node.
     *
     * @param edge the number of the edge, this node's end of a link to another node
     * @return the receiving end. An algorithm opens it in each operation, and may open it again for a later flow over
     *         the edge.
     */
    public Inflow inflow(int edge) {
        return flows.inflow(edge);
    }

    /**
     * Returns the sending end of a flow, a stream of pieces to another node.
     *
     * @param edge the number of this node's edge over which the other node's credits, the permissions to send more,
     *            arrive
     * @return the sending end. An algorithm opens it in each operation. In the same operation it may open it again for
     *         a flow without credits or for a further flow to the same node.
     */
    public Outflow outflow(int edge) {
        return flows.outflow(edge);
    }

    /**
     * {@return the schedule that decides when this node invites each of several senders} An algorithm first {@linkplain
     * RendezvousSchedule#begin begins} it.
     */
    public RendezvousSchedule rendezvousSchedule() {
        return turns;
    }

    /**
     * Returns this node's edge of the pair that it forms with another node. Over a pair data and credits go both ways.
     * Its eager buffers, which take messages without an invitation, are short ({@link #exceedsPair}). Only algorithms
     * for which {@link Algorithm#usesPairs} is true may use pairs.
     *
     * @param otherNode the other node
     * @return the number of the edge at this node. Data for the other node go to the edge that it has for this node.
     */
    public int pair(int otherNode) {
        return flows.pair(otherNode);
    }

    /** {@return the length of the eager buffer that a pair has in a slot, in bytes, the same at every rank} */
    public long pairBytes() {
        return context.layout.pairEagerBytes();
    }

    /** {@return the length of a long buffer of a pair, in bytes, the same at every rank} */
    public long pairLongBytes() {
        return context.layout.pairLongBytes();
    }

    /**
     * Returns whether a message is too long for the long buffer of a pair, an edge between every two nodes. The
     * receiver of such a message must invite the sender to a window.
     *
     * @param bytes the number of bytes that come over the pair in an operation
     * @return whether the message is too long, the same at every rank
     */
    public boolean exceedsPair(long bytes) {
        return flows.exceedsPair(bytes);
    }

    /**
     * Returns the length of the pieces of a message of blocks over a pair. A message that fits into the eager buffer
     * that the pair has in a slot is one piece. A longer message has pieces of one or several whole blocks.
     *
     * @param block the length of each block, in bytes, 0 or more
     * @param bytes the length of the message, in bytes, 0 or more
     * @return the length of a piece in bytes, 1 or more; the same at every rank
     */
    public long messagePieceBytes(long block, long bytes) {
        return flows.messagePieceBytes(block, bytes);
    }

    /**
     * {@return the longest piece of a message that the fabric sends as one packet, in bytes; the same at every rank}
     */
    public int packetBytes() {
        return context.machine.packetBytes();
    }

    /**
     * Cuts a message into chunks, which use the places of a rank's window in turn. A place is a buffer for one chunk.
     *
     * @param bytes the length of the message
     * @param most the greatest length of a chunk, 1 or more bytes
     * @param places the number of places in a window
     * @return the chunks, positioned before the first one. The next call of this method uses the same object again.
     */
    public Chunk chunks(long bytes, long most, int places) {
        return chunk.begin(bytes, most, places);
    }

    /**
     * Returns the eager buffer of an edge of this node, the memory into which another node puts without an invitation.
     * All ranks of the node can read it. If a node receives nothing over the edge itself, it may invite other nodes to
     * the buffer. Only operations for which {@link Algorithm#usesEagerBuffers} is true may call this method.
     *
     * @param edge the number of the edge, this node's end of a link to another node
     * @return the memory, {@link RingLayout#EAGER_BUFFER_BYTES} long, valid until the next call of this method
     */
    public Area eagerBuffer(int edge) {
        edges.findEagerBuffer(edge, eagerBuffer);
        return eagerBuffer;
    }

    /**
     * {@return whether all ranks are known to have joined the communicator} The result is false while a group is being
     * made. Nodes {@linkplain #meet meet} in the group's first operation, before they send each other data.
     */
    public boolean isComplete() {
        return context.operations.isComplete();
    }

    /**
     * Waits until another node has called this method for this node. Before that, the other node's shared memory may
     * not exist, so no data can be put there.
     *
     * @param otherNode the other node
     * @param edge the number of the edge over which the nodes meet, the same at both nodes. When this method returns,
     *            {@link #MET} pieces count as arrived over it.
     */
    public void meet(int otherNode, int edge) {
        edges.meet(otherNode, edge);
    }

    /**
     * Records that every rank has entered the current operation. An algorithm calls this method once the words for
     * which it has waited prove this. All ranks have then left the earlier operation whose slot, or part of shared
     * memory, this operation uses. Therefore this rank need not ask other nodes whether they have left it. The READY
     * words and the puts also carry a tag, which says whether any rank had another operation in flight. If none had,
     * all ranks have left every earlier operation.
     */
    public void noteAllAreHere() {
        context.operations.raiseLeftEverywhere(
                OperationSequence.leftBy(operation.sequence, operation.quiet, context.layout.slots()));
    }
}
