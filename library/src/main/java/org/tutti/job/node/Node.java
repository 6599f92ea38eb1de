/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

import org.tutti.JobStartException;
import org.tutti.Topology;
import org.tutti.collective.calls.RankRecord;
import org.tutti.collective.layout.RingLayout;
import org.tutti.events.RankFailureEvent;
import org.tutti.job.launch.NodeShape;
import org.tutti.memory.Futexes;
import org.tutti.memory.Memory;
import org.tutti.memory.Words;
import org.tutti.message.Doors;

/**
 * The state of the job that the ranks of a node share. It consists of words in the node's memory, which tell whether
 * each rank has joined, left or failed, and whether the job was aborted. When a process has recorded a failure, a
 * leaving or an abort, it then increments one more word, the changes word. Therefore other processes need to look at
 * the state only when the changes word has grown.
 */
public final class Node {
    /** The number by which all ranks know the communicator of all ranks. */
    public static final long WORLD = 0;

    private static final long STATUS_MAX = 255;

    private final Memory memory;
    private final MemorySegment words;
    private final int size;
    private final Directory directory;
    private final MemorySegment ring;
    private final MemorySegment doors;
    private final MemorySegment records;
    private final StackQuery stackQuery;
    private final Futexes futexes;
    private final Map<Integer, String> unreachable = new ConcurrentHashMap<>();

    private Node(Memory memory, MemorySegment words, int size) {
        this.memory = memory;
        this.words = words;
        this.size = size;
        long directoryAddress = Words.loadPlain(words, NodeLayout.DIRECTORY);
        this.directory = directoryAddress == 0 ? null
                : new Directory(memory.block(directoryAddress, DirectoryLayout.bytes(size)), size);
        this.ring = memory.block(ringAddress(), new RingLayout(nodes(), nodeRanks()).bytes());
        this.doors = memory.block(Words.loadPlain(words, NodeLayout.DOORS), Doors.bytes(size));
        this.records = memory.block(Words.loadPlain(words, NodeLayout.RECORDS), (long) size * Long.BYTES);
        this.stackQuery = new StackQuery(memory, words);
        this.futexes = new Futexes(memory.block(Words.loadPlain(words, NodeLayout.FUTEXES), Futexes.BYTES));
    }

    /**
     * Creates the state of a node in a block of the node's memory, which the caller has allocated at the given address.
     * Also allocates the world's ring, the shared memory for calls on the communicator of all ranks.
     */
    public static Node create(Memory memory, long address, NodeShape shape, Secret secret, boolean launcher) {
        int size = shape.size();
        MemorySegment words = memory.block(address, NodeLayout.bytes(size));
        Words.storePlain(words, NodeLayout.SIZE, size);
        Words.storePlain(words, NodeLayout.LAUNCHER, launcher ? 1 : 0);
        Words.storePlain(words, NodeLayout.NODE, shape.node());
        Words.storePlain(words, NodeLayout.NODES, shape.nodes());
        Words.storePlain(words, NodeLayout.NODE_RANKS, shape.nodeRanks());
        if (shape.nodes() > 1) {
            Words.storePlain(words, NodeLayout.DIRECTORY,
                    memory.claim(DirectoryLayout.bytes(size), "the directory of the ranks"));
            MemorySegment.copy(secret.bytes(), 0, words, ValueLayout.JAVA_BYTE, NodeLayout.SECRET, Secret.BYTES);
        }
        Words.storePlain(words, NodeLayout.RING, memory.claim(new RingLayout(shape.nodes(), shape.nodeRanks()).bytes(),
                "the ranks' slots"));
        Words.storePlain(words, NodeLayout.DOORS, memory.claim(Doors.bytes(size), "the doors for messages"));
        Words.storePlain(words, NodeLayout.RECORDS,
                memory.claim((long) size * Long.BYTES, "the table of the ranks' records"));
        Words.storePlain(words, NodeLayout.FUTEXES, memory.claim(Futexes.BYTES, "the ranks that sleep"));
        return new Node(memory, words, size);
    }

    /** Opens the state that another process has created. */
    static Node open(Memory memory, long address) {
        int size = (int) Words.loadPlain(memory.block(address, NodeLayout.bytes(0)), NodeLayout.SIZE);
        return new Node(memory, memory.block(address, NodeLayout.bytes(size)), size);
    }

