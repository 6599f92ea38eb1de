/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/**
 * Collective operations and one-sided remote memory for programs on the JVM, across clusters of shared-memory nodes.
 */
module org.tutti {
    requires static jdk.incubator.vector;

    exports org.tutti;
}
