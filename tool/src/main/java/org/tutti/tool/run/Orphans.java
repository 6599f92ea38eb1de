/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Makes the kernel send SIGCONT to the ranks when the process that started them dies. A rank ends by itself when it
 * sees that its launcher is gone. But a stopped rank sees nothing, and all ranks may be stopped. SIGCONT does not
 * disturb a running rank. The command {@code setpriv} of util-linux asks the kernel for this signal. Without a suitable
 * {@code setpriv}, a stopped rank ends once a user lets it go on.
 */
final class Orphans {
    private static final List<String> WOKEN = List.of("setpriv", "--pdeathsig", "CONT");

    private static final FutureTask<Boolean> POSSIBLE = new FutureTask<>(Orphans::isPossible);

    static {
        Thread.ofPlatform().daemon().name("setpriv").start(POSSIBLE); // runs while the launcher has other things to do
    }

    private Orphans() {}

    /** Begins to find out whether this machine has a suitable command. */
    static void prepare() {}

    /**
     * {@return the words to put before a command so that SIGCONT wakes it when this process dies; empty if impossible}
     */
    static List<String> woken() {
        try {
            return POSSIBLE.get() ? WOKEN : List.of();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException("nobody interrupts it, and it throws nothing", e);
        }
    }

    private static boolean isPossible() {
        var nothing = new File("/dev/null");
        try {
            var command = new ProcessBuilder("setpriv", "--pdeathsig", "CONT", "true").redirectInput(nothing)
                    .redirectOutput(nothing).redirectErrorStream(true);
            return command.start().waitFor() == 0;
        } catch (IOException _) {
            return false; // there is no such command
        } catch (InterruptedException _) {
            return false; // nothing interrupts this thread
        }
    }
}
