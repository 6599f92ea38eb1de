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
 * A communicator as an algorithm sees it, at one rank: who takes part, the words and windows of the current operation,
 * and the few verbs that move data.
 *
 * <p>A team is in one operation at a time. What the operations of a communicator share at a rank is in its {@link
 * OperationSequence}, so several teams of the rank may be in different operations, each on a thread of its own.
 *
 * <p>A team is composed of parts, each of which argues its own safety: {@link OperationLifecycle} has leaving, closing
 * and memory ordering, {@link OperationWait} mismatches and the other ends of a wait, {@link OperationWindows} the
 * memory that ranks show, {@link Edges} the data between nodes, {@link CommunicatorClose} the end of the communicator.
 */
public final class Team {
    /** The rank of a node that exchanges with other nodes, by its place there. */
    public static final int MASTER = TeamContext.MASTER;

    /** The word that says "my data of step k are there to be read"; its line carries fingerprint and payload. */
    public static final long READY = RingLayout.READY;

    /** The word that says "I have taken what I needed of step k"; it has a line to itself. */
    public static final long DONE = RingLayout.DONE;

    /** How many pieces have come over an edge over which nodes have {@linkplain #meet met}. */
    public static final long MET = Edges.MET;

    /** The steps that an operation may have. */
    public static final int STEPS_MAX = RingLayout.STEPS_MAX;

    final TeamContext context;
    final Operation operation;
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
     * @param machine the machine that reaches memory and other nodes
     * @param members what is known of the ranks' lives
     * @param pool this rank's windows
     * @param ringAddress the block of this communicator on this node, as {@link RingLayout} has it
     * @param rank this rank
     * @param view which ranks are on which nodes
     * @param endpoints how ranks on other nodes are reached; null with one node
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
     * Another view of this communicator at this rank, for operations that were started: it is in one operation at a
     * time, as every team, but others may be in different ones meanwhile, on other threads.
     *
     * @param background the machine of the threads that run them
     * @return the team
     */
    public Team forBackground(Machine background) {
        context.operations.expectOtherThreads();
        return new Team(context.forBackground(background), pool);
    }

    // ---- who takes part, and where

    /**
     * {@return this rank, 0 to size − 1}
     */
    public int rank() {
        return context.rank;
    }

    /**
     * {@return how many ranks take part}
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
     * {@return this rank's place among the ranks of its node, in ascending order; those that share memory know each
     * other by it}
     */
    public int localRank() {
        return context.localRank;
    }

    /**
     * {@return how many of the ranks are on this node}
     */
    public int localSize() {
        return context.localSize;
    }

    /**
     * {@return how many ranks the node has that has most of them}
     */
    public int ranksMax() {
        return context.view.ranksMax;
    }

    /**
     * {@return whether this is the rank that talks to other nodes for its node: its first}
     */
    public boolean isMaster() {
        return context.isMaster();
    }

    /**
     * {@return the tree of this node's ranks that its levels make: flat when there are none}
     */
    public LevelTree levelTree() {
        return context.view.levelTree;
    }

    /**
     * {@return how many levels of groups there are inside this node, 0 for none}
     */
    public int levels() {
        return context.view.levels.length;
    }

    /**
     * Tells the size of the groups of a level, less than {@link #localSize()}; the last group may have fewer ranks.
     *
     * @param level 0 to {@link #levels()} − 1, from the smallest groups to the greatest
     * @return the ranks of a group
     */
    public int groupSize(int level) {
        return context.view.levels[level];
    }

    /**
     * {@return the number of this node}
     */
    public int node() {
        return context.node;
    }

    /**
     * {@return how many nodes the ranks are on}
     */
    public int nodes() {
        return context.nodes();
    }

    /**
     * Tells on which node a rank is.
     *
     * @param other the rank
     * @return its node
     */
    public int nodeOf(int other) {
        return context.topology.nodeOf(other);
    }

    /**
     * Tells how many ranks a node has.
     *
     * @param ofNode the node
     * @return how many, 1 or more
     */
    public int ranksOn(int ofNode) {
        return context.topology.ranksOn(ofNode);
    }

    /**
     * Finds a rank by node and local rank.
     *
     * @param onNode the node
     * @param localRank its index among the ranks of that node
     * @return the rank
     */
    public int rankAt(int onNode, int localRank) {
        return context.topology.rankAt(onNode, localRank);
    }

    /**
     * Tells the index of a rank among the ranks of its node.
     *
     * @param other the rank
     * @return its local rank
     */
    public int localRankOf(int other) {
        return context.topology.localRankOf(other);
    }

