/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.tutti.collective.layout.Fingerprint;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Words;

/**
 * The shared state of the ranks of a verification run: words with their waiters, regions, channels with the puts that
 * are under way, and the order of all accesses.
 *
 * <p>A rank has a thread for each of its stages. The first is its calling thread; the others run non-blocking
 * operations. Each thread is a component of the {@link Clock clocks}.
 *
 * <p>Every rank is a process of its own, because that promises least: puts of two ranks of a node are not ordered. A
 * channel carries the puts of one process into another one, in their order. Each channel is a component of the clocks,
 * too.
 *
 * <ul>
 * <li>A store to a word carries the clock of its writer. A thread that loads or awaits the word joins that clock.
 * <li>An atomic operation joins the word's clock, then leaves the thread's clock in the word. For threads that read or
 * write the word plainly it is a write like any other.
 * <li>A put reads its source when it is called. It writes its bytes at a time of its channel, with the clock that the
 * thread had when it called. The word that it raises carries that clock with that time. A later put of the same channel
 * therefore publishes the bytes of an earlier one, and a put of another channel does not. A put must not write where an
 * earlier put writes until its rank has heard that the earlier one has come, because bytes overtake each other on
 * several rails and are sent again when a rail fails, and only words are raised in order ({@link Channel}).
 * <li>A put is under way at the latest when its rank flushes; in half of the cases it leaves immediately.
 * <li>A put into a group's ring that is not yet open, or already closed, has no effect. A put that takes effect is
 * ordered after the opening of the ring, because the target process has found the ring.
 * <li>A get is answered after all earlier puts of its channel. The thread joins the clocks of the words that it reads
 * and, if they lie in a group's ring, the clock of the rank that has opened the ring.
 * <li>A thread that releases a lock leaves its clock there, and the next thread that takes the lock joins that clock.
 * <li>The other threads of a rank know all that one of its threads has seen of other ranks, because they share an
 * operation sequence. (The operation sequence tells them less than that.) A thread's own actions are unknown to them
 * until it stores a word, puts, or releases a lock.
 * </ul>
 */
final class World implements SimulatedRanks.Order, Shadow.Race, Channel.Receiver {
    private static final class Word {
        private final long address;
        private Clock clock;
        private int writer;
        private int time;
        private final List<OperationWait> waiting = new ArrayList<>();

        Word(long address) {
            this.address = address;
        }
    }

    /** A thread that waits, with its word; the memory is null if it waits for something else. */
    private record OperationWait(int thread, MemorySegment memory, long offset, long atLeast) {}

    private static final class Held {
        private final Clock clock = new Clock(0);
        private final List<Integer> waiting = new ArrayList<>();
        private boolean taken;
    }

    private static final class Region {
        private final int process;
        private final MemorySegment memory;
        private final boolean hasWords;
        private final Clock opened; // of a group's ring
        private boolean revoked;

        Region(int process, MemorySegment memory, boolean hasWords, Clock opened) {
            this.process = process;
            this.memory = memory;
            this.hasWords = hasWords;
            this.opened = opened;
        }
    }

    /** A put, with its time in its channel and the clock of the calling thread. */
    private static final class Put implements Channel.Request {
        private final int call;
        private final PutTarget target;
        private final byte[] bytes;
        private final int time;
        private final Clock clock;
        private boolean isNoted;
        private boolean isRefused;

        Put(int call, PutTarget target, byte[] bytes, int time, Clock clock) {
            this.call = call;
            this.target = target;
            this.bytes = bytes;
            this.time = time;
            this.clock = clock;
        }

        @Override
        public int length() {
            return bytes.length;
        }
    }

    private static final class Get implements Channel.Request {
        private final int thread;
        private final long region;
        private final long offset;
        private final MemorySegment target;
        private final long targetOffset;
        private final long bytes;
        private final int time;
        private boolean given;

