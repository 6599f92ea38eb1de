/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A program's lines before, in and after the thread dump of its JVM. */
class ThreadDumpsTest {
    private static final String DUMP = """
            2026-11-24 03:55:54
            Full thread dump OpenJDK 64-Bit Server VM (25+36-LTS mixed mode, sharing):

            Threads class SMR info:
            _java_thread_list=0x00007f2b5c0016e0, length=2, elements={
            0x00007f2bb002d6d0, 0x00007f2bb0149ef0
            }

            "main" #1 [12345] prio=5 os_prio=0 cpu=51.95ms elapsed=2.10s tid=0x00007f2bb002d6d0 runnable
               java.lang.Thread.State: RUNNABLE
            \tat Main.main(Main.java:3)

            JNI global refs: 15, weak refs: 0

            Found one Java-level deadlock:
            =============================
            "one":
              which is held by "other"

            Java stack information for the threads listed above:
            ===================================================
            "one":
            \tat Main.one(Main.java:9)

            Found 1 deadlock.

            %sHeap
             garbage-first heap   total reserved 2048K, committed 1024K, used 512K
              region size 1024K, 2 young (2048K), 0 survivors (0K)
            %s Metaspace       used 84K, committed 256K, reserved 1114112K

            """;

    private boolean isFresh = true;
    private final ThreadDumps dumps = new ThreadDumps(() -> isFresh);

    /** What is left of lines, as a relay asks for it. */
    private String take(String text) {
        var all = text.getBytes(StandardCharsets.UTF_8);
        var left = new StringBuilder();
        for (int from = 0; from < all.length;) {
            int to = Relay.endOfLine(all, from, all.length);
            var instead = dumps.take(all, from, to);
            left.append(instead == null ? new String(all, from, to - from, StandardCharsets.UTF_8)
                    : new String(instead, StandardCharsets.UTF_8));
            from = to;
        }
        return left + new String(dumps.end(), StandardCharsets.UTF_8);
    }

    @Test
    void shouldTakeADumpOut() {
        assertThat(take("before\n" + DUMP.formatted("", "") + "after\n\n \n")).isEqualTo("before\nafter\n\n \n");
    }

    @Test
    void shouldPassOnWhatTheProgramPrintsMeanwhile() {
        assertThat(take(DUMP.formatted("step 7\n", "step 8: 0.5\n") + "step 9\n"))
                .isEqualTo("step 7\nstep 8: 0.5\nstep 9\n");
    }

    @Test
    void shouldTakeTwoDumpsOut() {
        var dump = DUMP.formatted("", "");
        assertThat(take(dump + "between\n" + dump)).isEqualTo("between\n");
    }

    @Test
    void shouldPassOnTimesThatNoDumpFollows() {
        var times = "2026-11-24 03:55:54\n2026-11-24 03:55:55\nstep 1\n2026-11-24 03:55:56\n";
        assertThat(take(times)).isEqualTo(times);
        assertThat(take(times + DUMP.formatted("", "") + times)).isEqualTo(times + times);
    }

    @Test
    void shouldPassOnADumpThatOnlyThisRankWasAskedFor() {
        isFresh = false;
        var dump = DUMP.formatted("", "");
        assertThat(take(dump)).isEqualTo(dump);
    }
}
