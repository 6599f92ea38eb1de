/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;

import org.tutti.Blocks;
import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.NonBlockingCommunicator;
import org.tutti.PreparedCommunicator;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.Request;
import org.tutti.Topology;
import org.tutti.choice.Choice;
import org.tutti.choice.Shortlist;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.layout.Fingerprint;

/**
 * The communicator behind the face: checks arguments, chooses an algorithm, and runs the call on the caller's thread.
 */
final class LiveCommunicator extends Communicator {
    private static final int NO_COLOR = -1;

    private final Communicators communicators;
    private final Membership membership;
    private final Team team;
    private final Choice choice;
    private final Shortlist shortlist;
    private final long waitNanosMax;
    private final LiveNonBlocking nonBlocking;

    LiveCommunicator(Communicators communicators, Membership membership, Choice choice) {
        this.communicators = communicators;
        this.membership = membership;
        this.team = membership.team;
        this.choice = choice;
        this.shortlist = choice.shortlist(membership.topology());
        this.waitNanosMax = Long.MAX_VALUE;
        this.nonBlocking = new LiveNonBlocking(this, membership.background);
    }

    private LiveCommunicator(LiveCommunicator viewed, Choice choice, long waitNanosMax) {
        super(viewed);
        this.communicators = viewed.communicators;
        this.membership = viewed.membership;
        this.team = viewed.team;
        this.choice = choice;
        this.shortlist = choice == viewed.choice ? viewed.shortlist : choice.shortlist(topology());
        this.waitNanosMax = waitNanosMax;
        this.nonBlocking = new LiveNonBlocking(this, membership.background);
    }

    @Override
    public int rank() {
        return team.rank();
    }

    /** The number that all ranks know the communicator by. */
    long number() {
        return membership.id;
    }

    @Override
    public int size() {
        return team.size();
    }

    @Override
    public OptionalInt rankIn(Communicator other, int rank) {
        if (rank < 0 || rank >= size()) {
            throw new IllegalArgumentException("rank " + rank
                    + " is not one of this communicator, whose ranks are 0 to " + (size() - 1));
        }
        Objects.requireNonNull(other, "other");
        if (!(other instanceof LiveCommunicator live) || live.communicators != communicators) {
            throw new IllegalArgumentException(team.describe() + " cannot find rank " + rank
                    + " in a communicator that is not one of its own; both must be those of the same rank");
        }
        return live.membership.members.find(membership.rankInJob(rank));
    }

    @Override
    public Topology topology() {
        return membership.topology();
    }

    @Override
    public Communicator withAlgorithm(Collective collective, String name) {
        return new LiveCommunicator(this, choice.with(Objects.requireNonNull(collective, "collective"), name),
                waitNanosMax);
    }

    @Override
    public Communicator withDeadline(Duration deadline) {
        if (!deadline.isPositive()) {
            throw new IllegalArgumentException("a deadline must be more than zero, not " + deadline);
        }
        return new LiveCommunicator(this, choice, nanos(deadline));
    }

    @Override
    public Communicator withName(String name) {
        membership.setName(Objects.requireNonNull(name, "name"));
        return this;
    }

    static long nanos(Duration duration) {
        try {
            return duration.toNanos();
        } catch (ArithmeticException _) {
            return Long.MAX_VALUE; // more than 292 years
        }
    }

    @Override
    public PreparedCommunicator prepare() {
        return new LivePrepared(this);
    }

    @Override
    public NonBlockingCommunicator nonBlocking() {
        return nonBlocking;
    }

    @Override
    public RemoteMemory allocate(DataType type, long count, int notifications) {
        return membership.allocator.allocate(this, numbers -> addUp("allocate", numbers), type, count, notifications,
                this::deadlineNanos);
    }

    /** An allreduce that is a part of another call. */
    private void addUp(String called, long[] numbers) {
        MemorySegment segment = MemorySegment.ofArray(numbers);
        Call allreduce = prepare(membership.call, Collective.ALLREDUCE, segment, segment, DataType.LONG, numbers.length,
                kept(Reduction.SUM, DataType.LONG), 0);
        allreduce.setCalled(called);
        run(allreduce);
    }

    @Override
    public void barrier() {
        run(prepare(membership.call, Collective.BARRIER, 0, null, 0, deadlineNanos()));
    }

    /**
     * A barrier that is a part of another call.
     *
     * @param called that call, for messages
     * @param same what must be the same at all ranks besides
     */
    void barrier(String called, int same, long deadlineNanos) {
        Call barrier = prepare(membership.call, Collective.BARRIER, 0, null, same, deadlineNanos);
        barrier.setCalled(called);
        run(barrier);
    }

    @Override
    protected void call(Collective called, MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, int root) {
        Kernel kernel = called.combines() ? kept(reduction, type) : null;
        run(prepare(membership.call, called, source, target, type, count, kernel, root));
    }

