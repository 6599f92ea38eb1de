/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.tutti.job.node.Secret;

/** Runs one job from its program to its end, and leaves nothing of it behind. */
public final class Launch {
    private static final int STATUS_NOT_COMPILED = 1;

    private Launch() {}

    /** Finds or makes the program of a job. */
    @FunctionalInterface
    interface ProgramMaker {
        /** {@return the program, or empty after the reason has been printed} */
        Optional<Program> make(JobDirectory directory) throws IOException;
    }

    /**
     * Runs a program of the tool itself with default settings.
     *
     * @param where the number of ranks, and their placement
     * @param mainClass the program
     * @param arguments its arguments
     * @return the status to exit with
     * @throws IOException if the program cannot be started
     * @throws InterruptedException never, because nothing interrupts the launcher
     */
    public static int runOwn(PlacementOptions where, Class<?> mainClass, List<String> arguments)
            throws IOException, InterruptedException {
        var hosts = where.hosts();
        var plan = JobPlan.plain(where.placement(hosts, 1), hosts, where.rails(), List.of());
        return runOwn(plan, mainClass, arguments);
    }

    /**
     * Runs a program of the tool itself in one process on this host.
     *
     * @param mainClass the program
     * @param arguments its arguments
     * @return the status to exit with
     * @throws IOException if the program cannot be started
     * @throws InterruptedException never, because nothing interrupts the launcher
     */
    public static int runOwnAlone(Class<?> mainClass, List<String> arguments)
            throws IOException, InterruptedException {
        return runOwn(JobPlan.plain(Placement.even(1, 1, 1), Optional.empty(), Rails.CHOSEN, List.of()), mainClass,
                arguments);
    }

    private static int runOwn(JobPlan plan, Class<?> mainClass, List<String> arguments)
            throws IOException, InterruptedException {
        var tool = RankCache.codeOf(mainClass).toString();
        return run(plan, _ -> Optional.of(Program.of(mainClass.getName(), tool, arguments)));
    }

    /** {@return the status to exit with} */
    static int run(JobPlan plan, ProgramMaker maker) throws IOException, InterruptedException {
        Orphans.prepare();
        SystemCharset.requireDirectory();
        try (var cleanup = new Cleanup()) {
            var metrics = plan.metrics().map(target -> cleanup.add(target.open(plan.job())));
            var directory = cleanup.add(JobDirectory.create(plan.job()));
            var program = maker.make(directory);
            if (program.isEmpty()) {
                return STATUS_NOT_COMPILED;
            }
            var output = cleanup.add(new JobOutput(plan));
            var nodes = new JobNodes(plan.placement(), nodes(plan, program.get(), output, cleanup));
            cleanup.add(nodes);
            var supervisor = new Supervisor(plan, nodes, output);
            var report = new LastCallsReport(plan, nodes, supervisor.processes(), output);
            cleanup.add(() -> write(report, supervisor.ending())); // while the memory of the nodes exists
            cleanup.add(() -> gatherRecordings(plan, nodes, output)); // after the processes have ended
            metrics.ifPresent(each -> {
                each.start(supervisor.figures(), output::say);
                cleanup.add(each); // the figures are used no more when the nodes are closed
            });
            cleanup.add(supervisor::stop);
            cleanup.add(new HangWatch(plan, supervisor.statusQuery(), output, report));
            cleanup.add(StatusSocket.open(directory.socket(), supervisor.statusQuery()::status));
            return supervisor.supervise();
        }
    }

    private static void write(LastCallsReport report, Optional<Ending> ending) throws InterruptedException {
        if (ending.isPresent()) {
            report.write(ending.get());
        }
    }

    private static void gatherRecordings(JobPlan plan, JobNodes nodes, JobOutput output) throws InterruptedException {
        plan.recordings().filter(files -> !files.hasRoom()).ifPresent(files -> output.say("the disk of --record "
                + files.directory() + " is full, and JFR ends a process that cannot record; make room, or name another "
                + "directory"));
        nodes.gatherRecordings().forEach(output::say);
    }

    /** Opens the nodes, all with the same secret. */
    private static List<JobNode> nodes(JobPlan plan, Program program, JobOutput output, Cleanup cleanup) {
        var secret = Secret.random();
        List<JobNode> nodes = new ArrayList<>();
        for (int number = 0; number < plan.placement().nodes(); number++) {
            var node = plan.node(number);
            int first = plan.placement().firstProcessOf(number);
            nodes.add(plan.hosts().isPresent()
                    ? RemoteNode.open(plan.hosts().get(), node, program, first, secret, output)
                    : new LocalNode(node, program, first, secret));
            cleanup.add(nodes.getLast());
        }
        return nodes;
    }
}
