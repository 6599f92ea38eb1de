/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/**
 * Collective operations and one-sided remote memory for programs on the JVM, across clusters of shared-memory nodes.
 *
 * <p>{@link org.tutti.Tutti} joins a job or runs one. {@link org.tutti.Communicator} has the collective operations, and
 * {@link org.tutti.RemoteMemory} the one-sided ones. {@link org.tutti.Span} and {@link org.tutti.Blocks} describe the
 * elements that calls work on. All other packages are internal.
 */
@SuppressWarnings("module") // the simulator does not exist yet when the library is compiled
module org.tutti {
    requires static jdk.incubator.vector; // predefined operators use it if the JVM was started with it
    requires jdk.jfr;
    requires jdk.net;

    exports org.tutti;
    exports org.tutti.choice to org.tutti.simulator;
    exports org.tutti.collective to org.tutti.simulator;
    exports org.tutti.collective.allgather to org.tutti.simulator;
    exports org.tutti.collective.allreduce to org.tutti.simulator;
    exports org.tutti.collective.alltoall to org.tutti.simulator;
    exports org.tutti.collective.barrier to org.tutti.simulator;
    exports org.tutti.collective.blocks to org.tutti.simulator;
    exports org.tutti.collective.broadcast to org.tutti.simulator;
    exports org.tutti.collective.communicator to org.tutti.simulator;
    exports org.tutti.collective.flow to org.tutti.simulator;
    exports org.tutti.collective.gather to org.tutti.simulator;
    exports org.tutti.collective.kernel to org.tutti.simulator;
    exports org.tutti.collective.layout to org.tutti.simulator;
    exports org.tutti.collective.machine to org.tutti.simulator;
    exports org.tutti.collective.members to org.tutti.simulator;
    exports org.tutti.collective.operation to org.tutti.simulator;
    exports org.tutti.collective.reduce to org.tutti.simulator;
    exports org.tutti.collective.reducescatter to org.tutti.simulator;
    exports org.tutti.collective.scan to org.tutti.simulator;
    exports org.tutti.collective.scatter to org.tutti.simulator;
    exports org.tutti.collective.stage to org.tutti.simulator;
    exports org.tutti.collective.window to org.tutti.simulator;
    exports org.tutti.fabric to org.tutti.simulator;
    exports org.tutti.memory to org.tutti.simulator;
    exports org.tutti.pattern to org.tutti.simulator;
}
