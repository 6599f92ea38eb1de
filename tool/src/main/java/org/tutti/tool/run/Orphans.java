/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.File;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Has the kernel send SIGCONT to the ranks when the process dies that has started them. A rank ends by itself when it
 * sees that its launcher is gone, but a rank that is stopped sees nothing, and all may be stopped; a rank that runs
 * does not notice that signal. The command {@code setpriv} of util-linux asks the kernel for it; without that command,
 * or with one that cannot do so, a stopped rank ends once somebody lets it go on.
 */
final class Orphans {
    private static final List<String> WOKEN = List.of("setpriv", "--pdeathsig", "CONT");

    private static final FutureTask<Boolean> POSSIBLE = new FutureTask<>(Orphans::isPossible);

    static {
        Thread.ofPlatform().daemon().name("setpriv").start(POSSIBLE); // while the launcher has other things to do
    }

    private Orphans() {}

    /** Begins to find out what this machine has. */
    static void prepare() {}

    /** {@return the command that starts another one, which is woken when this process dies} */
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
            return false; // there is none
        } catch (InterruptedException _) {
            return false; // nobody does that
        }
    }
}