    /**
     * Returns the numbers of ranks and nodes of the job, and this node's part of them. The caller passes the job's
     * name, because the node's memory does not hold it.
     */
    NodeShape shape(String job) {
        return new NodeShape(job, size, (int) Words.loadPlain(words, NodeLayout.NODE),
                (int) Words.loadPlain(words, NodeLayout.NODES), (int) Words.loadPlain(words, NodeLayout.NODE_RANKS));
    }

    /** Returns the secret that the job's processes share. A job of one node has none, and the result is 32 zeros. */
    public Secret secret() {
        return Secret.of(words.asSlice(NodeLayout.SECRET, Secret.BYTES).toArray(ValueLayout.JAVA_BYTE));
    }

    /** Returns the futexes at which threads of this node's ranks sleep. */
    public Futexes futexes() {
        return futexes;
    }

    /** Makes room for the record of a rank that joins on this node, and returns the record. */
    public RankRecord makeRecord(int rank) {
        long address = memory.claim(RankRecord.bytes(size), "the record of a rank");
        Words.store(records, (long) rank * Long.BYTES, address);
        return new RankRecord(memory.block(address, RankRecord.bytes(size)));
    }

    /** Returns the record of a rank, if the rank has joined on this node. */
    public Optional<RankRecord> record(int rank) {
        long address = Words.load(records, (long) rank * Long.BYTES);
        return address == 0 ? Optional.empty()
                : Optional.of(new RankRecord(memory.block(address, RankRecord.bytes(size))));
    }

    // ---- meeting of the nodes

    /** Returns the address of rank 0's process, once it is known. */
    public Optional<String> rendezvous() {
        int length = (int) Words.load(words, NodeLayout.RENDEZVOUS);
        return length == 0 ? Optional.empty()
                : Optional.of(new String(
                        words.asSlice(NodeLayout.RENDEZVOUS_TEXT, length).toArray(ValueLayout.JAVA_BYTE),
                        StandardCharsets.US_ASCII));
    }

    /**
     * Publishes the address of rank 0's process to the processes of this node. Only one process of the node calls this
     * method, which is rank 0's process or the launcher.
     */
    public void publishRendezvous(String rendezvous) {
        byte[] text = rendezvous.getBytes(StandardCharsets.US_ASCII);
        if (text.length == 0 || text.length > NodeLayout.RENDEZVOUS_TEXT_MAX) {
            throw new IllegalArgumentException("an address has 1 to " + NodeLayout.RENDEZVOUS_TEXT_MAX
                    + " characters, not " + text.length + ": " + rendezvous);
        }
        if (Words.load(words, NodeLayout.RENDEZVOUS) == 0) {
            MemorySegment.copy(text, 0, words, ValueLayout.JAVA_BYTE, NodeLayout.RENDEZVOUS_TEXT, text.length);
            Words.store(words, NodeLayout.RENDEZVOUS, text.length);
        }
    }

    /**
     * Returns the node of each rank. If the job has several nodes, the directory must have the records of all ranks.
     */
    public Topology topology() {
        return directory == null ? new Topology(new int[size]) : directory.topology();
    }

    /** Returns the directory of all ranks, or null with one node. */
    public Directory directory() {
        return directory;
    }

    /** Returns whether a rank that has joined runs on this node. */
    public boolean isHere(int rank) {
        return directory == null || directory.node(rank) == (int) Words.loadPlain(words, NodeLayout.NODE);
    }

    /** Returns the number of nodes of the job. */
    public int nodes() {
        return (int) Words.loadPlain(words, NodeLayout.NODES);
    }

    /** Returns the number of the job's ranks on this node. */
    public int nodeRanks() {
        return (int) Words.loadPlain(words, NodeLayout.NODE_RANKS);
    }

    /** Returns the memory of the world's ring. */
    public MemorySegment ring() {
        return ring;
    }

    /** Returns the doors at which ranks of the node find the channels of messages. */
    public MemorySegment doors() {
        return doors;
    }

    /** Returns the memory of the node. */
    public Memory memory() {
        return memory;
    }

    /** Returns the number of ranks of the job. */
    public int size() {
        return size;
    }

    /** Returns the address of the world's ring in the node's memory. */
    public long ringAddress() {
        return Words.loadPlain(words, NodeLayout.RING);
    }

    /** Returns whether a launcher watches over the job. */
    public boolean hasLauncher() {
        return Words.loadPlain(words, NodeLayout.LAUNCHER) == 1;
    }

