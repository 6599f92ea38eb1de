/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import org.tutti.memory.Looks;

/** Runs what the messages of a rank need beside the threads that call them. Tests run it when a seed says so. */
interface Background {
    /** Runs each task on a virtual thread of its own. */
    Background LIVE = new Background() {
        @Override
        public void start(String name, Runnable task) {
            Thread.ofVirtual().name(name).start(task);
        }

        @Override
        public void watch(Looks.Look look) {
            Looks.watch(look);
        }
    };

    /** Runs a task that may wait for another rank, beside the calling thread. */
    void start(String name, Runnable task);

    /** Calls an object periodically until it returns false. */
    void watch(Looks.Look look);
}