    /**
     * Counts the ranks of the nodes before one: the position of its first rank where the blocks of all ranks lie node
     * by node, so that those of each node lie together.
     *
     * @param ofNode the node, or {@link #nodes}
     * @return how many ranks, 0 for node 0, and all before an end
     */
    public int position(int ofNode) {
        return context.view.positions[ofNode];
    }

    /**
     * {@return whether the ranks of each node follow each other, and so the nodes, too, in the order of the ranks}
     */
    public boolean isInBlocks() {
        return context.view.isInBlocks;
    }

    /**
     * Tells the local rank of a rank of this node.
     *
     * @param other the rank
     * @return its local rank, or −1 when it is on another node
     */
    public int localRankHere(int other) {
        return context.localRankHere(other);
    }

    /**
     * {@return the greatest number of bytes that {@link #show} can give a rank, the same at every rank: a power
     * of two}
     */
    public long windowBytesMax() {
        return context.view.windowBytesMax;
    }

    /**
     * {@return the longest message of one operation, in bytes, the same at every rank: so long that an algorithm stays
     * below {@link #STEPS_MAX} steps that takes {@value NodeView#STEPS_PER_RANK_AND_WINDOW} for each rank and each
     * greatest window that the message would fill}
     */
    public long operationBytesMax() {
        return context.view.operationBytesMax;
    }

    /**
     * {@return the longest block, in bytes, of which a window has room for as many as there are ranks, or would be if
     * each node had {@link #ranksMax}; the same at every rank, and 0 where there are very many}
     */
    public long blockBytesMax() {
        return context.view.blockBytesMax;
    }

    /**
     * {@return what to call this rank in messages}
     */
    public String describe() {
        return context.describe();
    }

    /**
     * Describes another rank.
     *
     * @param other the rank
     * @return what to call it in messages
     */
    public String describe(int other) {
        return context.members.describe(other);
    }

    /**
     * Tells of a call of this rank, when nothing is known of for whom it waits.
     *
     * @param name the call, such as "barrier"
     * @return the call
     */
    public WaitingCall describeCall(String name) {
        Members members = context.members;
        return new WaitingCall(members.job(), members.rankInJob(context.rank), name, members.communicator(), 0,
                WaitingCall.UNKNOWN);
    }

    // ---- calls

    /**
     * {@return how the communicator ends at this rank}
     */
    public CommunicatorClose ending() {
        return close;
    }

    /**
     * {@return the part of this team that never changes, for the making of groups}
     */
    public TeamContext context() {
        return context;
    }

    /**
     * Makes sure that no other thread is in a blocking call of this communicator, at best effort.
     *
     * @param called what is to be called, such as "barrier"
     * @throws IllegalStateException when one is
     */
    public void checkIdle(String called) {
        context.checkIdle(called);
    }

    /**
     * Tells what a call ends with when its rank has left the job meanwhile, and with it the memory.
     *
     * @param failure what was thrown
     * @return what says so, or else the same
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

    /**
     * {@return the number of the operation that this rank will draw next, the same at every rank}
     */
    public long nextOperation() {
        return context.operations.drawn();
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
        words.post(word, step);
    }

    /**
     * Waits until another rank of this node has reached a step of the current operation.
     *
     * @param other the rank, by its place on the node
     * @param word {@link #READY} or {@link #DONE}
     * @param step the step; 0 or less is always reached
     */
    public void await(int other, long word, long step) {
        words.await(other, word, step);
    }

    /**
     * Waits until every other rank of this node has reached a step.
     *
     * @param word {@link #READY} or {@link #DONE}
     * @param step the step; 0 or less is always reached
     */
    public void awaitOthers(long word, long step) {
        words.awaitOthers(word, step);
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
        return windows.show(bytes, windowsMax);
    }

    /**
     * Finds the memory in which a rank of this node shows its data. Only after {@link #await} of its READY.
     *
     * @param other the rank, by its place on the node
     * @param bytes the size that the other rank has asked for
     * @return the memory, until four more were found
     */
    public Area shown(int other, long bytes) {
        return windows.shown(other, bytes);
    }

    /**
     * As {@link #show(long)}, where each rank shows as much as it likes, and others do not know how much: the payload
     * of its READY line says where it is.
     *
     * @param bytes how many, 0 or more
     * @return the memory
     */
    public Area showVarying(long bytes) {
        return windows.showVarying(bytes);
    }

    /**
     * Finds what another rank of this node shows by {@link #showVarying}. Only after {@link #await} of its READY.
     *
     * @param other the rank, by its place on the node
     * @return the memory, until four more were found
     */
    public Area shownVarying(int other) {
        return windows.shownVarying(other);
    }