    /** Returns the state of a rank: absent, joined, left or failed. */
    public long state(int rank) {
        return word(rank) & NodeLayout.STATE_MASK;
    }

    /**
     * Returns the word with a rank's state, as processes send it to other nodes. If the rank has failed, the word also
     * has the reason, and the witness, the rank that noticed the failure.
     */
    public long word(int rank) {
        return Words.load(words, NodeLayout.state(rank));
    }

    /** Returns whether this node knows that a rank has joined. The rank may have left or failed meanwhile. */
    public boolean hasJoined(int rank) {
        return state(rank) != NodeLayout.ABSENT;
    }

    /** Returns the first rank of a rank's process, which has joined. */
    public int firstRankOfProcess(int rank) {
        return (int) Words.loadPlain(words, NodeLayout.firstRankOfProcess(rank));
    }

    /** Returns the process identifier of a rank's process on its host; 0 if the rank has never joined. */
    public long processIdentifier(int rank) {
        return Words.loadPlain(words, NodeLayout.processIdentifier(rank));
    }

    // ---- changes of ranks' states

    /**
     * Marks a rank of this process as joined.
     *
     * @throws JobStartException if the rank was part of the job before
     */
    public void markJoined(int rank, int firstRankOfProcess) {
        // no other process can have this rank, because this process holds the rank's lock
        long state = state(rank);
        if (state == NodeLayout.ABSENT) {
            Words.storePlain(words, NodeLayout.firstRankOfProcess(rank), firstRankOfProcess);
            Words.storePlain(words, NodeLayout.processIdentifier(rank), ProcessHandle.current().pid());
        }
        if (!Words.compareAndSet(words, NodeLayout.state(rank), NodeLayout.ABSENT, NodeLayout.JOINED)) {
            throw new JobStartException("rank " + rank + " cannot join: it was part of this job before, as process "
                    + processIdentifier(rank) + ", and has failed or left; start the whole job again");
        }
    }

    /** Marks a rank of another node as joined. */
    public void markJoinedElsewhere(int rank) {
        if (state(rank) == NodeLayout.ABSENT) {
            Words.storePlain(words, NodeLayout.firstRankOfProcess(rank), directory.firstRankOfProcess(rank));
            Words.storePlain(words, NodeLayout.processIdentifier(rank), directory.processIdentifier(rank));
            Words.compareAndSet(words, NodeLayout.state(rank), NodeLayout.ABSENT, NodeLayout.JOINED);
        }
    }

    /** Marks a rank as left, unless it has failed before. Returns whether this call has marked the rank. */
    public boolean markLeft(int rank) {
        return mark(rank, NodeLayout.LEFT);
    }

    /** Marks a rank as failed, unless it has left before. Returns whether this call has marked the rank. */
    public boolean markFailed(RankFailure failure) {
        boolean marked = mark(failure.rank(), failure.word());
        var event = new RankFailureEvent();
        if (marked && event.shouldCommit()) {
            event.failed = failure.rank();
            event.reason = failure.reason().name();
            event.commit();
        }
        return marked;
    }

    /** Records that the process of a rank of this node has ended, and no longer accesses the memory. */
    public void markEnded(int rank) {
        Words.store(words, NodeLayout.ended(rank), 1);
    }

    /** Records that a rank of this node could not go on without another rank, which has not failed. */
    public void markMissed(int rank, int missed) {
        Words.store(words, NodeLayout.missed(rank), missed + 1L);
    }

    /**
     * Returns the rank without which a rank of this node could not go on, although it has not failed; −1 if there is
     * none.
     */
    int missed(int rank) {
        return (int) Words.load(words, NodeLayout.missed(rank)) - 1;
    }

    /** Returns whether the process of a rank of this node is known to have ended. */
    public boolean hasEnded(int rank) {
        return Words.load(words, NodeLayout.ended(rank)) != 0;
    }

    /**
     * Replaces the recorded failure of a rank, of which this node has only heard, with a failure that this node has
     * seen itself. Has no effect if this node has seen the recorded failure itself.
     */
    public void confirmFailed(RankFailure failure) {
        long known = word(failure.rank());
        if ((known & NodeLayout.STATE_MASK) == NodeLayout.FAILED && !isSeen(RankFailure.of(failure.rank(), known))
                && Words.compareAndSet(words, NodeLayout.state(failure.rank()), known, failure.word())) {
            Words.add(words, NodeLayout.CHANGES, 1);
        }
    }