        Get(int thread, long region, long offset, MemorySegment target, long targetOffset, long bytes, int time) {
            this.thread = thread;
            this.region = region;
            this.offset = offset;
            this.target = target;
            this.targetOffset = targetOffset;
            this.bytes = bytes;
            this.time = time;
        }

        @Override
        public int length() {
            return 0;
        }
    }

    private static final int NOBODY = -1;

    private final int size;
    private final int threads;
    private final Interleaving interleaving;
    private final SplittableRandom random;
    private final int rails;
    private final SimulatedRanks ranks;
    private final Places places = new Places();
    private final Shadow shadow = new Shadow(this);
    private final MemoryUse memoryUse = new MemoryUse();
    private final Steps steps;
    private final Clock[] clocks;
    private final Clock[] seen;
    private final Map<Lock, Held> locks = new IdentityHashMap<>();
    private final Map<Long, Word> words = new HashMap<>();
    private final Map<Long, Region> regions = new HashMap<>();
    private final List<Channel> channels = new ArrayList<>();
    private final Channel[][] channelBetween;
    private final OperationWait[] waitsFor;
    private final int[] callOf;
    private final List<Integer> paused = new ArrayList<>();
    private final long[] changesSeen;
    private long changes;
    private boolean checksArrivals;
    private SimulationFailure failure; // the first one
    private int actor = NOBODY;
    private long step;

    /**
     * @param size the number of ranks
     * @param stages the number of threads of each rank
     * @param seed decides all that may go one way or another
     * @param recorded whether the ranks' steps are kept, for messages
     */
    World(int size, int stages, long seed, boolean recorded) {
        this.size = size;
        this.threads = size * stages;
        this.interleaving = new Interleaving(seed);
        this.random = new SplittableRandom(seed + size);
        this.rails = 1 + random.nextInt(Channel.RAILS_MAX);
        this.ranks = new SimulatedRanks(threads, this);
        this.steps = recorded ? new Steps(threads, this::name) : null;
        this.clocks = new Clock[threads];
        this.seen = new Clock[size];
        this.channelBetween = new Channel[size][size];
        this.waitsFor = new OperationWait[threads];
        this.callOf = new int[threads];
        this.changesSeen = new long[threads];
        for (int thread = 0; thread < threads; thread++) {
            clocks[thread] = new Clock(threads);
            clocks[thread].set(thread, 1);
            interleaving.add(thread);
        }
        for (int rank = 0; rank < size; rank++) {
            seen[rank] = new Clock(threads);
        }
    }

    /**
     * {@return the rank of a thread; threads of the first stage have the numbers of their ranks, and the other stages
     * follow}
     */
    int rankOf(int thread) {
        return thread % size;
    }

    /** {@return the stage of a thread, 0 for its rank's caller} */
    int stageOf(int thread) {
        return thread / size;
    }

    int thread(int rank, int stage) {
        return stage * size + rank;
    }

    String name(int thread) {
        return stageOf(thread) == 0 ? "rank " + thread : "stage " + stageOf(thread) + " of rank " + rankOf(thread);
    }

    SimulatedRanks ranks() {
        return ranks;
    }

    Places places() {
        return places;
    }

    MemoryUse memoryUse() {
        return memoryUse;
    }

    /** Lets a thread go on only when no other thread can, and no put is under way. */
    void holdBack(int thread) {
        interleaving.holdBack(thread);
    }

    /** Sets the call of a thread. */
    void enter(int thread, int call) {
        callOf[thread] = call;
    }

    /** {@return the call of a thread} */
    int callOf(int thread) {
        return callOf[thread];
    }

    /** {@return the number of rails between any two processes} */
    int rails() {
        return rails;
    }

    /** {@return how often a rail has failed} */
    int losses() {
        return channels.stream().mapToInt(Channel::losses).sum();
    }

    /** {@return how often a rail has come back} */
    int returns() {
        return channels.stream().mapToInt(Channel::returns).sum();
    }

    /** {@return the thread or channel that is acting, in words} */
    String actor() {
        return actor == NOBODY ? "nobody" : component(actor);
    }

