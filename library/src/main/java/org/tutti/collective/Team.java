/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

import org.tutti.CallInterruptedException;
import org.tutti.Collective;
import org.tutti.CollectiveMismatchException;
import org.tutti.DataType;
import org.tutti.DeadlineExceededException;
import org.tutti.RankFailedException;
import org.tutti.Topology;
import org.tutti.collective.kernel.Kernel;
import org.tutti.memory.Memory;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * A communicator as an algorithm sees it, at one rank: who takes part, the words and windows of the current operation,
 * and the few verbs that move data. All that makes operations safe is here, once.
 *
 * <p><b>Slots.</b> The operations of a communicator are numbered 0, 1, 2, … on each rank, in the order of its calls.
 * Operation s lives in slot s mod {@value RingLayout#SLOTS} and is that slot's generation g = s / {@value
 * RingLayout#SLOTS}. The words of a slot are never reset: an algorithm speaks of steps 1, 2, 3, …, and step k of
 * generation g is the value (g + 1)·2<sup>16</sup> + k, greater than all values of earlier generations.
 *
 * <p><b>Leaving and closing.</b> When a rank has finished operation s it stores s + 1 in its <i>left</i> word. An
 * operation that all ranks have left is <i>closed</i>. A rank enters operation s only when operation s − {@value
 * RingLayout#SLOTS} is closed: so nobody writes to a cell, a payload or a window that somebody may still read. A rank
 * that finds its own knowledge of the closed operations too old reads the left words of all ranks; as these are usually
 * far ahead, it does so once in some {@value RingLayout#SLOTS} operations. Between nodes the same: before the first put
 * or signal of an operation to another node, the ranks there must have left the operation {@value RingLayout#SLOTS}
 * before, and who does not know that gets their left words from there. This is the one mechanism against overrunning.
 *
 * <p><b>Memory ordering.</b> Writer: fingerprint, payload and window with plain stores, then {@link #post} with release
 * order. Reader: {@link #await} with acquire order, then plain reads, then {@link #leave}, which stores the left word
 * with release order. Writer again: acquire loads of all left words before its next store to the slot. Hence every read
 * of generation g happens before every write of generation g + 1.
 *
 * <p><b>Mismatches.</b> On entering, a rank writes a descriptor of its call into its cell, and beside its READY word a
 * fingerprint of its history: of this call and all before it. Who awaits the READY word of another rank compares
 * fingerprints for nothing; who waits long for any word looks at the awaited rank's descriptor (but not while it
 * waits to enter: its own call is not described yet). As the history is
 * compared, a call that nobody waited in (two roots that both believe to be the only one) is found in the next one that
 * somebody does.
 *
 * <p><b>Breaking.</b> An operation that ends with an exception leaves its slot undefined, so it breaks the
 * communicator: the first who does so sets the broken word to its reason and rank; waiting ranks and later calls see
 * it.
 */
public final class Team implements Waiter.Check {
    /** The word that says "my data of step k are there to be read"; its line carries fingerprint and payload. */
    public static final long READY = RingLayout.READY;

    /** The word that says "I have taken what I needed of step k"; it has a line to itself. */
    public static final long DONE = RingLayout.DONE;

    /** The steps that an operation may have. */
    public static final int STEPS_MAX = (1 << 16) - 1;

    private static final int OPERATION_CHUNKS_MAX = 1 << 13;
    private static final int GENERATION_SHIFT = 16;

    private static final int MASTER = 0;
    private static final long LOOK_NANOS = 200_000_000;

    private final Machine machine;
    private final Members members;
    private final Memory memory;
    private final Outbox outbox;
    private final Topology topology;
    private final Reach reach;
    private final RingLayout layout;
    private final MemorySegment ring;
    private final int rank;
    private final int size;
    private final int node;
    private final int[] localRanks;
    private final int localRank;
    private final int localSize;
    private final Area[] places;
    private final Area[] landings;
    private final long[] addresses;
    private final MemorySegment[] outboxes;
    private final long windowBytesMax;
    private final MemorySegment fetched;
    private final MemorySegment scratch;
    private final Area star = new Area();
    private final RingLayout[] layouts;

    private long sequence;
    private long slot;
    private long base;
    private long closed;
    private long allHere;
    private long[] leftElsewhere;
    private long changesSeen;
    private boolean busy;
    private boolean unflushed;
    private long[] invited = new long[1];
    private int invitations;

    private Collective collective;
    private long history;
    private long deadlineNanos;
    private int awaitedRank;
    private long awaitedOffset;
    private long awaitedValue;
    private long lookNanos;

    /**
     * A team of ranks on one node.
     *
     * @param machine what to do things with
     * @param members what is known of the ranks' lives
     * @param memory the node's memory
     * @param ringAddress the block of this communicator, as {@link RingLayout} has it
     * @param outbox this rank's outbox
     * @param rank this rank
     * @param size the communicator's ranks
     */
    public Team(Machine machine, Members members, Memory memory, long ringAddress, Outbox outbox, int rank, int size) {
        this(machine, members, memory, ringAddress, outbox, rank, new Topology(new int[size]), null);
    }

    /**
     * A team of ranks on one node or several.
     *
     * @param machine what to do things with
     * @param members what is known of the ranks' lives
     * @param memory the node's memory
     * @param ringAddress the block of this communicator on this node, as {@link RingLayout} has it
     * @param outbox this rank's outbox
     * @param rank this rank
     * @param topology which ranks are on which nodes
     * @param reach how ranks on other nodes are reached; null with one node
     */
    public Team(Machine machine, Members members, Memory memory, long ringAddress, Outbox outbox, int rank,
            Topology topology, Reach reach) {
        this.machine = machine;
        this.members = members;
        this.memory = memory;
        this.outbox = outbox;
        this.topology = topology;
        this.reach = reach;
        this.rank = rank;
        this.size = topology.size();
        this.node = topology.nodeOf(rank);
        this.localRanks = topology.ranksOf(node);
        this.localSize = localRanks.length;
        this.localRank = Arrays.binarySearch(localRanks, rank);
        this.places = new Area[localSize];
        this.places[localRank] = new Area();
        this.landings = new Area[topology.nodes() == 1 ? 0 : Integer.SIZE];
        this.addresses = new long[localSize];
        this.outboxes = new MemorySegment[localSize];
        int most = 0;
        for (int each = 0; each < topology.nodes(); each++) {
            most = Math.max(most, topology.ranksOn(each));
        }
        this.layouts = new RingLayout[most + 1];
        for (int each = 0; each < topology.nodes(); each++) {
            int ranks = topology.ranksOn(each);
            if (layouts[ranks] == null) {
                layouts[ranks] = new RingLayout(topology.nodes(), ranks);
            }
        }
        this.layout = layouts[localSize];
        this.ring = memory.block(ringAddress, layout.bytes());
        this.windowBytesMax = Outbox.windowBytesMax(most);
        long fetchedBytes = Math.max(RingLayout.CELL_BYTES, (long) most * Words.LINE_BYTES);
        this.fetched = topology.nodes() == 1 ? null : Arena.ofAuto().allocate(fetchedBytes, Words.LINE_BYTES);
        this.scratch = topology.nodes() == 1 ? null
                : Arena.ofAuto().allocate(RingLayout.INVITATION_BYTES, Words.LINE_BYTES);
    }

    // ---- who takes part

    /**
     * {@return this rank, 0 to size − 1}
     */
    public int rank() {
        return rank;
    }

    /**
     * {@return how many ranks take part}
     */
    public int size() {
        return size;
    }

    /**
     * {@return this rank's place among the ranks of its node, in ascending order; those that share memory know each
     * other by it}
     */
    public int localRank() {
        return localRank;
    }

    /**
     * {@return how many of the ranks are on this node}
     */
    public int localSize() {
        return localSize;
    }

    /**
     * {@return whether this is the rank that talks to other nodes for its node: its first}
     */
    public boolean isMaster() {
        return localRank == MASTER;
    }

    /**
     * {@return the number of this node}
     */
    public int node() {
        return node;
    }

    /**
     * {@return how many nodes the ranks are on}
     */
    public int nodes() {
        return topology.nodes();
    }

    /**
     * Tells on which node a rank is.
     *
     * @param other the rank
     * @return its node
     */
    public int nodeOf(int other) {
        return topology.nodeOf(other);
    }

    /**
     * Tells the place of a rank among those of this node.
     *
     * @param other the rank
     * @return its place, or −1 when it is on another node
     */
    public int localRankOf(int other) {
        return Math.max(-1, Arrays.binarySearch(localRanks, other));
    }

    /**
     * {@return the greatest number of bytes that {@link #show} can give a rank, the same at every rank: a power of two}
     */
    public long windowBytesMax() {
        return windowBytesMax;
    }

    /**
     * {@return the longest message of one operation, in bytes, the same at every rank: so long that cutting it into
     * quarters of the greatest window, or anything larger, stays well below {@link #STEPS_MAX} steps}
     */
    public long operationBytesMax() {
        return windowBytesMax / 4 * OPERATION_CHUNKS_MAX;
    }

    // ---- an operation's life

    /**
     * Begins the next operation: notices what has broken meanwhile, waits until the slot is free, and says what is
     * called.
     *
     * @param called the collective
     * @param algorithm the algorithm's name
     * @param type the elements' type, or null
     * @param operator the operator's name, or {@link Label#NONE}
     * @param count how many elements
     * @param root the root, or 0
     * @param untilNanos when it must have ended, in terms of {@link System#nanoTime()}; {@link Long#MAX_VALUE} for
     *            never
     */
    public void enter(Collective called, Label algorithm, DataType type, Label operator, long count, int root,
            long untilNanos) {
        if (busy) {
            throw new IllegalStateException(members.describe(rank) + " called " + called.label()
                    + " while another thread is inside " + collective.label()
                    + " on the same communicator; let one thread at a time use it");
        }
        busy = true;
        collective = called;
        deadlineNanos = untilNanos;
        try {
            checkAlive();
            awaitClosed(sequence - RingLayout.SLOTS);
        } catch (Throwable e) {
            breakOff(e);
            throw e;
        }
        slot = layout.slot(sequence % RingLayout.SLOTS);
        base = (sequence / RingLayout.SLOTS + 1) << GENERATION_SHIFT;
        describe(called, algorithm, type, operator, count, root);
    }

    /**
     * Ends the operation at this rank.
     */
    public void leave() {
        flush();
        revokeInvited();
        sequence++;
        machine.store(ring, layout.left(localRank), sequence);
        busy = false;
    }

    /**
     * Ends the operation, and the communicator, because of an exception.
     *
     * @param failure what was thrown inside the operation
     */
    public void breakOff(Throwable failure) {
        busy = false;
        revokeInvited(); // or a late put would land in memory that the caller uses for something else
        try {
            machine.setOnce(ring, RingLayout.BROKEN, Breakage.word(failure, rank));
        } catch (IllegalStateException closed) { // the job was closed under the call, and its memory is gone
            failure.addSuppressed(closed);
        }
    }

    long sequence() {
        return sequence;
    }

    /** Waits until all ranks of this node have left an operation. */
    void awaitClosed(long operation) {
        if (closed > operation) {
            return;
        }
        long least = Long.MAX_VALUE;
        for (int other = 0; other < localSize; other++) {
            if (other != localRank) {
                awaitWord(localRanks[other], layout.left(other), operation + 1);
                least = Math.min(least, machine.load(ring, layout.left(other)));
            }
        }
        closed = Math.min(least, sequence);
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
            machine.storePlain(ring, cell + RingLayout.FINGERPRINT, history);
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
        awaitWord(localRanks[other], cell + word, base + step);
        if (word == READY && machine.loadPlain(ring, cell + RingLayout.FINGERPRINT) != history) {
            throw mismatch(localRanks[other]);
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
     * a window of its outbox. It belongs to the operation until all ranks have left it. Once an operation, before the
     * first {@link #post} of READY.
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
        Area place = places[localRank];
        if (bytes <= RingLayout.PAYLOAD_BYTES) {
            place.set(ring, payload);
        } else {
            long start = outbox.take(bytes, windowsMax, this);
            place.set(outbox.segment(), start);
            machine.storePlain(ring, payload, outbox.address());
            machine.storePlain(ring, payload + Long.BYTES, outbox.capacity());
            machine.storePlain(ring, payload + 2 * Long.BYTES, start);
        }
        return place;
    }

    /**
     * Finds the memory in which another rank of this node shows its data. Only after {@link #await} of its READY.
     *
     * @param other the rank, by its place on the node
     * @param bytes the size that the other rank has asked for
     * @return the memory
     */
    public Area shown(int other, long bytes) {
        long payload = RingLayout.cell(slot, other) + RingLayout.PAYLOAD;
        Area place = places[other];
        if (place == null) {
            place = new Area();
            places[other] = place;
        }
        if (bytes <= RingLayout.PAYLOAD_BYTES) {
            place.set(ring, payload);
        } else {
            long address = machine.loadPlain(ring, payload);
            if (addresses[other] != address) {
                outboxes[other] = memory.block(address, machine.loadPlain(ring, payload + Long.BYTES));
                addresses[other] = address;
            }
            place.set(outboxes[other], machine.loadPlain(ring, payload + 2 * Long.BYTES));
        }
        return place;
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

    // ---- between nodes

    /**
     * Puts bytes into the landing place of an edge at another node, and says so: who awaits the step there finds them.
     *
     * <p>Before the first put of an operation into a slot of another node, the ranks there must have left the operation
     * that used the slot before. Who does not know that yet reads their left words, as inside a node.
     *
     * @param toNode the other node
     * @param edge the edge there
     * @param step 1 to {@value #STEPS_MAX}, greater than the last on this edge
     * @param source where they are
     * @param sourceOffset at which byte of the area
     * @param place at which byte of the landing place, of {@link RingLayout#LANDING_BYTES}
     * @param bytes how many, 0 or more
     */
    public void put(int toNode, int edge, long step, Area source, long sourceOffset, long place, long bytes) {
        put(toNode, edge, RingLayout.ARRIVED, step, source.segment(), source.start() + sourceOffset, place, bytes);
    }

    /**
     * Puts no bytes, but says that this node has come to a step.
     *
     * @param toNode the other node
     * @param edge the edge there
     * @param step 1 to {@value #STEPS_MAX}, greater than the last on this edge
     */
    public void signal(int toNode, int edge, long step) {
        put(toNode, edge, RingLayout.ARRIVED, step, MemorySegment.NULL, 0, 0, 0);
    }

    /**
     * Gives a landing place back to the node that puts data there: SRM's zero-byte put.
     *
     * @param toNode the other node
     * @param edge the edge there that awaits the credit
     * @param step up to which step the data have been taken
     */
    public void credit(int toNode, int edge, long step) {
        put(toNode, edge, RingLayout.CREDIT, step, MemorySegment.NULL, 0, 0, 0);
    }

    private void put(int toNode, int edge, long word, long step, MemorySegment source, long sourceOffset, long place,
            long bytes) {
        long start = layout.edge(sequence % RingLayout.SLOTS, edge);
        if (word == RingLayout.ARRIVED) { // a credit answers a put of this very operation, so its receiver is in it
            awaitSlot(toNode);
        }
        putIntoRing(toNode, start + RingLayout.LANDING + place, source, sourceOffset, bytes, start + word, step);
    }

    /** Waits until the slot of the current operation is free at another node. */
    private void awaitSlot(int toNode) {
        if (leftElsewhere(toNode) <= sequence - RingLayout.SLOTS) {
            awaitLeft(toNode, sequence - RingLayout.SLOTS);
        }
    }

    private long leftElsewhere(int other) {
        return leftElsewhere == null ? allHere : Math.max(allHere, leftElsewhere[other]);
    }

    /** Only ranks that put to other nodes have to know; most need no table. */
    private void noteLeft(int other, long operations) {
        if (leftElsewhere == null) {
            leftElsewhere = new long[topology.nodes()];
        }
        leftElsewhere[other] = Math.max(leftElsewhere[other], operations);
    }

    private void putIntoRing(int toNode, long offset, MemorySegment source, long sourceOffset, long bytes, long word,
            long step) {
        assert step <= STEPS_MAX : "step " + step;
        int master = master(toNode);
        awaitNothingOf(master);
        if (!machine.put(reach.processes()[master], reach.rings()[master], offset, source, sourceOffset, bytes, word,
                base + step, history, this)) {
            throw gone(master);
        }
        unflushed = true;
    }

    // ---- between nodes, straight to where data belong

    /**
     * Tells whether other nodes can be invited to memory: native memory they can, the heap they cannot.
     *
     * @param area the memory
     * @return whether they can
     */
    public boolean isAddressable(Area area) {
        return area.segment().isNative();
    }

    /**
     * Lets the master of another node put into memory of this rank, or get from it, until this rank leaves the
     * operation; the algorithm sees to it that none does so later. The memory is a window that this rank shows, or the
     * caller's if it {@linkplain #isAddressable can be addressed}. Counts as a step of the edge there, as a put does.
     *
     * @param toNode the other node
     * @param edge the edge there
     * @param step 1 to {@value #STEPS_MAX}, greater than the last on this edge
     * @param area the memory
     * @param bytes how many bytes of it, 1 or more
     */
    public void invite(int toNode, int edge, long step, Area area, long bytes) {
        long region;
        long offset = area.start();
        if (area.segment().equals(ring)) {
            region = reach.rings()[rank];
        } else if (area.segment().equals(outbox.segment())) {
            region = outbox.handle(machine);
        } else {
            region = machine.register(area.segment().asSlice(area.start(), bytes));
            offset = 0;
            noteInvited(region);
        }
        machine.storePlain(scratch, 0, reach.processes()[rank]);
        machine.storePlain(scratch, Long.BYTES, region);
        machine.storePlain(scratch, 2 * Long.BYTES, offset);
        long start = layout.edge(sequence % RingLayout.SLOTS, edge);
        awaitSlot(toNode);
        putIntoRing(toNode, start + RingLayout.INVITATION, scratch, 0, RingLayout.INVITATION_BYTES,
                start + RingLayout.ARRIVED, step);
    }

    private void noteInvited(long region) {
        if (invitations == invited.length) {
            invited = Arrays.copyOf(invited, 2 * invitations);
        }
        invited[invitations++] = region;
    }

    private void revokeInvited() {
        while (invitations > 0) {
            machine.revoke(invited[--invitations]);
        }
    }

    /**
     * Waits until another node has invited this one, and says where to.
     *
     * @param edge the edge that it came over
     * @param step the step
     * @param fromNode the node that has invited
     * @param into is set to the memory there
     */
    public void awaitInvitation(int edge, long step, int fromNode, Target into) {
        awaitArrival(edge, step, fromNode);
        long at = layout.edge(sequence % RingLayout.SLOTS, edge) + RingLayout.INVITATION;
        into.set((int) machine.loadPlain(ring, at), machine.loadPlain(ring, at + Long.BYTES),
                machine.loadPlain(ring, at + 2 * Long.BYTES));
    }

    /**
     * Puts bytes to where another node has invited this one. Whoever awaits a later {@link #signal} or {@link #put} of
     * this rank to that node finds them there.
     *
     * @param toNode the other node
     * @param target where it has invited this one to
     * @param targetOffset at which byte of it
     * @param source where they are
     * @param sourceOffset at which byte of the area
     * @param bytes how many, 0 or more
     */
    public void put(int toNode, Target target, long targetOffset, Area source, long sourceOffset, long bytes) {
        awaitNothingOf(master(toNode));
        if (!machine.put(target.process(), target.region(), target.offset() + targetOffset, source.segment(),
                source.start() + sourceOffset, bytes, Machine.NO_WORD, 0, 0, this)) {
            throw gone(master(toNode));
        }
        unflushed = true;
    }

    /**
     * Gets bytes from where another node has invited this one, and waits until they are here.
     *
     * @param fromNode the other node
     * @param source where it has invited this one to
     * @param sourceOffset at which byte of it
     * @param into where they go, which {@linkplain #isAddressable can be addressed}
     * @param intoOffset at which byte of the area
     * @param bytes how many, 1 or more
     */
    public void get(int fromNode, Target source, long sourceOffset, Area into, long intoOffset, long bytes) {
        flush();
        awaitNothingOf(master(fromNode));
        if (!machine.get(source.process(), source.region(), source.offset() + sourceOffset, into.segment(),
                into.start() + intoOffset, bytes, this)) {
            throw gone(master(fromNode));
        }
    }

    // ---- between nodes, from anyone to anyone

    /**
     * Puts a few bytes into this node's cell at another node, and says so.
     *
     * @param toNode the other node
     * @param step 1 to {@value #STEPS_MAX}, greater than the last to that node
     * @param source where they are
     * @param sourceOffset at which byte of the area
     * @param bytes how many, 0 to {@link RingLayout#STAR_PAYLOAD_BYTES}
     */
    public void putStar(int toNode, long step, Area source, long sourceOffset, long bytes) {
        long cell = layout.star(sequence % RingLayout.SLOTS, node);
        awaitSlot(toNode);
        putIntoRing(toNode, cell + RingLayout.STAR_PAYLOAD, source.segment(), source.start() + sourceOffset, bytes,
                cell + RingLayout.ARRIVED, step);
    }

    /**
     * Waits until another node has put a few bytes into its cell on this node.
     *
     * @param fromNode the other node
     * @param step the step; 0 or less is always reached
     * @return the bytes, which all ranks of this node can read
     */
    public Area awaitStar(int fromNode, long step) {
        long cell = layout.star(sequence % RingLayout.SLOTS, fromNode);
        awaitPut(cell, step, fromNode);
        star.set(ring, cell + RingLayout.STAR_PAYLOAD);
        return star;
    }

    /**
     * Waits until another node has put data of a step into the landing place of an edge.
     *
     * @param edge the edge
     * @param step the step; 0 or less is always reached
     * @param fromNode the node that puts there
     */
    public void awaitArrival(int edge, long step, int fromNode) {
        awaitEdge(edge, RingLayout.ARRIVED, step, fromNode);
    }

    /**
     * Waits until another node has given the landing place back that this node puts into.
     *
     * @param edge the edge of this node that awaits the credit
     * @param step up to which step; 0 or less is always reached
     * @param fromNode the node that gives it back
     */
    public void awaitCredit(int edge, long step, int fromNode) {
        awaitEdge(edge, RingLayout.CREDIT, step, fromNode);
    }

    private void awaitEdge(int edge, long word, long step, int fromNode) {
        awaitPut(layout.edge(sequence % RingLayout.SLOTS, edge) + word, step, fromNode);
    }

    private void awaitPut(long start, long step, int fromNode) {
        if (step > 0) {
            awaitWord(master(fromNode), start, base + step);
            if (machine.loadPlain(ring, start + RingLayout.FINGERPRINT) != history) {
                throw mismatch(master(fromNode));
            }
            if (topology.ranksOn(fromNode) == 1) { // who is in this operation has left all before it
                noteLeft(fromNode, sequence);
            }
        }
    }

    /**
     * Finds the landing place of an edge on this node, which all its ranks can read.
     *
     * @param edge the edge
     * @return the memory
     */
    public Area landing(int edge) {
        if (landings[edge] == null) {
            landings[edge] = new Area();
        }
        landings[edge].set(ring, layout.edge(sequence % RingLayout.SLOTS, edge) + RingLayout.LANDING);
        return landings[edge];
    }

    /**
     * Takes note that every rank is in the current operation, as the algorithm has seen: so all have left the ones
     * before, and need not be asked.
     */
    public void noteAllAreHere() {
        allHere = sequence;
    }

    private int master(int ofNode) {
        return topology.firstRankOf(ofNode);
    }

    private void flush() {
        if (unflushed) {
            unflushed = false;
            machine.flush();
        }
    }

    /** Waits until all ranks of another node have left an operation. Ranks that have left the job have. */
    private void awaitLeft(int other, long operation) {
        flush();
        int ranks = topology.ranksOn(other);
        for (int turn = 0;; turn++) {
            int asked = firstWhoIsThere(other);
            if (asked < 0) {
                noteLeft(other, Long.MAX_VALUE);
                return;
            }
            awaitNothingOf(asked);
            if (machine.get(reach.processes()[asked], reach.rings()[asked], layouts[ranks].left(0), fetched, 0,
                    (long) ranks * Words.LINE_BYTES, this)) {
                long least = Long.MAX_VALUE;
                for (int local = 0; local < ranks; local++) {
                    boolean gone = members.hasLeft(topology.rankAt(other, local));
                    least = Math.min(least, gone ? least
                            : machine.loadPlain(fetched, (long) local * Words.LINE_BYTES));
                }
                noteLeft(other, least);
                if (least > operation) {
                    return;
                }
            }
            check();
            machine.pause(turn);
        }
    }

    private int firstWhoIsThere(int there) {
        for (int local = 0; local < topology.ranksOn(there); local++) {
            int each = topology.rankAt(there, local);
            if (!members.hasLeft(each)) {
                return each;
            }
        }
        return -1;
    }

    // ---- what can go wrong

    private void awaitWord(int other, long offset, long value) {
        if (machine.load(ring, offset) < value) {
            flush();
            awaitedRank = other;
            awaitedOffset = offset;
            awaitedValue = value;
            lookNanos = System.nanoTime() + LOOK_NANOS;
            machine.await(ring, offset, value, this);
        }
    }

    /** For calls of the fabric, which wait for room or an answer. */
    private void awaitNothingOf(int other) {
        awaitedRank = other;
        awaitedOffset = RingLayout.BROKEN;
        awaitedValue = Long.MAX_VALUE;
        lookNanos = Long.MAX_VALUE; // a check inside a call of the fabric must not call it
    }

    private RuntimeException gone(int other) {
        RuntimeException failure = members.failure(other);
        return failure != null ? failure
                : new RankFailedException(other, members.describe(rank) + " cannot reach " + members.describe(other)
                        + " in " + collective.label() + ": its process has ended, or the connection is lost");
    }

    /**
     * Looks for a reason not to wait any longer: called now and then while this rank waits.
     */
    @Override
    public void check() {
        checkAlive();
        if (descriptorDiffers(awaitedRank)) {
            throw mismatch(awaitedRank);
        }
        RuntimeException failure = members.failure(awaitedRank);
        if (failure != null && machine.load(ring, awaitedOffset) < awaitedValue) {
            throw failure;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new CallInterruptedException(
                    members.describe(rank) + " was interrupted in " + collective.label() + " while it waited for "
                            + members.describe(awaitedRank) + "; the communicator cannot be used any more");
        }
        if (deadlineNanos != Long.MAX_VALUE && System.nanoTime() - deadlineNanos > 0) {
            throw new DeadlineExceededException(members.describe(rank) + " passed its deadline in " + collective.label()
                    + " while it waited for " + members.describe(awaitedRank)
                    + "; see what that rank does, or allow more time");
        }
    }

    private void checkAlive() {
        long broken = machine.load(ring, RingLayout.BROKEN);
        long changes = members.changes();
        if (changes != changesSeen || broken != 0) {
            RuntimeException failure = members.failure(-1);
            if (failure != null) {
                throw failure;
            }
            changesSeen = changes;
        }
        if (broken != 0) {
            throw Breakage.exception(broken, members,
                    members.describe(rank) + " cannot go on with " + collective.label() + ": ");
        }
    }

    // ---- descriptors

    private void describe(Collective called, Label algorithm, DataType type, Label operator, long count, int root) {
        long call = Descriptor.hash(called, algorithm, type, operator, count, root);
        history = Descriptor.extend(history, call);
        Descriptor.write(machine, ring, descriptor(sequence, localRank), sequence, history, call,
                Descriptor.kind(called, type, root), count, operator, algorithm);
    }

    /**
     * Who still waits to enter has not described its call, so its history cannot be compared yet. The descriptor of a
     * rank on another node has to be fetched: that is done rarely.
     */
    private boolean descriptorDiffers(int other) {
        if (machine.loadPlain(ring, descriptor(sequence, localRank)) != sequence + 1) {
            return false;
        }
        int local = localRankOf(other);
        if (local < 0) {
            return descriptorDiffersElsewhere(other);
        }
        return differs(ring, descriptor(sequence, local));
    }

    private boolean differs(MemorySegment cells, long descriptor) {
        return machine.load(cells, descriptor) == sequence + 1
                && machine.loadPlain(cells, descriptor + RingLayout.DESCRIPTOR_FINGERPRINT) != history;
    }

    private boolean descriptorDiffersElsewhere(int other) {
        if (lookNanos == Long.MAX_VALUE || System.nanoTime() - lookNanos < 0) {
            return false;
        }
        long offset = awaitedOffset;
        long value = awaitedValue;
        boolean there = fetch(sequence, other);
        awaitedOffset = offset;
        awaitedValue = value;
        lookNanos = System.nanoTime() + LOOK_NANOS;
        return there && differs(fetched, RingLayout.DESCRIPTOR);
    }

    /** Copies the cell of a rank on another node here. */
    private boolean fetch(long operation, int other) {
        RingLayout theirs = layouts[topology.ranksOn(topology.nodeOf(other))];
        awaitNothingOf(other);
        return machine.get(reach.processes()[other], reach.rings()[other],
                RingLayout.cell(theirs.slot(operation % RingLayout.SLOTS), topology.placeOf(other)), fetched,
                0,
                RingLayout.CELL_BYTES, this);
    }

    private long descriptor(long operation, int local) {
        return RingLayout.cell(layout.slot(operation % RingLayout.SLOTS), local) + RingLayout.DESCRIPTOR;
    }

    /**
     * Histories differ: finds the oldest call that does, as far back as the ring remembers. The other rank may be ahead
     * and write over its old descriptors meanwhile; what was read of one counts only if it is still there afterwards.
     */
    private CollectiveMismatchException mismatch(int other) {
        int local = localRankOf(other);
        for (long operation = Math.max(0, sequence - RingLayout.SLOTS + 1); operation <= sequence; operation++) {
            if (local < 0 && !fetch(operation, other)) {
                break;
            }
            MemorySegment cells = local < 0 ? fetched : ring;
            long mine = descriptor(operation, localRank);
            long theirs = local < 0 ? RingLayout.DESCRIPTOR : descriptor(operation, local);
            if (machine.load(cells, theirs) == operation + 1
                    && machine.loadPlain(ring, mine + RingLayout.DESCRIPTOR_CALL) != machine.loadPlain(cells,
                            theirs + RingLayout.DESCRIPTOR_CALL)) {
                String called = Descriptor.text(machine, cells, theirs);
                VarHandle.loadLoadFence();
                if (machine.load(cells, theirs) == operation + 1) {
                    return new CollectiveMismatchException(members.describe(rank) + " called "
                            + Descriptor.text(machine, ring, mine)
                            + " as call number " + (operation + 1) + " on its communicator, but "
                            + members.describe(other) + " called " + called
                            + "; all ranks must call the same collectives in the same order, with the same arguments",
                            true);
                }
            }
        }
        return new CollectiveMismatchException(members.describe(rank) + " and " + members.describe(other)
                + " called different collectives, or disagreed on an argument, some calls ago"
                + "; all ranks must call the same collectives in the same order, with the same arguments", true);
    }
}
