/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/**
 * Runs Tutti's algorithms in simulated time and order: to verify them, to predict what they cost, and to draw them.
 */
module org.tutti.simulator {
    requires transitive org.tutti;

    exports org.tutti.simulator;
}
