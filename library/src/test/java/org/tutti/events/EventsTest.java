/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.groups.Tuple;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.DeadlineExceededException;
import org.tutti.MessageMismatchException;
import org.tutti.Mutexes;
import org.tutti.NonBlockingCommunicator;
import org.tutti.Program;
import org.tutti.ReceiveRequest;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.Request;
import org.tutti.Section;
import org.tutti.Span;
import org.tutti.Tutti;
import org.tutti.job.LocalNodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

/** Records a job of two ranks with Flight Recorder, and reads the events from the file. */
@Timeout(60)
@Isolated("records the whole JVM")
class EventsTest {
    private static final Duration LATE = Duration.ofMillis(80);

    @TempDir
    private Path directory;

    private List<RecordedEvent> record(String event, Program program) throws IOException {
        return record(event, () -> Tutti.runLocal(2, program));
    }

    private List<RecordedEvent> record(String event, Runnable job) throws IOException {
        Path file = directory.resolve("job.jfr");
        try (var recording = new Recording()) {
            recording.enable("tutti." + event).withoutThreshold();
            recording.start();
            job.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(each -> each.getEventType().getName().equals("tutti." + event)).toList();
    }

    @Test
    void shouldTellForWhichRankACallHasWaited() throws IOException {
        var events = record("Collective", job -> {
            Communicator world = job.world().withName("seen");
            if (job.rank() == 1) {
                sleep(LATE);
            }
            world.withAlgorithm(Collective.ALLREDUCE, "flat").allreduce(new double[100], Reduction.SUM);
        });
        assertThat(events).hasSize(2);
        var waited = events.stream().filter(event -> event.getInt("rank") == 0).findFirst().orElseThrow();
        assertThat(waited.getString("collective")).isEqualTo("allreduce");
        assertThat(waited.getString("algorithm")).isEqualTo("flat");
        assertThat(waited.getString("communicator")).isEqualTo("\"seen\"");
        assertThat(waited.getLong("communicatorNumber")).isZero();
        assertThat(waited.getLong("operation")).isEqualTo(1);
        assertThat(waited.getLong("bytes")).isEqualTo(800);
        assertThat(waited.getInt("root")).isEqualTo(-1);
        assertThat(waited.getInt("awaited")).isEqualTo(1);
        assertThat(waited.getDuration("waiting")).isBetween(LATE.dividedBy(2), waited.getDuration());
        assertThat(waited.getDuration("awaitedNanos")).isLessThanOrEqualTo(waited.getDuration("waiting"));
        assertThat(waited.getString("caller")).startsWith("org.tutti.events.EventsTest");
        assertThat(waited.getBoolean("failed")).isFalse();
        var late = events.stream().filter(event -> event.getInt("rank") == 1).findFirst().orElseThrow();
        assertThat(late.getDuration("waiting")).isLessThan(waited.getDuration("waiting"));
    }

    @Test
    void shouldTellOfCallsThatFailAndOfCallsInTheBackground() throws IOException {
        var events = record("Collective", job -> {
            Communicator world = job.world();
            world.nonBlocking().barrier().await();
            Communicator impatient = world.withDeadline(Duration.ofMillis(50));
            if (job.rank() == 0) {
                assertThatThrownBy(() -> impatient.broadcast(new int[4], 1)).hasMessageContaining("broadcast");
            } else {
                sleep(LATE.multipliedBy(3));
            }
        });
        assertThat(events).filteredOn(event -> event.getBoolean("nonBlocking")).hasSize(2)
                .allMatch(event -> event.getString("collective").equals("barrier") && !event.getBoolean("failed"));
        assertThat(events).filteredOn(event -> event.getBoolean("failed")).singleElement()
                .matches(event -> event.getInt("root") == 1 && event.getInt("rank") == 0);
    }

    @Test
    void shouldTellOfMessages() throws IOException {
        Program program = job -> {
            Communicator world = job.world();
            if (job.rank() == 0) {
                world.send(new int[]{1, 2, 3}, 1, 17);
                world.nonBlocking().send(new int[]{4}, 1, 18).await();
                world.prepare().send(new int[]{5, 6}, 1, 19).run();
            } else {
                world.receive(new int[10], 0, 17);
                world.receive(new int[10], 0, 18);
                world.receive(new int[10], 0, 19);
            }
        };
        assertThat(record("Send", program)).extracting(event -> event.getInt("rank"), event -> event.getInt("peer"),
                event -> event.getInt("tag"), event -> event.getLong("bytes"), event -> event.getBoolean("nonBlocking"))
                .containsExactly(tuple(0, 1, 17, 12L, false),
                        tuple(0, 1, 18, 4L, true),
                        tuple(0, 1, 19, 8L, true));
        assertThat(receives(program)).containsExactly(tuple(1, 0, 17, 12L, false),
                tuple(1, 0, 18, 4L, false),
                tuple(1, 0, 19, 8L, false));
    }

    private List<Tuple> receives(Program program) throws IOException {
        return record("Receive", program).stream().map(event -> tuple(event.getInt("rank"), event.getInt("peer"),
                event.getInt("tag"), event.getLong("bytes"), event.getBoolean("nonBlocking"))).toList();
    }

    /** A long message is taken piece by piece, a short one when it is found. */
    @ParameterizedTest
    @ValueSource(ints = {3, 1_000_000})
    void shouldTellOfReceivesThatDoNotWait(int count) throws IOException {
        assertThat(receives(job -> {
            Communicator world = job.world();
            if (job.rank() == 0) {
                world.send(new int[count], 1, 17);
                world.send(new int[count], 1, 18);
            } else {
                world.nonBlocking().receive(new int[count], Communicator.ANY_RANK, Communicator.ANY_TAG).await();
                world.prepare().receive(new int[count + 1], 0, 18).run();
            }
        })).containsExactlyInAnyOrder(tuple(1, 0, 17, 4L * count, true), tuple(1, 0, 18, 4L * count, true));
    }

    @Test
    void shouldTellOfReceivesOfFoundMessages() throws IOException {
        assertThat(receives(job -> {
            Communicator world = job.world();
            if (job.rank() == 0) {
                world.send(new int[3], 1, 17);
                world.send(new long[2], 1, 18);
            } else {
                var found = world.probe(Communicator.ANY_RANK, 17);
                assertThatThrownBy(() -> found.receive(new int[2])).isInstanceOf(MessageMismatchException.class);
                found.receive(new int[3]);
                while (world.tryProbe(0, 18).map(last -> last.receive(new long[2])).isEmpty()) {
                    Thread.onSpinWait();
                }
            }
        })).containsExactly(tuple(1, 0, 17, 12L, false), tuple(1, 0, 18, 16L, false));
    }

    /** Rank 1 waits for what rank 0 does late. */
    @Test
    void shouldTellOfWaitsForRequests() throws IOException {
        var events = record("Await", job -> {
            Communicator world = job.world();
            NonBlockingCommunicator calls = world.nonBlocking();
            if (job.rank() == 0) {
                sleep(LATE);
                world.send(new int[1], 1, 17);
                sleep(LATE);
                world.send(new int[1], 1, 18);
                sleep(LATE);
                world.send(new int[1], 1, 19);
                sleep(LATE);
                world.allreduce(1, Reduction.SUM);
                sleep(LATE);
                world.receive(new int[1], 1, 20);
            } else {
                calls.receive(new int[1], 0, 17).await();
                assertThat(calls.receive(new int[1], 0, 18).await(Duration.ofSeconds(30))).isTrue();
                world.probe(0, 19).receive(new int[1]);
                calls.allreduce(new int[]{1}, Reduction.SUM).await();
                calls.sendSynchronous(new int[1], 0, 20).await();
                Request ended = calls.send(new int[1], 1, 21);
                ended.await();
                world.receive(new int[1], 1, 21);
            }
        });
        assertThat(events).allSatisfy(event -> assertThat(event.getInt("rank")).isOne())
                .extracting(event -> event.getString("request"))
                .containsExactly("receive", "receive", "probe", "allreduce", "send");
        assertThat(events).extracting(RecordedEvent::getDuration)
                .allSatisfy(duration -> assertThat(duration).isGreaterThan(LATE.dividedBy(2)));
    }

    @Test
    void shouldTellOfWaitsForOneSidedRequests() throws IOException {
        var events = record("Await", () -> LocalNodes.run(new int[]{0, 1}, job -> {
            RemoteMemory memory = job.world().allocate(DataType.LONG, 1_000_000);
            if (job.rank() == 0) {
                memory.at(1).nonBlocking().get(0, new long[1_000_000]).await();
            }
            memory.close();
        }));
        assertThat(events).singleElement().satisfies(event -> {
            assertThat(event.getInt("rank")).isZero();
            assertThat(event.getString("request")).isEqualTo("one-sided");
            assertThat(event.getBoolean("failed")).isFalse();
        });
    }

    /** The event of the send ends before the receive of the same exchange fails. */
    @Test
    void shouldTellOfTheSendOfAnExchangeWhoseReceiveFails() throws IOException {
        var events = record("Send", job -> {
            if (job.rank() == 0) {
                assertThatThrownBy(() -> job.world().withDeadline(LATE).exchange(new int[1], 1, new int[1], 1, 17))
                        .isInstanceOf(DeadlineExceededException.class);
                job.world().barrier();
            } else {
                job.world().receive(new int[1], 0, 17);
                job.world().barrier();
            }
        });
        assertThat(events).singleElement().extracting(RecordedEvent::getDuration,
                InstanceOfAssertFactories.DURATION).isLessThan(LATE.dividedBy(2));
    }

    @Test
    void shouldTellHowLongAReceiveThatDoesNotWaitWasOnItsWay() throws IOException {
        var events = record("Receive", job -> {
            Communicator world = job.world();
            if (job.rank() == 0) {
                world.barrier();
                sleep(LATE);
                world.send(new int[]{1}, 1, 17);
            } else {
                ReceiveRequest request = world.nonBlocking().receive(new int[1], 0, 17);
                world.barrier();
                request.await();
                ReceiveRequest cancelled = world.nonBlocking().receive(new int[1], 0, 18);
                assertThat(cancelled.cancel()).isTrue();
            }
        });
        assertThat(events).singleElement().extracting(RecordedEvent::getDuration,
                InstanceOfAssertFactories.DURATION).isGreaterThanOrEqualTo(LATE);
    }

    @Test
    void shouldTellOfBothMessagesOfAnExchange() throws IOException {
        Program program = job -> job.world().exchange(new int[1 + job.rank()], 1 - job.rank(), new int[2],
                Communicator.ANY_RANK, 17);
        assertThat(record("Send", program)).extracting(event -> event.getInt("rank"), event -> event.getLong("bytes"))
                .containsExactlyInAnyOrder(tuple(0, 4L), tuple(1, 8L));
        assertThat(receives(program)).containsExactlyInAnyOrder(tuple(0, 1, 17, 8L, false),
                tuple(1, 0, 17, 4L, false));
    }

    private List<Tuple> oneSided(Program program) throws IOException {
        return record("OneSided", program).stream().filter(event -> event.getInt("rank") == 0)
                .map(event -> tuple(event.getString("operation"), event.getInt("target"), event.getLong("bytes")))
                .toList();
    }

    @Test
    void shouldTellOfOneSidedCalls() throws IOException {
        assertThat(oneSided(job -> {
            RemoteMemory memory = job.world().allocate(DataType.LONG, 10);
            if (job.rank() == 0) {
                memory.at(1).put(0, new long[]{1, 2, 3});
                memory.at(1).get(0, new long[2]);
                memory.at(1).accumulate(0, new long[]{5}, Reduction.SUM);
                memory.at(1).fill(16, 4, 7L);
                memory.fence(1);
                memory.fenceAll();
            }
            memory.close();
        })).containsExactly(tuple("put", 1, 24L),
                tuple("get", 1, 16L),
                tuple("accumulate", 1, 8L),
                tuple("fill", 1, 32L),
                tuple("fence", 1, 0L),
                tuple("fence", -1, 0L),
                tuple("fence", -1, 0L)); // the last one is of close
    }

    /** A call between nodes is made by another thread if it is long, or follows such a call. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldTellOnceOfOneSidedCallsThatDoNotWait(int nodeOfTarget) throws IOException {
        int many = 1_000_000;
        var events = record("OneSided", () -> LocalNodes.run(new int[]{0, nodeOfTarget}, job -> {
            RemoteMemory memory = job.world().allocate(DataType.LONG, many);
            if (job.rank() == 0) {
                var part = memory.at(1).nonBlocking();
                part.get(0, new long[3]).await();
                part.put(0, new long[4]).await();
                part.put(0, new long[many]);
                part.get(Section.of(0, 40), Span.of(new long[5]), Section.of(0, 40)).await();
                part.get(0, new long[0]).await();
            }
            memory.close();
        })).stream().filter(event -> event.getInt("rank") == 0 && !event.getString("operation").equals("fence"));
        boolean isFar = nodeOfTarget > 0;
        assertThat(events.map(event -> tuple(event.getString("operation"), event.getLong("bytes"),
                event.getBoolean("nonBlocking"))))
                .containsExactlyInAnyOrder(tuple("get", 24L, isFar), tuple("put", 32L, false),
                        tuple("put", 8L * many, isFar), tuple("get", 40L, isFar));
    }

    @Test
    void shouldTellOfAtomicOperations() throws IOException {
        assertThat(oneSided(job -> {
            RemoteMemory memory = job.world().allocate(DataType.LONG, 10);
            if (job.rank() == 0) {
                var part = memory.at(1);
                part.fetchAddLong(0, 1);
                part.swapLong(0, 2);
                part.compareAndSwapLong(0, 2, 3);
                part.fetchLong(0);
                part.fetchAddInt(8, 1);
                part.swapInt(8, 2);
                part.compareAndSwapInt(8, 1, 3);
                part.fetchInt(8);
            }
            memory.close();
        })).containsExactly(tuple("fetch-add", 1, 8L),
                tuple("swap", 1, 8L),
                tuple("compare-and-swap", 1, 8L),
                tuple("fetch", 1, 8L),
                tuple("fetch-add", 1, 4L),
                tuple("swap", 1, 4L),
                tuple("compare-and-swap", 1, 4L),
                tuple("fetch", 1, 4L),
                tuple("fence", -1, 0L));
    }

    @Test
    void shouldTellOfMutexes() throws IOException {
        assertThat(oneSided(job -> {
            RemoteMemory memory = job.world().allocate(DataType.LONG, 10);
            Mutexes mutexes = memory.allocateMutexes(2);
            if (job.rank() == 0) {
                mutexes.lock(1, 1);
                mutexes.unlock(1, 1);
                mutexes.tryLock(0, 1);
                mutexes.unlock(0, 1);
                mutexes.tryLock(0, 1, Duration.ofSeconds(10));
                mutexes.unlock(0, 1);
            }
            mutexes.close();
            memory.close();
        })).containsExactly(tuple("lock", 1, 0L),
                tuple("unlock", 1, 0L),
                tuple("lock", 1, 0L),
                tuple("unlock", 1, 0L),
                tuple("lock", 1, 0L),
                tuple("unlock", 1, 0L),
                tuple("fence", -1, 0L));
    }

    @Test
    void shouldTellHowLongALockWasAwaited() throws IOException {
        var events = record("OneSided", job -> {
            RemoteMemory memory = job.world().allocate(DataType.LONG, 10);
            Mutexes mutexes = memory.allocateMutexes(1);
            if (job.rank() == 1) {
                mutexes.lock(0, 1);
            }
            job.world().barrier();
            if (job.rank() == 0) {
                mutexes.lock(0, 1);
                mutexes.unlock(0, 1);
            } else {
                sleep(LATE);
                mutexes.unlock(0, 1);
            }
            mutexes.close();
            memory.close();
        });
        assertThat(events).filteredOn(event -> event.getInt("rank") == 0 && event.getString("operation").equals("lock"))
                .singleElement()
                .extracting(RecordedEvent::getDuration, InstanceOfAssertFactories.DURATION)
                .isBetween(LATE.dividedBy(2), Duration.ofSeconds(30));
    }

    /** A notification that has come already is not awaited. */
    @Test
    void shouldTellHowLongANotificationWasAwaited() throws IOException {
        var events = record("OneSided", job -> {
            RemoteMemory memory = job.world().allocate(DataType.LONG, 10);
            if (job.rank() == 1) {
                sleep(LATE);
                memory.at(0).putNotify(0, new long[]{1}, 0);
                memory.at(0).putNotify(0, new long[]{2}, 1);
                memory.fence(0);
                job.world().barrier();
            } else {
                memory.awaitMore(0, 1);
                job.world().barrier();
                memory.awaitMore(1, 1);
            }
            memory.close();
        });
        assertThat(events).filteredOn(event -> event.getString("operation").equals("await")).singleElement()
                .returns(0, (RecordedEvent event) -> event.getInt("rank"))
                .returns(-1, (RecordedEvent event) -> event.getInt("target"))
                .extracting(RecordedEvent::getDuration, InstanceOfAssertFactories.DURATION)
                .isBetween(LATE.dividedBy(2), Duration.ofSeconds(30));
    }

    private static void sleep(Duration duration) {
        try {
            Thread.sleep(duration);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
