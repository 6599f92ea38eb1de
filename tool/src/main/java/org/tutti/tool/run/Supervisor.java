/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import org.tutti.job.NodeFile;

/**
 * The life of a job: starts its processes, waits for their ends, and once something is wrong ends the others. They are
 * given a second to end by themselves, for they may have something to say; then SIGTERM, and a second later SIGKILL.
 */
final class Supervisor {
    private static final long LOOK_INTERVAL_MILLIS = 50;
    private static final Duration DRAINING_LIMIT = Duration.ofMillis(500);
    private static final Duration STOPPING_GRACE = Duration.ofMillis(700);

    private final JobPlan plan;
    private final RankCommand command;
    private final JobOutput output;
    private final List<StartedProcess> processes = new ArrayList<>();
    private final BlockingQueue<StartedProcess> ended = new LinkedBlockingQueue<>();
    private final Inquest inquest;
    private Optional<Ending> ending = Optional.empty();
    private boolean terminated;
    private boolean killed;
    private volatile boolean stopping;

    /**
     * @param plan the job
     * @param command how its processes are started
     * @param nodeFile what its ranks and the launcher tell each other
     * @param output where what it prints goes
     */
    Supervisor(JobPlan plan, RankCommand command, NodeFile nodeFile, JobOutput output) {
        this.plan = plan;
        this.command = command;
        this.output = output;
        this.inquest = new Inquest(plan, processes, nodeFile, output);
    }

    /** {@return the status to exit with, once all processes have ended and all is said} */
    int supervise() throws InterruptedException {
        start();
        int running = processes.size();
        while (running > 0 || inquest.inTrouble() && ending.isEmpty()) {
            var process = ended.poll(LOOK_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
            if (stopping) {
                return 1; // unheard: a signal decides
            }
            if (process != null) {
                running--;
                inquest.ended(process);
            }
            if (ending.isEmpty()) {
                ending = inquest.verdict();
                if (ending.isPresent()) {
                    report(ending.get());
                }
            }
            endOthers();
        }
        do {
            drain();
        } while (!stopping && processes.stream().anyMatch(StartedProcess::isPassingOutputOn)); // a reader may be slow
        output.releaseHeldLines();
        return ending.map(Ending::status).orElse(0);
    }

    /** Ends all processes that are left, soon; called on the way out, by whoever ends the launcher. */
    void stop() throws InterruptedException {
        stopping = true;
        endAll();
    }

    private synchronized void start() {
        for (int number = 0; number < plan.processes() && !stopping && !anyFailedToStart(); number++) {
            var process = StartedProcess.start(number, plan.ranksOf(number), command.process(number), output);
            processes.add(process);
            process.whenEnded(ended::add);
        }
    }

    private boolean anyFailedToStart() {
        var first = ended.peek();
        return first != null && first.exitStatus() != 0;
    }

    private void report(Ending verdict) throws InterruptedException {
        drain(); // so that the sentence follows what the rank itself had to say
        output.say(verdict.sentence());
    }

    private void endOthers() {
        if (!inquest.inTrouble()) {
            return;
        }
        var since = inquest.sinceTrouble();
        if (!terminated && since.compareTo(Inquest.GRACE) > 0) {
            terminated = true;
            processes.forEach(StartedProcess::terminate);
        }
        if (!killed && since.compareTo(Inquest.GRACE.multipliedBy(2)) > 0) {
            killed = true;
            processes.forEach(StartedProcess::kill);
        }
    }

    private synchronized void endAll() throws InterruptedException {
        processes.forEach(StartedProcess::terminate);
        awaitEnds(STOPPING_GRACE);
        processes.forEach(StartedProcess::kill);
        awaitEnds(STOPPING_GRACE);
        drain();
    }

    private void awaitEnds(Duration limit) throws InterruptedException {
        long deadlineNanos = System.nanoTime() + limit.toNanos();
        for (var process : processes) {
            process.awaitEnd(deadlineNanos);
        }
    }

    /** Waits for the output of the processes that have ended; not for long, since their children may hold the pipes. */
    private void drain() throws InterruptedException {
        long deadlineNanos = System.nanoTime() + DRAINING_LIMIT.toNanos();
        for (var process : processes) {
            if (!process.isAlive()) {
                process.awaitOutput(deadlineNanos);
            }
        }
    }
}