    @Override
    protected void callWithBlocks(Collective called, MemorySegment source, MemorySegment target, DataType type,
            long count, Blocks sourceBlocks, Blocks targetBlocks, Reduction reduction, int root) {
        Kernel kernel = called.combines() ? kept(reduction, type) : null;
        run(prepare(membership.call, called, source, target, type, count, sourceBlocks, targetBlocks, kernel, root));
    }

    /** Of blocks that may differ in length. */
    private Call prepare(Call empty, Collective called, MemorySegment source, MemorySegment target, DataType type,
            long count,
            Blocks sourceBlocks, Blocks targetBlocks, Kernel kernel, int root) {
        check(called, target, root);
        for (int other = 0; kernel != null && other < size(); other++) {
            kernel.checkUnits(sourceBlocks.count(other));
        }
        long deadlineNanos = deadlineNanos();
        team.checkIdle(called.label());
        boolean commutes = kernel == null || kernel.isCommutative();
        empty.set(Choice.ofBlocks(called, topology(), commutes), root, deadlineNanos);
        empty.setElements(source, target, type, count, kernel);
        empty.setBlocks(rank(), sourceBlocks, targetBlocks, true);
        return empty;
    }

    private void check(Collective called, MemorySegment target, int root) {
        if (called.hasRoot()) {
            checkRoot(root);
        }
        if (called.receives(rank(), root) && target.isReadOnly()) {
            throw new IllegalArgumentException(team.describe() + " cannot receive into read-only memory: " + target);
        }
    }

    // ---- calls that are started or kept: new ones, with kernels of their own, as one thread at a time uses a kernel

    Call newBarrier() {
        return prepare(new Call(), Collective.BARRIER, 0, null, 0, deadlineNanos());
    }

    Call newCall(Collective called, MemorySegment source, MemorySegment target, DataType type, long count,
            Reduction reduction, int root) {
        return prepare(new Call(), called, source, target, type, count, newKernel(called, type, reduction), root);
    }

    Call newCallWithBlocks(Collective called, MemorySegment source, MemorySegment target, DataType type, long count,
            Blocks sourceBlocks, Blocks targetBlocks, Reduction reduction, int root) {
        return prepare(new Call(), called, source, target, type, count, sourceBlocks, targetBlocks,
                newKernel(called, type, reduction), root);
    }

    private static Kernel newKernel(Collective called, DataType type, Reduction reduction) {
        return called.combines() ? Kernel.of(reduction, type) : null;
    }

    /** Runs what was prepared: by a call of its own, so that nobody but who has prepared it keeps the memory alive. */
    void runPrepared(Call kept) {
        run(prepareAgain(membership.call, kept));
    }

    Request startPrepared(Call kept, Runnable afterwards, Runnable atLast) {
        return membership.background.start(prepareAgain(new Call(), kept), afterwards, atLast);
    }

    private Call prepareAgain(Call empty, Call kept) {
        long deadlineNanos = deadlineNanos();
        if (!kept.hasMemory()) {
            throw new IllegalStateException(team.describe() + " called " + kept.collective().label()
                    + " by a prepared call whose memory lies in an arena that has been closed; prepare another one");
        }
        team.checkIdle(kept.collective().label());
        empty.setLike(kept, deadlineNanos);
        return empty;
    }

    String describe() {
        return team.describe();
    }

    private void run(Call prepared) {
        try {
            prepared.draw(team);
            prepared.run(team);
        } finally {
            prepared.clear();
        }
    }

    private Call prepare(Call empty, Collective called, MemorySegment source, MemorySegment target, DataType type,
            long count,
            Kernel kernel, int root) {
        check(called, target, root);
        if (kernel != null) {
            kernel.checkUnits(count);
        }
        Call prepared = prepare(empty, called, count * type.bytes(), kernel, root, deadlineNanos());
        prepared.setElements(source, target, type, count, kernel);
        if (called.hasBlocks()) {
            prepared.setBlocks(rank(), null, null, false);
        }
        return prepared;
    }

    /** Touches the call only when nothing can be wrong any more: it may be the one that another thread is inside. */
    private Call prepare(Call empty, Collective called, long bytes, Kernel kernel, int root, long deadlineNanos) {
        Algorithm algorithm = shortlist.algorithm(called, Math.min(bytes, team.operationBytesMax()),
                kernel == null || kernel.isCommutative());
        team.checkIdle(called.label());
        empty.set(algorithm, root, deadlineNanos);
        return empty;
    }

    private long deadlineNanos() {
        membership.checkOpen();
        return communicators.deadlineNanos(waitNanosMax);
    }

    // ---- groups

    @Override
    public Communicator split(int color, int key) {
        return split(OptionalInt.of(color), key).orElseThrow();
    }