    /** Orders all that the present actor has done before all that follows {@link #takeClock} with the same clock. */
    void leaveClock(Clock clock) {
        if (actor != NOBODY) {
            clock.join(clocks[actor]);
            advance(actor);
        }
    }

    /**
     * Orders all that other actors did before {@link #leaveClock} before all that the present actor does from now on.
     */
    void takeClock(Clock clock) {
        if (actor != NOBODY) {
            clocks[actor].join(clock);
        }
    }

    String lastSteps() {
        return steps == null ? "" : steps.last();
    }

    // ---- time

    /** Takes a step, before which another thread may go first. */
    void step(int thread, Supplier<String> what) {
        goOn(thread);
        note(thread, what);
    }

    /**
     * Takes a step that moves data, before which no other thread needs to go. Other threads learn nothing from the
     * moment at which a thread moves data. An action that could come before or after it may as well come before the
     * thread's next step that tells other threads something or learns from them. Whether two accesses to data are
     * ordered does not depend on which of them came first.
     */
    void note(int thread, Supplier<String> what) {
        step++;
        if (steps != null) {
            steps.add(thread, step, what.get());
        }
    }

    private void goOn(int thread) {
        ranks.step(thread);
        if (threads > size) {
            clocks[thread].join(seen[rankOf(thread)]);
        }
    }

    private void see(int thread, Clock clock) {
        clocks[thread].join(clock);
        if (threads > size) {
            seen[rankOf(thread)].join(clock);
        }
    }

    @Override
    public int next() {
        while (true) {
            if (failure != null) { // a rank takes further steps when it breaks its communicator after a failure
                throw new SimulationFailure(failure.getMessage(), failure);
            }
            int chosen = interleaving.choose();
            if (chosen < 0) {
                throw new SimulationFailure("deadlock: " + waits());
            }
            if (chosen < threads) {
                actor = chosen;
                return chosen;
            }
            Channel channel = channels.get((chosen - threads) / Channel.RAILS_MAX);
            step++;
            actor = channel.component();
            channel.act((chosen - threads) % Channel.RAILS_MAX);
        }
    }

    @Override
    public void end(int thread) {
        interleaving.remove(thread);
    }

    /** Delivers all requests that are still under way when all ranks have ended. */
    void drain() {
        for (Channel channel : channels) {
            actor = channel.component();
            channel.drain();
        }
    }

    private String waits() {
        return Arrays.stream(waitsFor).filter(Objects::nonNull).map(this::text).collect(Collectors.joining("; "));
    }

    private String text(OperationWait waiting) {
        return name(waiting.thread) + " waits for " + (waiting.memory == null ? "anything to change"
                : describe(waiting.memory, waiting.offset) + " to become " + Steps.value(waiting.atLeast)
                        + ", and it is " + Steps.value(Words.load(waiting.memory, waiting.offset)));
    }

    private void fail(String what) {
        SimulationFailure found = new SimulationFailure(actor() + " " + what + ", at step " + step);
        failure = failure == null ? found : failure;
        throw found;
    }

    // ---- words

    long load(int thread, MemorySegment memory, long offset) {
        step(thread, () -> "looks at " + describe(memory, offset));
        acquire(thread, memory, offset);
        return Words.load(memory, offset);
    }

    private Word wordAt(long address) {
        return words.get(key(address));
    }

    private Word makeWord(long address) {
        return words.computeIfAbsent(key(address), _ -> new Word(address));
    }

    /** Mixes an address for a hash table. Words lie at the beginning of lines, so their addresses would collide. */
    private static long key(long address) {
        return address * Fingerprint.GOLDEN;
    }

    private void acquire(int thread, MemorySegment memory, long offset) {
        Word word = wordAt(places.address(memory, offset));
        if (word != null && word.clock != null) {
            see(thread, word.clock);
        }
    }

