/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.Optional;

import org.tutti.job.diagnosis.RankLocation;

/**
 * Makes a stuck job say where its ranks are. It does so when the launcher gets SIGQUIT (Ctrl-\ in its terminal), and
 * when a rank has waited for as long as {@code --hang-report} says. It repeats the report of a wait when the wait has
 * become twice as long.
 */
final class HangWatch implements AutoCloseable {
    private static final long LOOK_MILLIS = 100;
    private static final int LOOKS_A_LIMIT = 4;

    private final StatusQuery statusQuery;
    private final JobOutput output;
    private final LastCallsReport report;
    private final QuitSignal quit;
    private final Optional<Long> limitNanos;
    private final Thread thread = Thread.ofPlatform().daemon().name("hang watch").unstarted(this::watch);
    private long askedNanos = System.nanoTime();
    private long waitedMillisMax;
    private volatile boolean closed;

    /**
     * @param plan the job
     * @param statusQuery asks the ranks of the job
     * @param output takes the reports
     * @param report is written as well when a rank has waited for long
     */
    HangWatch(JobPlan plan, StatusQuery statusQuery, JobOutput output, LastCallsReport report) {
        this.statusQuery = statusQuery;
        this.output = output;
        this.report = report;
        this.quit = output.quit();
        this.limitNanos = plan.hangReport().map(limit -> limit.toNanos());
        this.waitedMillisMax = limitNanos.orElse(Long.MAX_VALUE) / 1_000_000;
        thread.start();
    }

    private void watch() {
        try {
            while (!closed) {
                Thread.sleep(LOOK_MILLIS);
                if (quit.hasCome()) {
                    Thread.sleep(LOOK_MILLIS); // a signal that ends this process closes this watch meanwhile
                    output.say(statusQuery.report());
                }
                if (limitNanos.isPresent()
                        && System.nanoTime() - askedNanos > limitNanos.get() / LOOKS_A_LIMIT) {
                    askedNanos = System.nanoTime();
                    look();
                }
            }
        } catch (InterruptedException _) {
            return; // it is closed
        }
    }

    private void look() throws InterruptedException {
        var ranks = statusQuery.call();
        long waitedMillis = ranks.stream().mapToLong(RankLocation::waitedMillis).max().orElse(0);
        long limitMillis = limitNanos.orElseThrow() / 1_000_000;
        if (waitedMillis < limitMillis) {
            waitedMillisMax = limitMillis;
        } else if (waitedMillis >= waitedMillisMax) {
            waitedMillisMax = 2 * waitedMillis;
            output.say(statusQuery.report(ranks));
            report.write(Ending.hanging());
        }
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
