/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

@Timeout(300)
class WaiterTest {
    private static final int POLLS_BEFORE_WORD = 3;
    private static final int LATENESS_FRACTION = 16;

    /** A few looks, before it parks. */
    private static final Duration NOTICED = Duration.ofNanos(100_000);

    /** Each look takes a microsecond, each park as long as it should; at a moment the word is written. */
    private static final class MovedClock implements WaitClock {
        private static final long LOOK_NANOS = 1000;

        private final MemorySegment word;
        private long writtenNanos;
        private long now;
        private long parks;

        MovedClock(MemorySegment word, Duration written) {
            this.word = word;
            this.writtenNanos = written.toNanos();
        }

        /** Sets the moment at which the word is written again. */
        void writeAfter(Duration duration) {
            writtenNanos = now + duration.toNanos();
        }

        @Override
        public long nanos() {
            pass(LOOK_NANOS);
            return now;
        }

        @Override
        public void park(long nanos) {
            assertThat(nanos).isBetween(0L, Duration.ofMillis(50).toNanos());
            parks++;
            pass(nanos);
        }

        private void pass(long nanos) {
            now += nanos;
            if (now >= writtenNanos) {
                Words.store(word, 0, 5);
            }
        }

        Duration late() {
            return Duration.ofNanos(now - writtenNanos);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 20, 400, 1500, 60_000})
    void shouldSeeAWordSoonAfterItIsWritten(long delayMillis) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(8, 8);
            MovedClock clock = new MovedClock(word, Duration.ofMillis(delayMillis));
            new Waiter(false, clock).await(word, 0, 5, () -> {
            });
            assertThat(clock.late()).isBetween(Duration.ZERO, NOTICED.plusMillis(delayMillis / LATENESS_FRACTION));
        }
    }

    /** The clock is read once while a wait spins. The second look, when it has given up, writes the word. */
    @Test
    void shouldSpinForAShorterTimeWhereItDoesNotPay() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(8, 8);
            var clock = new MovedClock(word, Duration.ZERO);
            var waiter = new Waiter(true, clock);
            int most = waiter.rounds();
            for (int wait = 0; wait < 5; wait++) { // of which the first one tries the largest budget
                Words.store(word, 0, 0);
                clock.writeAfter(Duration.ofNanos(2 * MovedClock.LOOK_NANOS));
                waiter.await(word, 0, 5, () -> {
                });
            }
            assertThat(waiter.rounds()).isEqualTo(most / 16);
            waiter.await(word, 0, 5, () -> {
            });
            assertThat(waiter.rounds()).as("after a wait that ends at once").isEqualTo(most / 16);
        }
    }

    /** A deadline, say: a check sees it as soon as the waiter would see the word. */
    @ParameterizedTest
    @ValueSource(longs = {1, 20, 400, 1500, 60_000})
    void shouldCheckSoonAfterSomethingHasHappened(long delayMillis) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment other = arena.allocate(8, 8);
            MovedClock clock = new MovedClock(other, Duration.ofMillis(delayMillis));
            assertThatIllegalStateException()
                    .isThrownBy(() -> new Waiter(false, clock).await(arena.allocate(8, 8), 0, 5, () -> {
                        if (Words.load(other, 0) == 5) {
                            throw new IllegalStateException("enough");
                        }
                    }));
            assertThat(clock.late()).isBetween(Duration.ZERO, NOTICED.plusMillis(delayMillis / LATENESS_FRACTION));
        }
    }

    @Test
    void shouldParkSeldomWhenItWaitsForLong() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(8, 8);
            MovedClock clock = new MovedClock(word, Duration.ofMinutes(1));
            new Waiter(false, clock).await(word, 0, 5, () -> {
            });
            assertThat(clock.parks).isBetween(1200L, 1400L); // 20 a second, and those that lead to there
        }
    }

    /** It goes by the clock of this machine unless told otherwise. */
    @Test
    void shouldSeeAWordThatAnotherThreadWrites() throws InterruptedException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(8, 8);
            CountDownLatch parked = new CountDownLatch(1);
            Thread writer = Thread.ofPlatform().start(() -> {
                try {
                    parked.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                Words.store(word, 0, 5);
            });
            long start = System.nanoTime();
            new Waiter(false).await(word, 0, 5, () -> {
                if (System.nanoTime() - start > Duration.ofMillis(20).toNanos()) {
                    parked.countDown();
                }
            });
            assertThat(System.nanoTime() - start).isGreaterThan(Duration.ofMillis(20).toNanos());
            writer.join();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndWhenTheCheckThrows(boolean coreForEach) {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(8, 8);
            assertThatIllegalStateException().isThrownBy(() -> new Waiter(coreForEach).await(word, 0, 1, () -> {
                throw new IllegalStateException("enough");
            })).withMessage("enough");
        }
    }

    /** Is in the background until it has slept so often; then it may take the core. */
    private static final class Background implements Waiter.Check, Waiter.Progress {
        private final MemorySegment word;
        private final List<Long> slept = new ArrayList<>();
        private int sleepsLeft = 3;
        private int pollsAsleep;
        private int polls;

        Background(MemorySegment word) {
            this.word = word;
        }

        @Override
        public void check() {
            assertThat(polls).isLessThan(1_000_000);
        }

        @Override
        public long sleepNanos(long waitedNanos) {
            return sleepsLeft > 0 ? 1 + sleepsLeft : 0;
        }

        @Override
        public boolean poll() {
            polls++;
            pollsAsleep += sleepsLeft > 0 ? 1 : 0;
            if (polls == POLLS_BEFORE_WORD) {
                Words.store(word, 0, 2);
            }
            return false;
        }

        @Override
        public void sleep(MemorySegment memory, long offset, long atLeast, long nanosMax) {
            slept.add(nanosMax);
            sleepsLeft--;
            if (sleepsLeft == 1 && atLeast == 1) {
                Words.store(memory, offset, atLeast);
            }
        }
    }

    @Test
    void shouldOnlySleepInTheBackground() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(8, 8);
            Background background = new Background(word);
            new Waiter(true, background).await(word, 0, 1, background);
            assertThat(background.slept).containsExactly(4L, 3L);
            assertThat(background.polls).isZero();
        }
    }

    @Test
    void shouldPollOnceItMayTakeTheCore() {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment word = arena.allocate(8, 8);
            Background background = new Background(word);
            new Waiter(true, background).await(word, 0, 2, background);
            assertThat(background.slept).containsExactly(4L, 3L, 2L);
            assertThat(background.pollsAsleep).isZero();
            assertThat(background.polls).isEqualTo(POLLS_BEFORE_WORD);
        }
    }

    /** Notes when a waiter tells that it polls, and lets the word come after so many sleeps. */
    private static final class Teller implements Waiter.Progress {
        private final MemorySegment word;
        private final int sleepsBeforeWord;
        private final List<Boolean> ends = new ArrayList<>();
        private boolean polling;
        private int pollsUntold;

        Teller(MemorySegment word, int sleepsBeforeWord) {
            this.word = word;
            this.sleepsBeforeWord = sleepsBeforeWord;
        }

        @Override
        public void beginPolling() {
            assertThat(polling).isFalse();
            polling = true;
        }

        @Override
        public void endPolling(boolean sleeps) {
            assertThat(polling).isTrue();
            polling = false;
            ends.add(sleeps);
        }

        @Override
        public boolean poll() {
            pollsUntold += polling ? 0 : 1;
            if (ends.size() == sleepsBeforeWord) {
                Words.store(word, 0, 1);
            }
            return false;
        }
    }

    @Test
    void shouldTellWhenItPollsAndWhenItSleeps() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(8, 8);
            Teller teller = new Teller(word, 2);
            new Waiter(false, teller).await(word, 0, 1, () -> {
            });
            assertThat(teller.ends).as("the word comes before the third sleep").containsExactly(true, true, true,
                    false);
            assertThat(teller.polling).isFalse();
            assertThat(teller.pollsUntold).as("polls before the wait yields").isEqualTo(1);
        }
    }

    @Test
    void shouldTellThatItPollsNoMoreWhenACheckThrows() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment word = arena.allocate(8, 8);
            Teller teller = new Teller(word, -1);
            assertThatIllegalStateException().isThrownBy(() -> new Waiter(true, teller).await(word, 0, 1, () -> {
                throw new IllegalStateException("enough");
            })).withMessage("enough");
            assertThat(teller.ends).containsExactly(false);
            assertThat(teller.polling).isFalse();
        }
    }

    /** Answers after so many polls of a wait, or when the waiter has given its core away. */
    private static final class Answerer implements Waiter.Progress {
        private final MemorySegment word;
        private final Waiter waiter = Waiter.forAnswers(true, this, null);
        private int pollsBeforeAnswer;
        private long asked;
        private int polls;
        private int givenAway;

        Answerer(MemorySegment word) {
            this.word = word;
        }

        @Override
        public boolean poll() {
            polls++;
            if (--pollsBeforeAnswer == 0) {
                Words.store(word, 0, asked);
            }
            return false;
        }

        @Override
        public void awaitArrival() {
            givenAway++;
            Words.store(word, 0, asked);
        }

        void ask(int waits, int pollsBefore) {
            polls = 0;
            givenAway = 0;
            for (int i = 0; i < waits; i++) {
                asked++;
                pollsBeforeAnswer = pollsBefore;
                waiter.await(word, 0, asked, () -> {
                });
            }
        }
    }

    @Test
    void shouldLearnHowLongToPoll() {
        try (Arena arena = Arena.ofConfined()) {
            Answerer answerer = new Answerer(arena.allocate(8, 8));
            int never = Integer.MAX_VALUE;
            answerer.ask(1024, never);
            assertThat(answerer.givenAway).isEqualTo(1024);
            // of 1024 waits one polls 128 times, 15 others 32 times, the rest once; and all once afterwards
            answerer.ask(10 * 1024, never);
            assertThat(answerer.polls).isEqualTo(10 * (128 + 15 * 32 + 1024 - 16 + 1024));
            // the next trial finds that polling pays again, and then nothing is given away any more
            answerer.ask(64, 20);
            assertThat(answerer.givenAway).isLessThan(64);
            answerer.ask(1024, 20);
            assertThat(answerer.givenAway).isZero();
            answerer.ask(1024, never);
            answerer.ask(2 * 1024, 100);
            assertThat(answerer.givenAway).isLessThanOrEqualTo(1024);
            answerer.ask(1024, 100);
            assertThat(answerer.givenAway).isZero();
        }
    }

    /** Pure yielding livelocks here: the ranks that hold the carriers keep running each other's wait loops. */
    @ParameterizedTest
    @ValueSource(ints = {3, 8, 64, 300})
    void shouldNotStarveVirtualThreads(int threads) throws InterruptedException {
        int rounds = 10_000 / threads;
        AtomicInteger ended = new AtomicInteger();
        try (Arena arena = Arena.ofShared()) {
            MemorySegment words = arena.allocate(64L * threads, 64);
            Waiter waiter = new Waiter(false);
            List<Thread> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                int mine = i;
                all.add(Thread.ofVirtual().start(() -> {
                    for (long round = 1; round <= rounds; round++) {
                        Words.store(words, 64L * mine, round);
                        waiter.await(words, 64L * ((mine + 1) % threads), round, () -> {
                        });
                    }
                    ended.incrementAndGet();
                }));
            }
            for (Thread thread : all) {
                thread.join();
            }
            assertThat(ended.get()).isEqualTo(threads);
        }
    }
}