    void store(int thread, MemorySegment memory, long offset, long value) {
        step(thread, () -> "sets " + describe(memory, offset) + " to " + Steps.value(value));
        release(thread, clocks[thread], memory, offset, value);
        advance(thread);
    }

    void publish(int thread, MemorySegment memory, long offset, long value) {
        step(thread, () -> "sets " + describe(memory, offset) + " to " + value);
        Words.storePlain(memory, offset, Math.min(value, Words.loadPlain(memory, offset))); // it may shrink
        release(thread, clocks[thread], memory, offset, value);
        advance(thread);
    }

    long add(int thread, MemorySegment memory, long offset, long increment) {
        step(thread, () -> "adds " + increment + " to " + describe(memory, offset));
        acquire(thread, memory, offset);
        long before = Words.load(memory, offset);
        replace(thread, memory, offset, before + increment);
        return before;
    }

    long compareAndExchange(int thread, MemorySegment memory, long offset, long expected, long value) {
        step(thread, () -> "sets " + describe(memory, offset) + " to " + value + " if it is " + expected);
        acquire(thread, memory, offset);
        long before = Words.load(memory, offset);
        if (before == expected) {
            replace(thread, memory, offset, value);
        }
        return before;
    }

    /**
     * The second half of an atomic operation. The thread has joined the word's clock, so it knows of every writer of
     * the word except those that write it plainly. The word may shrink.
     */
    private void replace(int thread, MemorySegment memory, long offset, long value) {
        long address = places.address(memory, offset);
        shadow.write(address, Long.BYTES, thread, clocks[thread], step);
        set(makeWord(address), thread, clocks[thread], memory, offset, value);
        advance(thread);
    }

    private void advance(int thread) {
        clocks[thread].set(thread, clocks[thread].time(thread) + 1);
    }

    private void release(int writer, Clock clock, MemorySegment memory, long offset, long value) {
        Word word = makeWord(places.address(memory, offset));
        long before = Words.load(memory, offset);
        if (value < before) {
            fail("lets " + describe(memory, offset) + " shrink from " + Steps.value(before) + " to "
                    + Steps.value(value));
        }
        if (word.clock != null && !clock.covers(word.writer, word.time)) {
            fail("sets " + describe(memory, offset) + " while " + component(word.writer) + " may still set it");
        }
        set(word, writer, clock, memory, offset, value);
    }

    private void set(Word word, int writer, Clock clock, MemorySegment memory, long offset, long value) {
        if (word.clock == null) {
            word.clock = clock.copy();
        } else {
            word.clock.set(clock);
        }
        word.writer = writer;
        word.time = clock.time(writer);
        Words.store(memory, offset, value);
        if (!word.waiting.isEmpty()) {
            word.waiting.removeIf(waiting -> wakes(waiting, value));
        }
        change();
    }

    private void change() {
        changes++;
        if (!paused.isEmpty()) {
            paused.forEach(interleaving::add);
            paused.clear();
        }
    }

    private boolean wakes(OperationWait waiting, long value) {
        if (value < waiting.atLeast) {
            return false;
        }
        interleaving.add(waiting.thread);
        return true;
    }

    void await(int thread, MemorySegment memory, long offset, long atLeast) {
        step(thread, () -> "waits for " + describe(memory, offset) + " to become " + Steps.value(atLeast));
        if (Words.load(memory, offset) < atLeast) {
            OperationWait waiting = new OperationWait(thread, memory, offset, atLeast);
            makeWord(places.address(memory, offset)).waiting.add(waiting);
            sleep(thread, waiting);
        }
        acquire(thread, memory, offset);
    }

    private void sleep(int thread, OperationWait reason) {
        waitsFor[thread] = reason;
        interleaving.remove(thread);
        goOn(thread);
        waitsFor[thread] = null;
    }

    /**
     * Pauses a thread until any word or region has changed since its last pause. If one has already, the thread only
     * lets others go first: it may have looked before that change.
     */
    void pause(int thread) {
        if (changesSeen[thread] == changes) {
            paused.add(thread);
            sleep(thread, new OperationWait(thread, null, 0, 0));
        } else {
            step(thread, () -> "lets others go first");
        }
        changesSeen[thread] = changes;
    }