    private boolean isSeen(RankFailure failure) {
        return failure.reason() != RankFailure.Reason.SILENT || failure.witness() >= 0 && isHere(failure.witness());
    }

    private boolean mark(int rank, long change) {
        for (long state = word(rank); state < NodeLayout.LEFT; state = word(rank)) {
            if (Words.compareAndSet(words, NodeLayout.state(rank), state, change)) {
                if (change != NodeLayout.LEFT) {
                    Words.compareAndSet(words, NodeLayout.FIRST_FAILURE, 0, rank + 1);
                }
                Words.add(words, NodeLayout.CHANGES, 1);
                return true;
            }
        }
        return false;
    }

    /** Aborts the job on behalf of a rank, with an exit status. Has no effect if the job is already aborted. */
    public void abort(int rank, int status) {
        if (status < 0 || status > STATUS_MAX) {
            throw new IllegalArgumentException("an exit status is 0 to " + STATUS_MAX + ", not " + status);
        }
        setAbort(status + 1L << Integer.SIZE | rank);
    }

    /** Returns the abort word: 0, or the rank that aborted the job and its status. */
    public long abort() {
        return Words.load(words, NodeLayout.ABORT);
    }

    /** Sets the abort word, unless it is set. Returns whether this call set it. */
    public boolean setAbort(long value) {
        boolean set = Words.compareAndSet(words, NodeLayout.ABORT, 0, value);
        if (set) {
            Words.add(words, NodeLayout.CHANGES, 1);
        }
        return set;
    }

    // ---- beats

    /** Increments the beat of a process, which shows that the process runs. */
    public void beat(int firstRankOfProcess) {
        Words.add(words, NodeLayout.beat(firstRankOfProcess), 1);
    }

    /** Returns the beat of a process of this node, which grows while the process runs. */
    public long beats(int firstRankOfProcess) {
        return Words.load(words, NodeLayout.beat(firstRankOfProcess));
    }

    /** Returns the status that the job was aborted with, or −1. */
    public int abortStatus() {
        return (int) (Words.load(words, NodeLayout.ABORT) >>> Integer.SIZE) - 1;
    }

    /** Returns the rank that aborted the job, if one did. */
    public int abortRank() {
        return (int) Words.load(words, NodeLayout.ABORT);
    }

    /** Returns the rank that failed first, or −1. */
    public int firstFailedRank() {
        return (int) Words.load(words, NodeLayout.FIRST_FAILURE) - 1;
    }

    /** Returns the failure of the rank that failed first. */
    Optional<RankFailure> firstFailure() {
        int rank = firstFailedRank();
        return rank < 0 ? Optional.empty() : Optional.of(RankFailure.of(rank, word(rank)));
    }

    /** Records why this process could not connect to another one, for messages. */
    public void noteUnreachable(int process, String why) {
        unreachable.put(process, why);
    }

    /**
     * Returns a clause that tells why this process could not connect to the process of a rank. It is empty if this
     * process has not tried to connect, or has connected.
     */
    public String whyUnreachable(int rank) {
        return unreachable.getOrDefault(firstRankOfProcess(rank), "");
    }

    /** Returns the query that asks the processes of the node where their ranks are. */
    public StackQuery stackQuery() {
        return stackQuery;
    }

    /**
     * Records that a rank asks where the other ranks are, because its call has passed its deadline. Returns whether it
     * is the first rank of the node that asks.
     */
    public boolean beginFirstDeadline(int rank) {
        return Words.compareAndSet(words, NodeLayout.FIRST_DEADLINE, 0, rank + 1);
    }

    /** Records that the first rank to pass its deadline has its answers. */
    public void endFirstDeadline() {
        Words.store(words, NodeLayout.DEADLINE_ANSWERED, 1);
    }

    /** Returns whether the first rank to pass its deadline has its answers. */
    public boolean hasFirstDeadlineEnded() {
        return Words.load(words, NodeLayout.DEADLINE_ANSWERED) != 0;
    }

    /** Returns a number that grows whenever a rank fails or leaves, or the job is aborted. */
    public long changes() {
        return Words.load(words, NodeLayout.CHANGES);
    }

    /** Returns the host of a rank, if it is known. */
    public Optional<String> host(int rank) {
        return directory == null || !directory.has(rank) ? Optional.empty() : Optional.of(directory.host(rank));
    }
}
