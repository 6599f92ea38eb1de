/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.NodeShape;
import org.tutti.tool.metrics.MetricsTarget;
import org.tutti.tool.recording.RecordingFiles;

/**
 * Everything that the command line says about a job, checked before anything is started.
 *
 * @param job the name of the job, unique on this host
 * @param placement the node and the process of each rank
 * @param hosts the hosts of the nodes, if they are not all on this one
 * @param bind whether each process keeps to its share of the cores
 * @param timeout how long the job may take
 * @param hangReport how long a rank may wait before the job reports where its ranks are
 * @param joinTimeout how long a rank may join later than the first
 * @param heartbeat how long a process or host may be silent before it counts as failed
 * @param rails the network addresses of the nodes
 * @param keepGoing whether the others go on when a rank fails
 * @param tagOutput whether lines of output name their rank
 * @param outputDirectory the directory for the output, if it does not go to the launcher's own streams
 * @param recordings takes a recording of each process, if the job is recorded
 * @param metrics takes the figures of the job while it runs, if any are wanted
 * @param reports the directory for a report if the job does not end well, if there is to be one
 * @param environment variables of the ranks in addition to the launcher's own
 * @param jvmOptions options of the user for the ranks' JVMs
 * @param task the name of the task, if the program is one that reports its steps ({@link StepLine})
 */
record JobPlan(String job, Placement placement, Optional<Hosts> hosts, boolean bind, Optional<Duration> timeout,
        Optional<Duration> hangReport, Duration joinTimeout, Duration heartbeat, Rails rails, boolean keepGoing,
        boolean tagOutput,
        Optional<Path> outputDirectory, Optional<RecordingFiles> recordings, Optional<MetricsTarget> metrics,
        Optional<Path> reports, Map<String, String> environment,
        List<String> jvmOptions, Optional<String> task) {

    private static final int BASE_36 = 36;
    private static final Duration JOIN_TIMEOUT_DEFAULT = Duration.ofMinutes(1);
    private static final Duration HEARTBEAT_DEFAULT = Duration.ofSeconds(10);

    /**
     * {@return a job of the tool's own with default settings, except its placement, hosts, rails and JVM options}
     */
    static JobPlan plain(Placement placement, Optional<Hosts> hosts, Rails rails, List<String> jvmOptions) {
        return new JobPlan(newName(), placement, hosts, false, Optional.empty(), Optional.empty(),
                JOIN_TIMEOUT_DEFAULT, HEARTBEAT_DEFAULT, rails, false, false, Optional.empty(), Optional.empty(),
                Optional.empty(), Optional.empty(), Map.of(), jvmOptions, Optional.of("measuring"));
    }

    /** {@return a name from the process identifier and the time, unique on this host} */
    static String newName() {
        return ProcessHandle.current().pid() + "-" + Long.toString(System.currentTimeMillis(), BASE_36);
    }

    int size() {
        return placement.size();
    }

    /** {@return the number of processes} */
    int processes() {
        return placement.processes();
    }

    /** {@return the ranks of the process with this number, which counts from 0} */
    RankRange ranksOf(int process) {
        return placement.ranksOf(process);
    }

    /** {@return the number of the process that holds this rank} */
    int processOf(int rank) {
        return placement.processOf(rank);
    }

    /** {@return the part of the plan that one node needs} */
    NodePlan node(int node) {
        var ranks = placement.ranksOfNode(node);
        return new NodePlan(new NodeShape(job, size(), node, placement.nodes(), ranks.count()), ranks.first(),
                placement.ranksPerProcess(), share(node), bind, Path.of("").toAbsolutePath(), memory(), joinTimeout,
                heartbeat, rails.of(hosts.map(all -> all.name(node))), rails.ports(), recordings, environment,
                jvmOptions);
    }

    /** The directory of the node files; a variable of this process's environment may name it. */
    private static Path memory() {
        return Path.of(System.getenv().getOrDefault(JobEnvironment.MEMORY, "/dev/shm"));
    }

    private MachineShare share(int node) {
        int nodes = 0;
        int processes = 0;
        int before = 0;
        for (int other = 0; other < placement.nodes(); other++) {
            if (onSameMachine(node, other)) {
                nodes++;
                processes += placement.processesOf(other);
                before += other < node ? placement.processesOf(other) : 0;
            }
        }
        return new MachineShare(nodes, processes, before);
    }

    private boolean onSameMachine(int node, int other) {
        return hosts.isEmpty() || hosts.get().name(node).equals(hosts.get().name(other));
    }
}