    void lock(int thread, Lock lock) {
        step(thread, () -> "takes a lock");
        Held held = locks.computeIfAbsent(lock, _ -> new Held());
        while (held.taken) {
            held.waiting.add(thread);
            sleep(thread, new OperationWait(thread, null, 0, 0));
        }
        held.taken = true;
        clocks[thread].join(held.clock);
    }

    void unlock(int thread, Lock lock) {
        if (ranks.isStopped()) {
            return;
        }
        Held held = locks.get(lock);
        held.taken = false;
        held.clock.join(clocks[thread]);
        advance(thread);
        held.waiting.forEach(interleaving::add);
        held.waiting.clear();
    }

    long loadPlain(int thread, MemorySegment memory, long offset) {
        shadow.read(places.address(memory, offset), Long.BYTES, thread, clocks[thread], step);
        return Words.loadPlain(memory, offset);
    }

    void storePlain(int thread, MemorySegment memory, long offset, long value) {
        storePlain(thread, clocks[thread], memory, offset, value);
    }

    /**
     * Stores plainly. A store of the value that is there already is no write, because no reader could notice it. The
     * first store always is one: zeros are there before any store.
     */
    private void storePlain(int writer, Clock clock, MemorySegment memory, long offset, long value) {
        long address = places.address(memory, offset);
        if (Words.loadPlain(memory, offset) != value || !shadow.isWritten(address, Long.BYTES)) {
            shadow.write(address, Long.BYTES, writer, clock, step);
            Words.storePlain(memory, offset, value);
        }
    }

    void storeTag(int thread, MemorySegment memory, long word, long tag) {
        storeTag(thread, clocks[thread], memory, word, tag);
    }

    /** Stores a tag. Clearing its lowest bit is no write, because it harms no reader. */
    private void storeTag(int writer, Clock clock, MemorySegment memory, long word, long tag) {
        long offset = word + Long.BYTES;
        long before = Words.loadPlain(memory, offset);
        if (before == tag + 1 && (tag & 1) == 0 && shadow.isWritten(places.address(memory, offset), Long.BYTES)) {
            Words.storePlain(memory, offset, tag);
        } else {
            storePlain(writer, clock, memory, offset, tag);
        }
    }

    // ---- data

    void read(int thread, MemorySegment memory, long offset, long bytes) {
        if (bytes > 0) {
            shadow.read(places.address(memory, offset), bytes, thread, clocks[thread], step);
        }
    }

    void write(int thread, MemorySegment memory, long offset, long bytes) {
        if (bytes > 0) {
            long address = places.address(memory, offset);
            shadow.write(address, bytes, thread, clocks[thread], step);
            memoryUse.write(callOf[thread], address, bytes);
        }
    }

    @Override
    public void report(String what, int earlier, long earlierStep, long address, long end) {
        fail(what + ": " + (end - address) + " bytes from " + places.describe(address)
                + (earlier < 0 ? "" : ", accessed by " + component(earlier) + " at step " + earlierStep));
    }

    private String component(int component) {
        if (component < threads) {
            return name(component);
        }
        Channel channel = channels.get(component - threads);
        return "a put of rank " + channel.from() + " into the process of rank " + channel.to();
    }

    /** Makes all bytes that were written zeros again. */
    void clear(RunMemory memory) {
        shadow.forEachWritten(memory::clear);
        words.values().forEach(word -> memory.clear(word.address, Long.BYTES));
    }

    String describe(MemorySegment memory, long offset) {
        return places.describe(places.address(memory, offset));
    }

    // ---- between nodes

    long register(int process, MemorySegment memory, boolean hasWords) {
        long handle = regions.size() + 1L;
        regions.put(handle, new Region(process, memory, hasWords, null));
        return handle;
    }