    /**
     * Takes an inbox, at the master of this node, and tells the other ranks of the node where it is. Before the master
     * invites another node there.
     *
     * @param bytes the length of the inbox, the same each time in an operation
     */
    public void tellInbox(long bytes) {
        windows.tellInbox(bytes);
    }

    /**
     * Writes a number where others find it after {@link #post}.
     *
     * @param area the memory
     * @param at at which byte of it, a multiple of 8
     * @param value the number
     */
    public void write(Area area, long at, long value) {
        context.machine.storePlain(area.segment(), area.start() + at, value);
    }

    /**
     * Reads a number that another rank has written.
     *
     * @param area the memory
     * @param at at which byte of it, a multiple of 8
     * @return the number
     */
    public long read(Area area, long at) {
        return context.machine.loadPlain(area.segment(), area.start() + at);
    }

    /**
     * {@return the callers' memory that ranks of this node lend each other}
     */
    public ZeroCopyLoans loans() {
        return loans;
    }

    /**
     * Sends the frames that puts to other nodes have gathered, so that other nodes do not wait for the copy; then
     * copies bytes from one area to another.
     *
     * @param source from where
     * @param sourceOffset at which byte of the area
     * @param target to where
     * @param targetOffset at which byte of the area
     * @param bytes how many
     */
    public void copy(Area source, long sourceOffset, Area target, long targetOffset, long bytes) {
        mover.copy(source, sourceOffset, target, targetOffset, bytes);
    }

    /**
     * Sends the frames that puts to other nodes have gathered; then combines bytes of two areas: {@code target = left
     * op right}. The target may be one of them.
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
        mover.combine(kernel, left, leftOffset, right, rightOffset, target, targetOffset, bytes);
    }

    // ---- between nodes

    /** Whether all flows have carried what the present operation has begun; for assertions. */
    boolean areFlowsDone() {
        return flows.areDone();
    }

    /**
     * Finds what comes over an edge.
     *
     * @param edge the edge, of this node
     * @return what comes, to be opened once an operation
     */
    public Inflow inflow(int edge) {
        return flows.inflow(edge);
    }

    /**
     * Finds what goes to another node.
     *
     * @param edge the edge of this node that awaits that node's credits
     * @return what goes, to be opened once an operation, or one after the other for flows without credits
     */
    public Outflow outflow(int edge) {
        return flows.outflow(edge);
    }

    /**
     * {@return in which order this node invites others: once an algorithm has {@linkplain RendezvousSchedule#begin
     * begun} it}
     */
    public RendezvousSchedule rendezvousSchedule() {
        return turns;
    }

    /**
     * Finds the pair of this node and another one: an edge over which data and credits go both ways, whose eager buffer
     * place is short: {@link #exceedsPair}. Only for algorithms that {@linkplain Algorithm#usesPairs say so}.
     *
     * @param otherNode the other node
     * @return the edge, at this node; at the other one it is the pair of this node
     */
    public int pair(int otherNode) {
        return flows.pair(otherNode);
    }

    /**
     * {@return the length of the eager buffer of a pair, the same at every rank}
     */
    public long pairBytes() {
        return context.layout.pairEagerBytes();
    }

    /**
     * Tells whether what comes over a pair has no room in its eager buffer, so that the receiver has to invite the
     * sender to a window.
     *
     * @param bytes how many bytes come in an operation
     * @return whether they have not, the same at every rank
     */
    public boolean exceedsPair(long bytes) {
        return flows.exceedsPair(bytes);
    }

    /**
     * {@return the longest piece of a message that is best sent by itself; the same at every rank}
     */
    public int packetBytes() {
        return context.machine.packetBytes();
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
     * Finds the eager buffer of an edge on this node, which all its ranks can read: to invite others to, where nothing
     * comes over the edge itself. Only for messages of more than {@link RingLayout#EDGE_PAYLOAD_BYTES}.
     *
     * @param edge the edge
     * @return the memory, {@link RingLayout#EAGER_BUFFER_BYTES} long, until this is asked again
     */
    public Area eagerBuffer(int edge) {
        edges.findEagerBuffer(edge, eagerBuffer);
        return eagerBuffer;
    }

    /**
     * {@return whether all ranks are known to have arrived; else this is a group's first operation, in which nodes
     * {@linkplain #meet meet}}
     */
    public boolean isComplete() {
        return context.operations.isComplete();
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
        context.operations.raiseLeftEverywhere(OperationSequence.leftBy(operation.sequence, operation.quiet));
    }
}
