/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Runs a job: starts its processes, waits for their ends, and ends the others once something is wrong. The others first
 * get a second to end by themselves, because they may have something to report. They get more while a rank that has
 * left its job may be about to say why ({@link RootCause}). Then they get SIGTERM, and a second later SIGKILL. In a job
 * that is to keep going, only an abort, a passed limit or lost output ends the others.
 */
final class Supervisor {
    private static final long LOOK_INTERVAL_MILLIS = 50;
    private static final long RENDEZVOUS_INTERVAL_MILLIS = 5;
    private static final Duration DRAINING_LIMIT = Duration.ofMillis(500);

    /** How long ranks may take to end after a signal to all processes of the job, such as that of Ctrl-C. */
    private static final Duration SIGNAL_TO_ALL_LIMIT = Duration.ofMillis(200);

    /** How long ranks may take to say where they are when a signal ends the job, because SIGKILL may follow soon. */
    private static final Duration LAST_CALL_LIMIT = Duration.ofMillis(800);

    private static final Duration STOPPING_GRACE = Duration.ofMillis(700);

    private final JobPlan plan;
    private final JobNodes nodes;
    private final JobOutput output;
    private final List<StartedProcess> processes = new CopyOnWriteArrayList<>();
    private final BlockingQueue<StartedProcess> ended = new LinkedBlockingQueue<>();
    private final RootCause rootCause;
    private final StatusQuery statusQuery;
    private volatile Optional<Ending> first = Optional.empty();
    private boolean ending;
    private boolean terminated;
    private boolean killed;
    private volatile boolean stopping;
    private volatile boolean finished;

    /**
     * @param plan the job
     * @param nodes start its processes, and pass news between ranks and launcher
     * @param output takes the output of the processes
     */
    Supervisor(JobPlan plan, JobNodes nodes, JobOutput output) {
        this.plan = plan;
        this.nodes = nodes;
        this.output = output;
        this.rootCause = new RootCause(plan, processes, nodes, output, System::nanoTime);
        this.statusQuery = new StatusQuery(plan, nodes, processes);
    }

    /** {@return the query that asks the ranks where they are} */
    StatusQuery statusQuery() {
        return statusQuery;
    }

    /** {@return the figures of the job's ranks} */
    JobFigures figures() {
        return new JobFigures(plan, nodes, processes);
    }

    /** {@return the status to exit with, once all processes have ended and all reports are printed} */
    int supervise() throws InterruptedException {
        start();
        int running = processes.size();
        while (running > 0 || !ending && rootCause.isUndecided()) {
            var process = ended.poll(nodes.awaitsRendezvous() ? RENDEZVOUS_INTERVAL_MILLIS : LOOK_INTERVAL_MILLIS,
                    TimeUnit.MILLISECONDS);
            nodes.look();
            if (stopping) {
                return 1; // not used: a signal decides the status
            }
            if (process != null) {
                running--;
                if (process.exitStatus() == StartedProcess.STATUS_OUT_OF_MEMORY) {
                    // the output of the process says whether this status means that
                    process.awaitOutput(System.nanoTime() + DRAINING_LIMIT.toNanos());
                }
                rootCause.ended(process);
            }
            if (!ending) {
                var verdict = rootCause.verdict();
                if (verdict.isPresent()) {
                    report(verdict.get());
                }
            }
            endOthers();
        }
        do {
            nodes.look();
            drain();
        } while (!stopping && processes.stream().anyMatch(StartedProcess::isPassingOutputOn)); // a reader may be slow
        output.releaseHeldLines();
        if (first.isEmpty() && plan.size() > 1 && !stopping && nobodyHasJoined()) {
            output.say("no rank has joined the job: the program ran " + plan.size() + " times, each time by itself; "
                    + "call Tutti.join() in it to have the ranks work together");
        }
        finished = true;
        return first.map(Ending::status).orElse(0);
    }

    /** {@return the processes by number} */
    List<StartedProcess> processes() {
        return processes;
    }

    /** {@return why the job has not ended well, once its processes have ended; empty if it has ended well} */
    Optional<Ending> ending() {
        return first.or(() -> stopping && !finished && Cleanup.isEnding() ? Optional.of(Ending.killed())
                : Optional.empty());
    }

    /** Ends all remaining processes soon. The shutdown hook or the end of the launch calls this. */
    void stop() throws InterruptedException {
        stopping = true;
        if (Cleanup.isEnding() && first.isEmpty()) {
            sayWhereTheRanksAre();
        }
        endAll();
    }

    /**
     * Says where the ranks are when a signal ends the job. The ranks may have got the signal as well: if all of them
     * end, this method says nothing.
     */
    private void sayWhereTheRanksAre() throws InterruptedException {
        awaitEnds(SIGNAL_TO_ALL_LIMIT);
        if (processes.stream().anyMatch(StartedProcess::isAlive)) {
            output.say(statusQuery.report(statusQuery.call(LAST_CALL_LIMIT)));
        }
    }

    private synchronized void start() {
        for (int number = 0; number < plan.processes() && !stopping && !anyFailedToStart(); number++) {
            var process = nodes.start(number, output);
            processes.add(process);
            process.whenEnded(ended::add);
        }
    }

    private boolean nobodyHasJoined() {
        return IntStream.range(0, plan.size()).noneMatch(nodes::hasJoined);
    }

    private boolean anyFailedToStart() {
        var first = ended.peek();
        return first != null && first.exitStatus() != 0 && plan.hosts().isEmpty(); // other hosts start theirs anyway
    }

    private void report(Ending verdict) throws InterruptedException {
        drain(); // the sentence follows the output of the rank itself
        var location = rootCause.isOverdue() ? statusQuery.report() : List.<String>of(); // before any rank is ended
        output.say(verdict.sentence());
        if (!location.isEmpty()) {
            output.say(location);
        }
        if (first.isEmpty()) {
            first = Optional.of(verdict);
        }
        ending = verdict.endsJob();
        if (!ending) {
            output.releaseHeldLines();
        }
    }

    private void endOthers() {
        if (!rootCause.inTrouble() || plan.keepGoing() && !ending) {
            return;
        }
        var since = rootCause.sinceTrouble();
        if (!terminated && since.compareTo(RootCause.GRACE) > 0) {
            terminated = true;
            processes.forEach(StartedProcess::terminate);
        }
        if (!killed && since.compareTo(RootCause.GRACE.multipliedBy(2)) > 0) {
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

    /**
     * Waits for the output of the processes that have ended; not for long, because their children may hold the pipes.
     */
    private void drain() throws InterruptedException {
        long deadlineNanos = System.nanoTime() + DRAINING_LIMIT.toNanos();
        for (var process : processes) {
            if (!process.isAlive()) {
                process.awaitOutput(deadlineNanos);
            }
        }
    }
}