    /**
     * Registers a group's ring by a handle that other ranks know. They may try to put to it or get from it before it is
     * registered, and after it is revoked.
     */
    void registerRing(int process, MemorySegment memory, long handle) {
        regions.put(handle, new Region(process, memory, true, clocks[process].copy()));
        advance(process);
        change();
    }

    void revoke(long region) {
        regions.get(region).revoked = true;
        change();
    }

    void put(int thread, PutTarget moved, PutSource source) {
        PutTarget target = moved.copy();
        long bytes = source.bytes();
        long region = target.region();
        step(thread, () -> "puts " + bytes + " bytes to " + describeRegion(region, target.offset())
                + (target.action() == WordAction.NONE ? ""
                        : ", then sets " + describeRegion(region, target.word()) + " to "
                                + Steps.value(target.value())));
        Channel channel = channel(rankOf(thread), target.process(), region);
        for (int run = 0; run < source.runs(); run++) {
            read(thread, source.segment(run), source.offset(run), source.length(run));
        }
        byte[] copied = new byte[Math.toIntExact(bytes)];
        source.copy(0, MemorySegment.ofArray(copied), 0, bytes);
        channel.add(new Put(callOf[thread], target, copied, channel.nextTime(), clocks[thread].copy()));
        advance(thread);
        if (interleaving.flip()) {
            channel.send();
        }
    }

    private String describeRegion(long region, long offset) {
        return regions.containsKey(region) ? describe(regions.get(region).memory, offset) : "a ring that is not there";
    }

    private Channel channel(int rank, int process, long region) {
        if (regions.containsKey(region) && regions.get(region).process != process) {
            fail("names a region of process " + regions.get(region).process + " as one of process " + process);
        }
        Channel channel = channelBetween[rank][process];
        if (channel == null) {
            channel = new Channel(rank, process, threads + channels.size(),
                    threads + channels.size() * Channel.RAILS_MAX, rails, random.split(), interleaving, this);
            channels.add(channel);
            channelBetween[rank][process] = channel;
        }
        return channel;
    }

    void flush(int thread) {
        step(thread, () -> "flushes");
        for (Channel channel : channelBetween[rankOf(thread)]) {
            if (channel != null) {
                channel.send();
            }
        }
    }

    /** Gets bytes, and returns whether the region exists. A group's ring may be closed, or not open yet. */
    boolean get(int thread, int process, long region, long offset, MemorySegment target, long targetOffset,
            long bytes) {
        step(thread, () -> "gets " + bytes + " bytes from " + describeRegion(region, offset));
        Channel channel = channel(rankOf(thread), process, region);
        Get get = new Get(thread, region, offset, target, targetOffset, bytes, channel.time());
        channel.add(get);
        channel.send();
        sleep(thread, new OperationWait(thread, null, 0, 0));
        if (get.given) {
            write(thread, target, targetOffset, bytes);
        }
        return get.given;
    }

    /** Writes bytes of a put. The write of all its bytes is noted when the first ones come. */
    @Override
    public void write(Channel channel, Channel.Request request, int from, int bytes) {
        if (!(request instanceof Put put)) {
            return;
        }
        if (!isThere(put.target.region())) { // a closed ring, or one that is not open yet
            put.isRefused |= from + bytes == put.bytes.length;
            return;
        }
        Clock opened = regions.get(put.target.region()).opened;
        if (opened != null) { // the target process finds only an open ring
            put.clock.join(opened);
        }
        MemorySegment memory = endpoints(put.target.region(), put.target.offset(), put.bytes.length);
        checkAwaited(channel.to(), put, memory);
        if (put.bytes.length > 0 && !put.isNoted) {
            long address = places.address(memory, put.target.offset());
            shadow.write(address, put.bytes.length, channel.component(), put.time, put.clock, step);
            memoryUse.write(put.call, address, put.bytes.length);
            put.isNoted = true;
        }
        MemorySegment.copy(MemorySegment.ofArray(put.bytes), from, memory, put.target.offset() + from, bytes);
    }

