/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.Test;
import org.tutti.Reduction;
import org.tutti.Tutti;

import static org.assertj.core.api.Assertions.assertThat;

class CallSiteTest {
    private static final String HERE = CallSiteTest.class.getName();

    /** The line that calls this. */
    private static int line() {
        return new Throwable().getStackTrace()[1].getLineNumber();
    }

    private static CallSite await(AtomicReference<Thread> thread, String call) {
        while (true) {
            var known = thread.get();
            var site = known == null ? null : CallSite.of(known).orElse(null);
            if (site != null && site.call().equals(call)) {
                return site;
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void shouldNameTheLineOfAThreadThatIsInNoCall() {
        var site = CallSite.of(Thread.currentThread()).orElseThrow();
        int expected = line() - 1;
        assertThat(site.isInCall()).isFalse();
        assertThat(site.line()).isEqualTo(HERE + ":" + expected);
    }

    @Test
    void shouldPassOverTheJdk() {
        var line = new AtomicInteger();
        var found = new AtomicReference<CallSite>();
        Arrays.asList(2, 1).sort((_, _) -> {
            line.set(line() + 1);
            found.set(CallSite.of(Thread.currentThread()).orElseThrow());
            return 0;
        });
        assertThat(found.get().line()).isEqualTo(HERE + ":" + line);
    }

    @Test
    void shouldNameTheCallAndItsLine() {
        var thread = new AtomicReference<Thread>();
        var line = new AtomicInteger();
        Tutti.runLocal(2, job -> {
            if (job.rank() == 0) {
                thread.set(Thread.currentThread());
                line.set(line() + 1);
                job.world().barrier();
            } else {
                var site = await(thread, "barrier");
                assertThat(site.isInCall()).isTrue();
                assertThat(site.line()).isEqualTo(HERE + ":" + line);
                job.world().barrier();
            }
        });
    }

    @Test
    void shouldNameTheCallThatAnOperatorRunsIn() {
        var found = new AtomicReference<CallSite>();
        var line = new AtomicInteger();
        Tutti.runLocal(2, job -> {
            Reduction looks = Reduction.ofLongs("looks", true, (left, right) -> {
                found.set(CallSite.of(Thread.currentThread()).orElseThrow());
                return left + right;
            });
            line.set(line() + 1);
            job.world().allreduce(new long[1], looks);
        });
        assertThat(found.get().call()).isEqualTo("allreduce");
        assertThat(found.get().line()).isEqualTo(HERE + ":" + line);
    }

    @Test
    void shouldNameTheMethodOfAClassWithoutLines() {
        var frame = new StackTraceElement("some.Outer$Inner", "compute", "Outer.java", -1);
        assertThat(CallSite.of(new StackTraceElement[]{frame}).orElseThrow().line())
                .isEqualTo("some.Outer.Inner.compute");
    }

    @Test
    void shouldFindNothingInAThreadThatHasEnded() throws InterruptedException {
        var thread = Thread.ofPlatform().start(() -> {
        });
        thread.join();
        assertThat(CallSite.of(thread)).isEmpty();
    }
}
