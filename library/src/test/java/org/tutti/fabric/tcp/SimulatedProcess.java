/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import org.tutti.Section;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Region;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.Regions;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.SectionTransport;
import org.tutti.fabric.Striping;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * One side of a {@link SimulatedJob}: its memory, its {@link Peer}, and the calls that it makes on the other side, each
 * of which it notes with what it has to do there. The other side's words are at every moment what some first part of
 * the calls makes of them, and all bytes of that part are there.
 */
final class SimulatedProcess implements FabricListener {
    static final int REGION_BYTES = 720 << 10;
    private static final int WORDS = 12;
    private static final int WORD_STRIDE = 16;
    private static final int FIRST_ADDED = 4;
    private static final int FIRST_ATOMIC = 8;
    private static final int CONSTANT = 256;
    private static final int AREA = CONSTANT + (16 << 10);
    private static final int PUT_BYTES_MAX = 300_000;
    private static final int SUMS = 40_000;
    private static final int LOCKS = 20;
    private static final int LOCK_ODDS = 3;
    private static final int TRIES_MAX = 200;
    private static final int GUARD_BYTES = 16;
    private static final byte GUARD = 0x55;

    final int self;
    final Region region;
    final Region sums;
    final MemorySegment memory;
    final Peer peer;
    final AtomicLong refusals = new AtomicLong();
    final List<Long> newsHeard = new ArrayList<>();
    final List<String> lost = new ArrayList<>();
    int left;

    private final SimulatedJob job;
    private final RandomGenerator random;
    private final Waiter waiter;
    private final SectionPieces pieces = new SectionPieces();

    // what it has called, and what that has to do to the other side
    private final MemorySegment image;
    private final List<Effect> effects = new ArrayList<>();
    private final long[] issued = new long[2 * WORDS];
    private final long[] applied = new long[2 * WORDS];
    private int appliedEffects;
    private boolean isAllSent = true;
    private int area = AREA;
    private final long[] added = new long[SUMS];
    private final List<Long> newsTold = new ArrayList<>();
    private final List<Asked> asked = new ArrayList<>();
    private final List<Kept> kept = new ArrayList<>();

    /** The effect of a call: after its bytes have been put, the word's new value and tag (a word of −1 is none). */
    private record Effect(int word, long value, long tag, long offset, long bytes) {}

    /** A request that is under way: an atomic operation if it has no target. */
    private record Asked(int request, long old, MemorySegment target, int[] offsets, byte[] before) {}

    /** Memory that nobody may change any more. */
    private record Kept(MemorySegment memory, byte[] bytes) {}

    /**
     * The accumulate of these tests: it adds longs, and multiplies each one first. Now and then it finds a lock that it
     * does not get for a while.
     */
    private final class Adder implements RegionHandler {
        private final MemorySegment totals;
        private int locksLeft = LOCKS;
        private int locked;

        Adder(MemorySegment totals) {
            this.totals = totals;
        }

        @Override
        public boolean accepts(int operation, long offset, long bytes) {
            return operation == 3 && offset % Long.BYTES == 0 && bytes % Long.BYTES == 0;
        }

        @Override
        public long handle(int process, int operation, long scale, long imaginary, long offset, MemorySegment source,
                long sourceOffset, long bytes) {
            if (locked > 0) {
                locked--;
                return 0;
            }
            long most = bytes;
            if (locksLeft > 0 && random.nextInt(LOCK_ODDS) == 0) {
                locksLeft--;
                locked = random.nextInt(TRIES_MAX);
                most = random.nextLong(bytes / Long.BYTES + 1) * Long.BYTES;
            }
            for (long at = 0; at < most; at += Long.BYTES) {
                long more = source.get(ValueLayout.JAVA_LONG_UNALIGNED, sourceOffset + at);
                totals.set(ValueLayout.JAVA_LONG, offset + at,
                        totals.get(ValueLayout.JAVA_LONG, offset + at) + scale * more);
            }
            return most;
        }
    }