    @Override
    public Optional<Communicator> split(OptionalInt color, int key) {
        int own = color.orElse(NO_COLOR);
        if (own < 0 && color.isPresent()) {
            throw new IllegalArgumentException(team.describe() + " called split with color " + own
                    + "; a color is 0 or more");
        }
        long deadlineNanos = deadlineNanos();
        var choices = new long[size()]; // for each rank the color in the upper half, the key in the lower
        allgather(new long[]{(long) own << Integer.SIZE | Integer.toUnsignedLong(key)}, choices);
        if (color.isEmpty()) {
            barrier("split", same("split"), deadlineNanos);
            return Optional.empty();
        }
        return Optional.of(split("split", own, ranksOf(own, choices), deadlineNanos));
    }

    /** The ranks that have chosen a color, by key, and those of the same key in their order. */
    private static int[] ranksOf(int color, long[] choices) {
        var keyed = new long[choices.length];
        int count = 0;
        for (int each = 0; each < choices.length; each++) {
            if (choices[each] >> Integer.SIZE == color) {
                keyed[count++] = choices[each] << Integer.SIZE | each;
            }
        }
        Arrays.sort(keyed, 0, count);
        var ranks = new int[count];
        for (int i = 0; i < count; i++) {
            ranks[i] = (int) keyed[i];
        }
        return ranks;
    }

    @Override
    public Communicator duplicate() {
        return split("duplicate", NO_COLOR, IntStream.range(0, size()));
    }

    @Override
    public Communicator splitByNode() {
        int node = topology().nodeOf(rank());
        return split("splitByNode", node, Arrays.stream(topology().ranksOf(node)));
    }

    @Override
    public Communicator splitBy(int level) {
        int[] levels = topology().levels();
        if (level < 0 || level >= levels.length) {
            throw new IllegalArgumentException(team.describe() + " called splitBy with level " + level + "; its nodes "
                    + (levels.length == 0 ? "have no levels" : "have levels 0 to " + (levels.length - 1)));
        }
        int node = topology().nodeOf(rank());
        int group = topology().placeOf(rank()) / levels[level];
        return split("splitBy " + level, (long) node * size() + group, Arrays.stream(topology().ranksOf(node))
                .filter(each -> topology().placeOf(each) / levels[level] == group));
    }

    private Communicator split(String called, long color, IntStream ranks) {
        return split(called, color, ranks.toArray(), deadlineNanos());
    }

    /** All ranks of this communicator make groups, and come together here. Its next operation tells their numbers. */
    private Communicator split(String called, long color, int[] ranks, long deadlineNanos) {
        return communicators.make(membership, called, Fingerprint.mix(team.nextOperation(), color), ranks,
                deadlineNanos, () -> barrier(called, same(called), deadlineNanos));
    }

    /** Tells the barrier in which they come together from what others may call, even a barrier. */
    private static int same(String called) {
        return called.hashCode() & Integer.MAX_VALUE | 1;
    }

    @Override
    public Communicator create(int... ranks) {
        long deadlineNanos = deadlineNanos();
        team.checkIdle("create");
        int[] members = ranks.clone();
        checkMembers(members);
        return communicators.make(membership, "create", membership.numberOf(members), members, deadlineNanos, null);
    }

    private void checkMembers(int[] ranks) {
        var seen = new BitSet();
        for (int each : ranks) {
            if (each < 0 || each >= size()) {
                throw new IllegalArgumentException(team.describe() + " called create with rank " + each
                        + ", which is not one of this communicator, whose ranks are 0 to " + (size() - 1));
            }
            if (seen.get(each)) {
                throw new IllegalArgumentException(team.describe() + " called create with rank " + each
                        + " more than once");
            }
            seen.set(each);
        }
        if (!seen.get(rank())) {
            throw new IllegalArgumentException(team.describe() + " called create for a group that it is not in: "
                    + Arrays.toString(ranks) + "; only its members call it");
        }
    }

    @Override
    public void close() {
        communicators.close(membership);
    }

    private void checkRoot(int root) {
        if (root < 0 || root >= team.size()) {
            throw new IllegalArgumentException(
                    "root " + root + " is not a rank of this communicator, which has ranks 0 to "
                            + (team.size() - 1));
        }
    }

    /** The kernels of the latest operators, the newest first, so that calls with the same few allocate nothing. */
    private Kernel kept(Reduction reduction, DataType type) {
        for (Kernel kernel : membership.kernels) {
            if (kernel != null && kernel.isOf(reduction, type)) {
                return kernel;
            }
        }
        Kernel kernel = Kernel.of(reduction, type);
        System.arraycopy(membership.kernels, 0, membership.kernels, 1, membership.kernels.length - 1);
        membership.kernels[0] = kernel;
        return kernel;
    }
}
