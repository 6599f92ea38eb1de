/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/**
 * Collective operations and one-sided remote memory for programs on the JVM, across clusters of shared-memory nodes.
 */
@SuppressWarnings("module") // the simulator is not there when the library is compiled
module org.tutti {
    requires static jdk.incubator.vector;
    requires jdk.net;

    exports org.tutti;
    exports org.tutti.choice to org.tutti.simulator;
    exports org.tutti.collective to org.tutti.simulator;
    exports org.tutti.collective.kernel to org.tutti.simulator;
    exports org.tutti.fabric to org.tutti.simulator;
    exports org.tutti.memory to org.tutti.simulator;
    exports org.tutti.pattern to org.tutti.simulator;
}
