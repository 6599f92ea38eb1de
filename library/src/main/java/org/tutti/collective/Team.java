/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
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
 * <p>A team is in one operation at a time. What the operations of a communicator share at a rank is in its {@link
 * Ledger}, so several teams of the rank may be in different operations, each on a thread of its own.
 *
 * <p><b>Slots.</b> The operations of a communicator are numbered 0, 1, 2, … on each rank, in the order of its calls.
 * Operation s lives in slot s mod {@value RingLayout#SLOTS} and is that slot's generation g = s / {@value
 * RingLayout#SLOTS}. The words of a slot are never reset: an algorithm speaks of steps 1, 2, 3, …, and step k of
 * generation g is the value (g + 1)·2<sup>16</sup> + k, greater than all values of earlier generations.
 *
 * <p><b>Leaving and closing.</b> When a rank has finished operation s and all before it, it stores s + 1 in its
 * <i>left</i>
 * word. An
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
public final class Team extends Placement implements Waiter.Check {
    /** The word that says "my data of step k are there to be read"; its line carries fingerprint and payload. */
    public static final long READY = RingLayout.READY;

    /** The word that says "I have taken what I needed of step k"; it has a line to itself. */
    public static final long DONE = RingLayout.DONE;

    /** The steps that an operation may have. */
    public static final int STEPS_MAX = (1 << 16) - 1;

    private static final int GENERATION_SHIFT = 16;

    private static final long QUIET = 1;
    private static final long LOOK_NANOS = 200_000_000;

    private final Machine machine;
    private final Members members;
    private final Memory memory;
    private final long ringAddress;
    private final Outbox outbox;
    private final Reach reach;
    private final RingLayout layout;
    private final MemorySegment ring;
    private final Area[] places;
    private final Area[] landings;
    private final long[] addresses;
    private final MemorySegment[] outboxes;
    private final MemorySegment fetched;
    private final MemorySegment scratch;
    private final Area star = new Area();
    private final Ledger ledger;
    private final CallComparison comparison;
    private final Invitations invitations;
    private final boolean blocking;

    private long sequence;
    private long slot;
    private long base;
    private long changesSeen;
    private boolean quiet;
    private ShownMemory shown;
    private boolean unflushed;

    private Collective collective;
    private Label algorithmLabel;
    private DataType elements;
    private Label operatorLabel;
    private long elementCount;
    private int rootRank;
    private long call;
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
        this(machine, members, memory, ringAddress, outbox, rank, topology, reach, null);
    }

    private Team(Machine machine, Members members, Memory memory, long ringAddress, Outbox outbox, int rank,
            Topology topology, Reach reach, Ledger shared) {
        super(topology, rank);
        this.machine = machine;
        this.invitations = new Invitations(machine);
        this.members = members;
        this.memory = memory;
        this.ringAddress = ringAddress;
        this.outbox = outbox;
        this.reach = reach;
        this.layout = layouts[node];
        this.ring = memory.block(ringAddress, layout.bytes());
        this.places = new Area[localSize];
        this.places[localRank] = new Area();
        this.landings = new Area[topology.nodes() == 1 ? 0 : Integer.SIZE];
        this.addresses = new long[localSize];
        this.outboxes = new MemorySegment[localSize];
        this.blocking = shared == null;
        this.ledger = shared != null ? shared
                : new Ledger(machine, memory, ring, layout.left(localRank), topology.nodes());
        long fetchedBytes = Math.max(RingLayout.CELL_BYTES, (long) ranksMax * Words.LINE_BYTES);
        this.fetched = topology.nodes() == 1 ? null : Arena.ofAuto().allocate(fetchedBytes, Words.LINE_BYTES);
        this.scratch = topology.nodes() == 1 ? null
                : Arena.ofAuto().allocate(RingLayout.INVITATION_BYTES, Words.LINE_BYTES);
        this.comparison = new CallComparison(machine, members, ring, layout, rank, localRank, fetched, this::fetch);
    }

    /**
     * Another view of this communicator at this rank, for operations that the caller does not wait for: it is in one
     * operation at a time, as every team, but others may be in different ones meanwhile, on other threads.
     *
     * @param background what to do things with, on those threads
     * @return the team, whose operations begin with {@link #draw} and {@link #begin}
     */
    public Team forBackground(Machine background) {
        return new Team(background, members, memory, ringAddress, outbox, rank, topology, reach, ledger);
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
        draw(called, algorithm, type, operator, count, root, untilNanos);
        begin();
    }

    /**
     * Gives the next operation its number and its place in the history: on the thread of the caller, whose order of
     * calls is what must be the same at all ranks.
     *
     * @param called the collective
     * @param algorithm the algorithm's name
     * @param type the elements' type, or null
     * @param operator the operator's name, or {@link Label#NONE}
     * @param count how many elements
     * @param root the root, or 0
     * @param untilNanos as for {@link #enter}
     */
    public void draw(Collective called, Label algorithm, DataType type, Label operator, long count, int root,
            long untilNanos) {
        if (ledger.blocking() != null) {
            throw new IllegalStateException(members.describe(rank) + " called " + called.label()
                    + " while another thread is inside " + ledger.blocking().label()
                    + " on the same communicator; let one thread at a time use it");
        }
        if (blocking) {
            ledger.setBlocking(called);
        }
        collective = called;
        algorithmLabel = algorithm;
        elements = type;
        operatorLabel = operator;
        elementCount = count;
        rootRank = root;
        deadlineNanos = untilNanos;
        call = Descriptor.hash(called, algorithm, type, operator, count, root);
        sequence = ledger.draw(call);
        history = ledger.history();
    }

    /**
     * Begins the operation that was drawn: notices what has broken meanwhile, waits until the slot is free, and says
     * what is called.
     */
    public void begin() {
        slot = layout.slot(sequence % RingLayout.SLOTS);
        base = (sequence / RingLayout.SLOTS + 1) << GENERATION_SHIFT;
        try {
            checkAlive();
            awaitClosed(sequence - RingLayout.SLOTS);
        } catch (Throwable e) {
            breakOff(e);
            throw e;
        }
        quiet = ledger.hasLeftAllBefore(sequence);
        shown = blocking ? outbox.shown() : ledger.lane(sequence);
        Descriptor.write(machine, ring, comparison.descriptor(sequence, localRank), sequence, history, call,
                Descriptor.kind(collective, elements, rootRank), elementCount, operatorLabel, algorithmLabel);
    }

    /**
     * Ends the operation at this rank.
     */
    public void leave() {
        flush();
        invitations.revokeAll();
        ledger.leave(sequence);
        ledger.endCall(blocking);
    }

    /**
     * Ends the operation, and the communicator, because of an exception.
     *
     * @param failure what was thrown inside the operation
     */
    public void breakOff(Throwable failure) {
        ledger.endCall(blocking);
        invitations.revokeAll(); // or a late put would land in memory that the caller uses for something else
        try {
            Words.compareAndSet(ring, RingLayout.BROKEN, 0, Breakage.word(failure, rank));
        } catch (IllegalStateException closed) { // the job was closed under the call, and its memory is gone
            failure.addSuppressed(closed);
        }
    }

    /**
     * Says that this rank leaves its job: its operations in flight end with an exception, soon.
     */
    public void end() {
        ledger.end();
    }

    /**
     * {@return whether this rank has said that it {@linkplain #end leaves}}
     */
    public boolean hasEnded() {
        return ledger.hasEnded();
    }

    /**
     * {@return what an operation in flight ends with when its rank leaves the job}
     */
    public RankFailedException hasLeft() {
        return new RankFailedException(rank, members.describe(rank) + " left its job while its " + collective.label()
                + " was in flight; await all requests before closing the job");
    }

    long sequence() {
        return sequence;
    }

    /** Waits until all ranks of this node have left an operation, this one included: it may have others in flight. */
    void awaitClosed(long operation) {
        if (ledger.closed() > operation) {
            return;
        }
        long least = Long.MAX_VALUE;
        for (int each = 0; each < localSize; each++) {
            awaitWord(localRanks[each], layout.left(each), operation + 1);
            least = Math.min(least, machine.load(ring, layout.left(each)));
        }
        ledger.setClosed(least);
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
            Words.storePlain(ring, cell + RingLayout.FINGERPRINT, tag());
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
        if (word == READY) {
            compare(localRanks[other], Words.loadPlain(ring, cell + RingLayout.FINGERPRINT));
        }
    }

    /** The history's fingerprint, but for its lowest bit, which says that all whom this rank heard were quiet. */
    private long tag() {
        return history & ~QUIET | (quiet ? QUIET : 0);
    }

    private boolean compare(int other, long tag) {
        if ((tag ^ history) >>> 1 != 0) {
            throw mismatch(other);
        }
        boolean quietThere = (tag & QUIET) != 0;
        quiet &= quietThere;
        return quietThere;
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
            long start = blocking ? outbox.take(bytes, windowsMax, this) : shown.take(bytes, windowBytesMax);
            place.set(shown.segment(), start);
            Words.storePlain(ring, payload, shown.address());
            Words.storePlain(ring, payload + Long.BYTES, shown.capacity());
            Words.storePlain(ring, payload + 2 * Long.BYTES, start);
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
            long address = Words.loadPlain(ring, payload);
            if (addresses[other] != address) {
                outboxes[other] = memory.block(address, Words.loadPlain(ring, payload + Long.BYTES));
                addresses[other] = address;
            }
            place.set(outboxes[other], Words.loadPlain(ring, payload + 2 * Long.BYTES));
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
        if (ledger.leftElsewhere(toNode) <= sequence - RingLayout.SLOTS) {
            awaitLeft(toNode, sequence - RingLayout.SLOTS);
        }
    }

    private void putIntoRing(int toNode, long offset, MemorySegment source, long sourceOffset, long bytes, long word,
            long step) {
        assert step <= STEPS_MAX : "step " + step;
        int master = master(toNode);
        awaitNothingOf(master);
        if (!machine.put(reach.processes()[master], reach.rings()[master], offset, source, sourceOffset, bytes, word,
                base + step, tag(), this)) {
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
        } else if (area.segment().equals(shown.segment())) {
            region = shown.handle(machine);
        } else {
            region = machine.register(area.segment().asSlice(area.start(), bytes));
            offset = 0;
            invitations.note(region);
        }
        Words.storePlain(scratch, 0, reach.processes()[rank]);
        Words.storePlain(scratch, Long.BYTES, region);
        Words.storePlain(scratch, 2 * Long.BYTES, offset);
        long start = layout.edge(sequence % RingLayout.SLOTS, edge);
        awaitSlot(toNode);
        putIntoRing(toNode, start + RingLayout.INVITATION, scratch, 0, RingLayout.INVITATION_BYTES,
                start + RingLayout.ARRIVED, step);
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
        into.set((int) Words.loadPlain(ring, at), Words.loadPlain(ring, at + Long.BYTES),
                Words.loadPlain(ring, at + 2 * Long.BYTES));
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
            boolean quietThere = compare(master(fromNode), Words.loadPlain(ring, start + RingLayout.FINGERPRINT));
            if (ranksOfNode[fromNode].length == 1) { // who is in this operation has left those that it says
                ledger.raiseLeftElsewhere(fromNode, Ledger.leftBy(sequence, quietThere));
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
     * Takes note that every rank is in the current operation, as the algorithm has seen: so all have left the one that
     * used the slot before, and need not be asked. If none had another operation in flight, as READY words and puts
     * have told from rank to rank, all have left even the one before this.
     */
    public void noteAllAreHere() {
        for (int other = 0; other < ranksOfNode.length; other++) {
            ledger.raiseLeftElsewhere(other, Ledger.leftBy(sequence, quiet));
        }
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
        int[] ranks = ranksOfNode[other];
        RingLayout theirs = layouts[other];
        for (int turn = 0;; turn++) {
            int asked = firstWhoIsThere(ranks);
            if (asked < 0) {
                ledger.raiseLeftElsewhere(other, Long.MAX_VALUE);
                return;
            }
            awaitNothingOf(asked);
            if (machine.get(reach.processes()[asked], reach.rings()[asked], theirs.left(0), fetched, 0,
                    (long) ranks.length * Words.LINE_BYTES, this)) {
                long least = Long.MAX_VALUE;
                for (int local = 0; local < ranks.length; local++) {
                    boolean gone = members.hasLeft(ranks[local]);
                    least = Math.min(least, gone ? least
                            : Words.loadPlain(fetched, (long) local * Words.LINE_BYTES));
                }
                ledger.raiseLeftElsewhere(other, least);
                if (least > operation) {
                    return;
                }
            }
            check();
            machine.pause(turn);
        }
    }

    private int firstWhoIsThere(int[] ranks) {
        for (int each : ranks) {
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
        if (ledger.hasEnded()) {
            throw hasLeft();
        }
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

    private boolean descriptorDiffers(int other) {
        if (!comparison.isDescribed(sequence)) {
            return false;
        }
        int local = localRankOf(other);
        return local < 0 ? descriptorDiffersElsewhere(other) : comparison.differsHere(sequence, local, history);
    }

    /** The descriptor of a rank on another node has to be fetched: that is done rarely. */
    private boolean descriptorDiffersElsewhere(int other) {
        if (lookNanos == Long.MAX_VALUE || System.nanoTime() - lookNanos < 0) {
            return false;
        }
        long offset = awaitedOffset;
        long value = awaitedValue;
        boolean differs = comparison.differsElsewhere(sequence, other, history);
        awaitedOffset = offset;
        awaitedValue = value;
        lookNanos = System.nanoTime() + LOOK_NANOS;
        return differs;
    }

    private boolean fetch(long operation, int other) {
        int[] ranks = ranksOfNode[topology.nodeOf(other)];
        RingLayout theirs = layouts[topology.nodeOf(other)];
        awaitNothingOf(other);
        return machine.get(reach.processes()[other], reach.rings()[other],
                RingLayout.cell(theirs.slot(operation % RingLayout.SLOTS), Arrays.binarySearch(ranks, other)), fetched,
                0, RingLayout.CELL_BYTES, this);
    }

    private CollectiveMismatchException mismatch(int other) {
        return comparison.mismatch(sequence, other, localRankOf(other));
    }
}
