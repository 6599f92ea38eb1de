/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.JobOptions;
import org.tutti.JobStartException;
import org.tutti.RankFailedException;
import org.tutti.Reduction;
import org.tutti.Tutti;
import org.tutti.job.EngineRanks.Body;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Secret;
import org.tutti.memory.CallSite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Ranks as an engine runs them: each part of a job has a node of its own here, and so could be a process. */
@Timeout(120)
class EngineRanksTest {
    private static final long GRACE_MILLIS = 1500;
    private static final Secret SECRET = Secret.random();
    private static final Runnable WANTED = () -> {
    };

    /** Opens all parts of a job: of each rank is said in which part it is. */
    private static List<EngineRanks> open(String job, int... partOfRank) {
        int parts = Arrays.stream(partOfRank).max().getAsInt() + 1;
        List<EngineRanks> opened = new ArrayList<>();
        for (int part = 0; part < parts; part++) {
            int self = part;
            int ranks = (int) Arrays.stream(partOfRank).filter(each -> each == self).count();
            int first = 0;
            while (partOfRank[first] != part) {
                first++;
            }
            opened.add(new EngineRanks(new NodeShape(job, partOfRank.length, part, parts, ranks), first, ranks,
                    SECRET));
        }
        opened.getFirst().rendezvous().ifPresent(text -> opened.forEach(each -> each.publishRendezvous(text)));
        return opened;
    }

    private static <R> CompletableFuture<R> start(EngineRanks part, int rank, Runnable wanted, Body<R> body) {
        CompletableFuture<R> result = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                result.complete(part.run(rank, JobOptions.DEFAULT, wanted, body));
            } catch (Throwable failure) {
                result.completeExceptionally(failure);
            }
        });
        return result;
    }

    private static List<CompletableFuture<Long>> startSums(List<EngineRanks> parts, int... partOfRank) {
        List<CompletableFuture<Long>> sums = new ArrayList<>();
        for (int rank = 0; rank < partOfRank.length; rank++) {
            sums.add(start(parts.get(partOfRank[rank]), rank, WANTED,
                    job -> job.world().allreduce(1L << job.rank(), Reduction.SUM)));
        }
        return sums;
    }

    @Test
    void shouldRunAnyRanksInAnyPart() {
        for (int[] partOfRank : new int[][]{{0, 0, 0}, {0, 1, 0, 1}, {0, 1, 1, 2, 0}, {0}}) {
            assertThat(startSums(open("any", partOfRank), partOfRank)).extracting(CompletableFuture::join)
                    .containsOnly((1L << partOfRank.length) - 1);
        }
    }

    /** The engine that has called the rank's program is no part of it. */
    @Test
    void shouldSayWhereInItsProgramARankIs() {
        var parts = open("where", 0, 0);
        var thread = new AtomicReference<Thread>();
        var inBarrier = start(parts.getFirst(), 0, WANTED, job -> {
            thread.set(Thread.currentThread());
            job.world().barrier();
            return CallSite.of(Thread.currentThread()).orElseThrow();
        });
        var seen = start(parts.getFirst(), 1, WANTED, job -> {
            while (true) {
                var site = Optional.ofNullable(thread.get()).flatMap(CallSite::of).filter(CallSite::isInCall);
                if (site.isPresent()) {
                    job.world().barrier();
                    return site.get();
                }
                Thread.sleep(1);
            }
        });
        int lineOfBarrier = inBarrier.join().frame().getLineNumber() - 1;
        assertThat(inBarrier.join().isInCall()).isFalse();
        assertThat(seen.join().line()).isEqualTo(EngineRanksTest.class.getName() + ":" + lineOfBarrier);
    }

    @Test
    void shouldRunSeveralJobsAtOnce() {
        int[] first = {0, 1, 1};
        int[] second = {0, 1};
        var sums = new ArrayList<>(startSums(open("first", first), first));
        sums.addAll(startSums(open("second", second), second));
        assertThat(sums).extracting(CompletableFuture::join).containsExactly(7L, 7L, 7L, 3L, 3L);
    }

    @Test
    void shouldBeTheJobThatTheProgramJoins() throws Exception {
        boolean same = open("joined", 0).getFirst().run(0, JobOptions.DEFAULT, WANTED,
                job -> job.equals(Tutti.join()));
        assertThat(same).isTrue();
    }

    @Test
    void shouldTellOtherPartsThatARankThrew() {
        List<EngineRanks> parts = open("throwing", 0, 1);
        var waiting = start(parts.get(0), 0, WANTED, job -> job.world().allreduce(1L, Reduction.SUM));
        var throwing = start(parts.get(1), 1, WANTED, _ -> {
            throw new IllegalStateException("no data");
        });
        assertThatThrownBy(throwing::join).isInstanceOf(CompletionException.class).cause().hasMessage("no data")
                .satisfies(failure -> assertThat(EngineRanks.isSecondary(failure)).isFalse());
        assertThatThrownBy(waiting::join).cause().isInstanceOfSatisfying(RankFailedException.class,
                failure -> assertThat(failure.rank()).isEqualTo(1))
                .satisfies(failure -> assertThat(EngineRanks.isSecondary(new RuntimeException(failure))).isTrue());
    }

    @Test
    void shouldNotWaitForARankThatIsAbandoned() {
        List<EngineRanks> parts = open("abandoned", 0, 0);
        var waiting = start(parts.get(0), 0, WANTED, job -> job.world().allreduce(1L, Reduction.SUM));
        parts.getFirst().abandon(1);
        assertThatThrownBy(waiting::join).cause().isInstanceOfSatisfying(RankFailedException.class,
                failure -> assertThat(failure.rank()).isEqualTo(1));
    }

    @Test
    void shouldNotWaitForAJobThatNobodyWants() {
        List<EngineRanks> parts = open("unwanted", 0, 1);
        var waiting = start(parts.get(0), 0, () -> {
            throw new JobStartException("nobody wants it");
        }, job -> job.size());
        assertThatThrownBy(waiting::join).cause().hasMessage("nobody wants it");
        parts.get(1).abandon(1);
    }

    @Test
    void shouldOutliveAnAbort() {
        var aborting = start(open("aborted", 0).getFirst(), 0, WANTED, job -> {
            try {
                job.abort(3);
            } finally {
                Thread.sleep(GRACE_MILLIS); // by then a process that was started for the job has ended
            }
            return 0;
        });
        assertThatThrownBy(aborting::join).cause().hasMessage("rank 0 aborted the job with status 3");
    }

    @Test
    void shouldSayOfProcessesThatShareMemoryThatTheyDo() {
        assertThat(EngineRanks.memoryIdentity()).isEqualTo(EngineRanks.memoryIdentity());
    }

    @Test
    void shouldHaveOneIdentityAlsoWhereNoMemoryCanBeShared() {
        Path nowhere = Path.of("/no/such/directory");
        assertThat(EngineRanks.memoryIdentity(nowhere)).isNotBlank().isEqualTo(EngineRanks.memoryIdentity(nowhere))
                .isNotEqualTo(EngineRanks.memoryIdentity());
    }

    @Test
    void shouldTellCausesFromConsequencesWhereCausesGoRoundInACircle() {
        RuntimeException inner = new IllegalStateException("inner");
        RuntimeException outer = new IllegalStateException("outer", inner);
        inner.initCause(outer);
        assertThat(EngineRanks.isSecondary(outer)).isFalse();
    }
}