    @Override
    public void end(Channel channel, Channel.Request request) {
        switch (request) {
            case Get get -> answer(channel, get);
            case Put put when put.target.action() == WordAction.RAISE && !put.isRefused
                    && isThere(put.target.region()) -> {
                MemorySegment memory = endpoints(put.target.region(), put.target.word(), Long.BYTES);
                checkAwaited(channel.to(), put, memory);
                put.clock.set(channel.component(), put.time); // words are raised in order
                raise(channel.component(), put, memory);
            }
            default -> {
                // a put that raises no word, or was refused
            }
        }
    }

    /**
     * Makes later arrivals fail if the rank is in a later call than the put. One thread of each rank must make all
     * calls, in order.
     */
    void checkArrivals() {
        checksArrivals = true;
    }

    /**
     * Checks that a put does not reach a rank that has left its call, because that rank may end its process and the put
     * would be lost. A last credit may be lost.
     */
    private void checkAwaited(int rank, Put put, MemorySegment memory) {
        if (checksArrivals && put.call < callOf[rank]
                && !(put.bytes.length == 0 && describe(memory, put.target.word()).startsWith("CREDIT"))) {
            fail("reaches rank " + rank + ", which has left that call, at " + describe(memory, put.target.offset()));
        }
    }

    /**
     * Raises the word of a put. An unawaited put, such as an operation's last credit, may still be under way when
     * another process raises the word in a later generation. The target applies one after the other, and the word keeps
     * the greater value in either order.
     */
    private void raise(int writer, Put put, MemorySegment memory) {
        long generation = Steps.generation(Words.load(memory, put.target.word()));
        Clock clock = put.clock;
        Word word = wordAt(places.address(memory, put.target.word()));
        if (word != null && word.writer >= threads && generation < Steps.generation(put.target.value())) {
            clock.set(word.writer, Math.max(clock.time(word.writer), word.time));
        }
        if (generation <= Steps.generation(put.target.value())) {
            storeTag(writer, clock, memory, put.target.word(), put.target.tag());
            release(writer, clock, memory, put.target.word(), put.target.value());
        }
    }

    /**
     * Tells whether a region can be reached. A group's ring cannot before it is registered and after it is revoked.
     * Access to another revoked region is a fault, which {@link #endpoints} reports.
     */
    private boolean isThere(long handle) {
        Region region = regions.get(handle);
        return region != null && !(region.revoked && region.opened != null);
    }

    private MemorySegment endpoints(long handle, long offset, long bytes) {
        Region region = regions.get(handle);
        if (region.revoked) {
            fail("reaches memory of rank " + region.process + " that it no longer gives access to");
        }
        if (offset < 0 || offset + bytes > region.memory.byteSize()) {
            fail("reaches bytes " + offset + " to " + (offset + bytes) + " of a region of "
                    + region.memory.byteSize());
        }
        return region.memory;
    }

    private void answer(Channel channel, Get get) {
        interleaving.add(get.thread);
        if (!isThere(get.region)) {
            return;
        }
        get.given = true;
        if (regions.get(get.region).opened != null) { // the target process opened the ring before it answered
            see(get.thread, regions.get(get.region).opened);
        }
        MemorySegment memory = endpoints(get.region, get.offset, get.bytes);
        Clock clock = clocks[get.thread];
        clock.set(channel.component(), Math.max(clock.time(channel.component()), get.time));
        if (regions.get(get.region).hasWords && get.bytes >= Words.LINE_BYTES) { // a shorter get reads a payload
            for (long at = 0; at < get.bytes; at += Long.BYTES) {
                Word word = wordAt(places.address(memory, get.offset + at));
                if (word != null && word.clock != null) {
                    see(get.thread, word.clock);
                }
            }
        } else {
            shadow.read(places.address(memory, get.offset), get.bytes, get.thread, clock, step);
        }
        MemorySegment.copy(memory, get.offset, get.target, get.targetOffset, get.bytes);
    }
}