    /** Says that the other side is gone, on the way out of a wait. */
    static final class Gone extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Gone() {
            super("gone", null, false, false);
        }
    }

    SimulatedProcess(SimulatedJob job, int self, RandomGenerator random, Arena arena) {
        this.job = job;
        this.self = self;
        this.random = random;
        memory = arena.allocate(REGION_BYTES, Words.LINE_BYTES);
        byte[] constant = new byte[AREA - CONSTANT];
        random.nextBytes(constant);
        MemorySegment.copy(constant, 0, memory, ValueLayout.JAVA_BYTE, CONSTANT, constant.length);
        image = arena.allocate(REGION_BYTES, Words.LINE_BYTES);
        Regions regions = new Regions();
        region = regions.add(memory);
        MemorySegment totals = arena.allocate((long) SUMS * Long.BYTES, Words.LINE_BYTES);
        sums = regions.add(totals, new Adder(totals));
        peer = new Peer(1 - self, regions, this, refusals, () -> job.turn(this),
                new RailChoice(Striping.values()[random.nextInt(Striping.values().length)], job::nanos, self), arena);
        waiter = new Waiter(false, () -> {
            boolean moved = job.turn(this);
            if (peer.isGone()) {
                throw new Gone();
            }
            return moved;
        });
    }

    /** Takes a picture of the other side's memory, from before the first call. */
    void begin() {
        MemorySegment.copy(job.other(this).memory, 0, image, 0, REGION_BYTES);
    }

    private SimulatedProcess other() {
        return job.other(this);
    }

    // ---- what it hears

    @Override
    public void news(int kind, long index, long value) {
        assertThat(kind).isEqualTo(7);
        assertThat(value).isEqualTo(~index);
        newsHeard.add(index);
        assertThat(newsHeard).as("news").isEqualTo(other().newsTold.subList(0, newsHeard.size()));
    }

    @Override
    public void left(int process) {
        left++;
    }

    @Override
    public void lost(int process, Loss loss, String reason) {
        assertThat(reason).isNotBlank();
        lost.add(reason);
    }

    // ---- what it does

    /** Makes so many calls, whatever comes to mind. */
    void talk(int calls) {
        for (int i = 0; i < calls && !peer.isGone(); i++) {
            call();
            job.turn(this);
        }
        answerAll();
        fence();
    }

    private void call() {
        int choice = random.nextInt(100);
        if (choice < 33) {
            put(bytes());
        } else if (choice < 43) {
            putPacked(bytes());
        } else if (choice < 50) {
            accumulate(1 + bytes() / Long.BYTES);
        } else if (choice < 55) {
            get();
        } else if (choice < 60) {
            getPacked(1 + random.nextInt(FrameLayout.PAYLOAD_BYTES_MAX / 2));
        } else if (choice < 74) {
            atomic();
        } else if (choice < 82) {
            tell();
        } else if (choice < 94) {
            answer();
        } else if (choice < 96) {
            fence();
        } else {
            peer.pump();
        }
    }

    private int bytes() {
        return switch (random.nextInt(job.manySmall() ? 4 : 8)) {
            case 0 -> 0;
            case 1, 2 -> random.nextInt(200);
            case 3 -> random.nextInt(2000);
            case 4, 5 -> random.nextInt(20_000);
            case 6 -> random.nextInt(140_000);
            default -> random.nextInt(PUT_BYTES_MAX + 1);
        };
    }

    void put(int bytes) {
        if (area + bytes > REGION_BYTES) {
            answerAll();
            fence();
            area = AREA + random.nextInt(128);
        }
        if (peer.isGone()) {
            return;
        }
        int lead = random.nextInt(8);
        byte[] source = new byte[lead + bytes];
        random.nextBytes(source);
        WordAction action = WordAction.values()[random.nextInt(3)];
        int word = switch (action) {
            case NONE -> -1;
            case RAISE -> random.nextInt(FIRST_ADDED);
            case ADD -> FIRST_ADDED + random.nextInt(FIRST_ATOMIC - FIRST_ADDED);
        };
        long value = 1L + random.nextInt(50);
        long tag = random.nextLong();
        if (action == WordAction.RAISE) {
            value += issued[2 * word] - random.nextInt(10); // now and then it is no more than before
        }
        MemorySegment.copy(source, lead, image, ValueLayout.JAVA_BYTE, area, bytes);
        note(action, word, value, tag, area, bytes);
        long at = area;
        area += bytes;
        PutTarget target = new PutTarget().at(0, region(), at);
        switch (action) {
            case NONE -> {
            }
            case RAISE -> target.raise((long) word * WORD_STRIDE, value, tag);
            case ADD -> target.add((long) word * WORD_STRIDE, value);
        }
        boolean there = peer.sender().put(target, inRuns(source, lead), job::check);
        noteSent(there);
    }

    /** Returns the bytes from an index on, cut into one to four runs, each in memory of its own. */
    private PutSource inRuns(byte[] bytes, int from) {
        PutSource source = new PutSource();
        int at = from;
        for (int left = 1 + random.nextInt(4); left > 0; left--) {
            int end = left == 1 ? bytes.length : at + random.nextInt(bytes.length - at + 1);
            source.add(MemorySegment.ofArray(Arrays.copyOf(bytes, end)), at, end - at);
            at = end;
        }
        return source;
    }

    /** A section of about so many bytes from an offset on, a grid or a vector, whose runs do not overlap. */
    private Section section(int from, int bytes) {
        if (random.nextBoolean()) {
            int run = 1 + random.nextInt(Math.max(1, Math.min(bytes, 3000)));
            int count = Math.max(1, bytes / run / 3);
            int stride = run + random.nextInt(20);
            return Section.strided(from, run, new long[]{count, 3}, new long[]{stride, (long) count * stride + 5});
        }
        int longest = 1 + (1 << random.nextInt(12));
        long[] lengths = random.longs(Math.max(1, 2 * bytes / longest), 0, longest).toArray();
        long[] offsets = new long[lengths.length];
        long next = from;
        for (int i = 0; i < lengths.length; i++) {
            offsets[i] = next;
            next += lengths[i] + random.nextInt(9);
        }
        return Section.vector(offsets, lengths);
    }

    /** Its bytes, one by one. */
    private static int[] offsets(Section section) {
        return LongStream.range(0, section.runs()).mapToObj(run -> LongStream.range(section.offsetOf(run),
                section.offsetOf(run) + section.bytesOf(run))).flatMapToInt(run -> run.mapToInt(Math::toIntExact))
                .toArray();
    }

    void putPacked(int bytes) {
        Section there = section(area, bytes);
        if (there.end() > REGION_BYTES) {
            answerAll();
            fence();
            area = AREA + random.nextInt(128);
            return;
        }
        if (peer.isGone()) {
            return;
        }
        byte[] source = new byte[(int) there.bytes()];
        random.nextBytes(source);
        int[] offsets = offsets(there);
        for (int i = 0; i < offsets.length; i++) {
            image.set(ValueLayout.JAVA_BYTE, offsets[i], source[i]);
        }
        note(WordAction.NONE, -1, 0, 0, area, Math.max(0, there.end() - area));
        area = (int) Math.max(area, there.end());
        sendPacked(region(), there, MemorySegment.ofArray(source), SectionTransport.PUT, 0);
    }

    private long region() {
        return other().region.handle();
    }

    private void sendPacked(long handle, Section there, MemorySegment source, int operation, long scale) {
        pieces.begin(there, source, Section.of(0, source.byteSize()));
        boolean goesOn = true;
        while (goesOn && pieces.left() > 0) {
            long chunk = 64L + 64 * random.nextInt(1 + random.nextInt(FrameLayout.PAYLOAD_BYTES_MAX / 64));
            goesOn = peer.sender().sendPacked(handle, pieces,
                    Math.min(Math.min(chunk, FrameLayout.PAYLOAD_BYTES_MAX), pieces.left()),
                    operation, scale, 0, job::check);
        }
        noteSent(goesOn);
    }

    /** Every other long, in frames of several runs. */
    void accumulatePacked(int longs) {
        int from = random.nextInt(SUMS - 2 * longs);
        long scale = random.nextInt(5) - 2L;
        long[] source = random.longs(longs).toArray();
        for (int i = 0; i < longs; i++) {
            added[from + 2 * i] += scale * source[i];
        }
        Section there = Section.strided((long) from * Long.BYTES, Long.BYTES, new long[]{longs},
                new long[]{2 * Long.BYTES});
        sendPacked(other().sums.handle(), there, MemorySegment.ofArray(source), 3, scale);
    }

    void accumulate(int longs) {
        if (longs < SUMS / 2 && random.nextBoolean()) {
            accumulatePacked(longs);
            return;
        }
        int from = random.nextInt(SUMS - longs + 1);
        long scale = random.nextInt(5) - 2L;
        long[] source = random.longs(longs).toArray();
        for (int i = 0; i < longs; i++) {
            added[from + i] += scale * source[i];
        }
        pieces.begin((long) from * Long.BYTES, MemorySegment.ofArray(source), 0, (long) longs * Long.BYTES);
        boolean there = peer.sender().send(other().sums.handle(), pieces, 3, scale, 0, job::check);
        noteSent(there);
    }

    private void noteSent(boolean whole) {
        assertThat(whole || peer.isGone()).isTrue();
        isAllSent &= whole;
    }

    private void note(WordAction action, int word, long value, long tag, long offset, long bytes) {
        if (action == WordAction.ADD) {
            issued[2 * word] += value;
        } else if (action == WordAction.RAISE && issued[2 * word] < value) {
            issued[2 * word] = value;
            issued[2 * word + 1] = tag;
        }
        effects.add(word < 0 ? new Effect(-1, 0, 0, offset, bytes)
                : new Effect(word, issued[2 * word], issued[2 * word + 1], offset, bytes));
    }

    void get() {
        makePlace();
        int bytes = 1 + random.nextInt(random.nextBoolean() ? 300 : PUT_BYTES_MAX);
        long offset = (long) CONSTANT + random.nextInt(REGION_BYTES - CONSTANT - bytes);
        MemorySegment target = MemorySegment.ofArray(new byte[bytes + 2 * GUARD_BYTES]).fill(GUARD);
        byte[] before = image.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE);
        int request = peer.requester().get(region(), offset, target, GUARD_BYTES, bytes, job::check);
        if (request >= 0) {
            asked.add(new Asked(request, 0, target, IntStream.range((int) offset, (int) offset + bytes).toArray(),
                    before));
        }
    }

    /** Asks for about so many bytes of a section: as many as fit into a description. */
    void getPacked(int most) {
        makePlace();
        Section there = section(CONSTANT + random.nextInt(REGION_BYTES / 2), 1 + random.nextInt(most));
        int bytes = (int) Math.min(there.bytes(), FrameLayout.PAYLOAD_BYTES_MAX);
        if (bytes == 0 || there.end() > REGION_BYTES) {
            return;
        }
        int[] offsets = offsets(there);
        byte[] before = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            before[i] = image.get(ValueLayout.JAVA_BYTE, offsets[i]);
        }
        MemorySegment target = MemorySegment.ofArray(new byte[bytes + 2 * GUARD_BYTES]).fill(GUARD);
        SectionPieces wanted = new SectionPieces();
        wanted.begin(there, target, there);
        int request = peer.requester().get(region(), wanted, bytes, target, GUARD_BYTES, true, job::check);
        if (request >= 0) {
            int known = (int) wanted.part().position();
            asked.add(new Asked(request, 0, target, offsets, Arrays.copyOf(before, known)));
        }
    }

    void atomic() {
        makePlace();
        int word = FIRST_ATOMIC + random.nextInt(WORDS - FIRST_ATOMIC);
        AtomicOperation operation = AtomicOperation.values()[random.nextInt(AtomicOperation.values().length)];
        long before = issued[2 * word];
        long operand = random.nextInt(1000);
        long expected = random.nextBoolean() ? before : before + 1;
        long old = operation.bytes() == Long.BYTES ? before : (int) before;
        issued[2 * word] = switch (operation) {
            case FETCH_ADD -> before + operand;
            case FETCH, FETCH_INT -> before;
            case SWAP -> operand;
            case COMPARE_AND_SWAP -> before == expected ? operand : before;
            case FETCH_ADD_INT -> withLowHalf(before, before + operand);
            case SWAP_INT -> withLowHalf(before, operand);
            case COMPARE_AND_SWAP_INT -> (int) before == (int) expected ? withLowHalf(before, operand) : before;
        };
        effects.add(new Effect(word, issued[2 * word], 0, 0, 0));
        int request = peer.requester().atomic(region(), (long) word * WORD_STRIDE, operation, operand, expected,
                job::check);
        noteSent(request >= 0);
        if (request >= 0) {
            asked.add(new Asked(request, old, null, null, null));
        }
    }

    private static long withLowHalf(long word, long low) {
        return word & -1L << Integer.SIZE | low & 0xffff_ffffL;
    }

    void tell() {
        long index = newsTold.size();
        newsTold.add(index);
        if (!peer.sender().tell(FrameLayout.NEWS, 7, index, ~index, 0)) {
            newsTold.removeLast();
        }
    }

    private void makePlace() {
        while (asked.size() >= Requests.ENTRIES - 1) {
            answer();
        }
    }

    void answerAll() {
        while (!asked.isEmpty()) {
            answer();
        }
    }

    /** Waits for an answer, or no longer wants it. */
    void answer() {
        if (asked.isEmpty()) {
            return;
        }
        Asked one = asked.remove(random.nextInt(asked.size()));
        if (one.target != null && random.nextInt(10) == 0) {
            peer.requester().forget(one.request);
            keep(one.target);
            return;
        }
        try {
            if (!peer.requester().await(one.request, waiter, job::check)) {
                return;
            }
        } catch (Gone _) {
            return;
        }
        long value = peer.requester().take(one.request);
        if (one.target == null) {
            assertThat(value).as("old value").isEqualTo(one.old);
        } else {
            checkGot(one);
            keep(one.target);
        }
    }

    private void checkGot(Asked one) {
        byte[] got = one.target.toArray(ValueLayout.JAVA_BYTE);
        int bytes = one.before.length;
        for (int i = 0; i < GUARD_BYTES; i++) {
            assertThat(got[i] == GUARD && got[GUARD_BYTES + bytes + i] == GUARD).as("around what was got").isTrue();
        }
        for (int i = 0; i < bytes; i++) {
            byte is = got[GUARD_BYTES + i];
            if (is != one.before[i] && is != image.get(ValueLayout.JAVA_BYTE, one.offsets[i])) {
                fail("got a wrong byte at " + one.offsets[i]);
            }
        }
    }

    private void keep(MemorySegment target) {
        kept.add(new Kept(target, target.toArray(ValueLayout.JAVA_BYTE)));
    }

    /** Waits until all is there, and sees that it is. */
    void fence() {
        long all = peer.sender().askAck(job::check);
        try {
            if (peer.sender().awaitAck(all, waiter, job::check) && isAllSent) { // it may be gone, but has had all
                checkAll();
            } else {
                assertThat(peer.isGone()).isTrue();
            }
        } catch (Gone _) {
            return;
        }
    }

    /** Says good-bye, and waits until that is heard. */
    void leave() {
        while (!peer.isGone() && !peer.sender().tell(FrameLayout.GOODBYE, 0, 0, 0, 0)) {
            job.turn(this);
        }
        fence();
    }

    // ---- what has to be so on the other side

    private boolean isAsOver() {
        MemorySegment there = other().memory;
        for (int word = 0; word < WORDS; word++) {
            if (Words.load(there, (long) word * WORD_STRIDE) != applied[2 * word]
                    || Words.loadPlain(there, (long) word * WORD_STRIDE + 8) != applied[2 * word + 1]) {
                return false;
            }
        }
        return true;
    }

    /** At every moment: the words over there are as after some first part of the calls, whose bytes are there. */
    void check() {
        while (!isAsOver()) {
            if (appliedEffects == effects.size()) {
                fail("the words are as after no part of the calls: " + Arrays.toString(
                        other().memory.asSlice(0, WORDS * WORD_STRIDE).toArray(ValueLayout.JAVA_LONG_UNALIGNED))
                        + " instead of " + Arrays.toString(applied));
            }
            step();
        }
    }

    private void step() {
        Effect effect = effects.get(appliedEffects++);
        if (image.asSlice(effect.offset, effect.bytes)
                .mismatch(other().memory.asSlice(effect.offset, effect.bytes)) >= 0) {
            fail("call " + appliedEffects + " took effect before its bytes were there: " + effect);
        }
        if (effect.word >= 0) {
            applied[2 * effect.word] = effect.value;
            applied[2 * effect.word + 1] = effect.tag;
        }
    }

    private void checkAll() {
        while (appliedEffects < effects.size()) {
            step();
        }
        assertThat(isAsOver()).as("words after a fence").isTrue();
        assertThat(image.asSlice(CONSTANT).mismatch(other().memory.asSlice(CONSTANT))).as("memory").isEqualTo(-1);
        assertThat(other().sums.segment().mismatch(MemorySegment.ofArray(added))).as("sums").isEqualTo(-1);
        assertThat(other().newsHeard).as("news").isEqualTo(newsTold);
    }

    /** At the end, should the other side still be there. */
    void checkEnd() {
        checkAll();
        checkKept();
        assertThat(refusals.get()).as("refusals").isZero();
    }

    /** What was got, and what nobody wants to get any more, has to stay as it is. */
    void checkKept() {
        for (Kept one : kept) {
            assertThat(one.memory.toArray(ValueLayout.JAVA_BYTE)).as("memory after a get").isEqualTo(one.bytes);
        }
    }

    /** When the other side is gone, every call says so at once. */
    void checkGone() {
        assertThat(peer.isGone()).isTrue();
        MemorySegment bytes = MemorySegment.ofArray(new byte[8]);
        assertThat(peer.sender().put(new PutTarget().at(0, 0, 0), new PutSource().add(bytes, 0, 8), job::check))
                .isFalse();
        assertThat(peer.requester().get(0, 0, bytes, 0, 8, job::check)).isEqualTo(-1);
        assertThat(peer.requester().atomic(0, 0, AtomicOperation.SWAP, 0, 0, job::check)).isEqualTo(-1);
        assertThat(peer.sender().tell(FrameLayout.NEWS, 7, 0, 0, 0)).isFalse();
        peer.sender().askAck(job::check);
        assertThat(peer.poll()).isFalse();
        assertThat(peer.wantsToSend()).isFalse();
    }
}
