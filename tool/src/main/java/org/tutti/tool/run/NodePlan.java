/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.tutti.job.launch.NodeShape;
import org.tutti.tool.recording.RecordingFiles;

/**
 * The part of a job's plan that is needed to start the processes of one of its nodes.
 *
 * @param shape the job, and this node's part of it
 * @param firstRank the first rank of the node
 * @param ranksPerProcess the number of ranks of every process except the node's last
 * @param share the node's share of its machine
 * @param bind whether each process keeps to its share of the cores
 * @param directory the directory in which the processes start
 * @param memory the directory of the node's memory file
 * @param joinTimeout how long a rank may join later than the first
 * @param heartbeat how long a process or host may be silent before it counts as failed
 * @param rails the addresses, interfaces or subnets to other nodes, empty to choose
 * @param ports the ports to listen at, empty for any
 * @param recordings takes a recording of each process, if the job is recorded
 * @param environment variables of the ranks in addition to the launcher's own
 * @param jvmOptions options of the user for the ranks' JVMs
 */
record NodePlan(NodeShape shape, int firstRank, int ranksPerProcess, MachineShare share, boolean bind, Path directory,
        Path memory, Duration joinTimeout, Duration heartbeat, String rails, String ports,
        Optional<RecordingFiles> recordings, Map<String, String> environment, List<String> jvmOptions) {

    /** {@return the ranks of the node} */
    RankRange ranks() {
        return new RankRange(firstRank, firstRank + shape.nodeRanks() - 1);
    }

    /** {@return the same plan with recordings elsewhere} */
    NodePlan withRecordings(RecordingFiles files) {
        return new NodePlan(shape, firstRank, ranksPerProcess, share, bind, directory, memory, joinTimeout, heartbeat,
                rails, ports, Optional.of(files), environment, jvmOptions);
    }

    /** {@return the number of processes of the node} */
    int processes() {
        return Math.ceilDiv(shape.nodeRanks(), ranksPerProcess);
    }

    /** {@return the ranks of the node's process with this number, which counts from 0} */
    RankRange ranksOf(int process) {
        return Placement.part(ranks(), process, ranksPerProcess);
    }
}
