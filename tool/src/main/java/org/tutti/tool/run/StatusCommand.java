/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;

import org.tutti.tool.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** The command {@code tutti status}: makes running jobs say where their ranks are. */
@Command(name = "status", mixinStandardHelpOptions = true,
        description = "Says where the ranks of a running job are: in which call, in which line, waiting for whom.",
        footer = {"", "It asks the launchers of this host that belong to you, through their files in the temporary "
                + "directory.", "", "Examples:", "  tutti status", "  tutti status 9372-mwu3fnk6"})
public final class StatusCommand implements Callable<Integer> {
    private static final int STATUS_NO_ANSWER = 1;
    private static final Duration PATIENCE = Duration.ofSeconds(5); // a launcher itself waits for half as long

    @Parameters(index = "0", arity = "0..1", paramLabel = "job", defaultValue = "",
            description = "The name of a job, or the process number of its tutti run. Default: all of yours here.")
    private String job;

    /** {@return the status to exit with} */
    @Override
    public Integer call() {
        boolean any = false;
        boolean all = true;
        for (var directory : JobDirectory.own(Path.of(System.getProperty("java.io.tmpdir")))) {
            var name = JobDirectory.job(directory);
            if (job.isEmpty() || name.equals(job) || name.startsWith(job + "-")) {
                try {
                    any |= print(directory);
                } catch (TimeoutException _) {
                    System.err.println("tutti: job " + name + ": its launcher does not answer within "
                            + PATIENCE.toSeconds() + " seconds; it may have been stopped, by Ctrl-Z: fg or kill -CONT "
                            + "lets it go on");
                    all = false;
                }
            }
        }
        if (!all) {
            return STATUS_NO_ANSWER;
        }
        if (!any && !job.isEmpty()) {
            throw new UsageException("no job " + job
                    + " of yours is running on this host; tutti status without a name shows all that are");
        }
        if (!any) {
            System.out.println("no job of yours is running on this host");
        }
        return any ? 0 : STATUS_NO_ANSWER;
    }

    /** {@return whether a launcher answers} */
    private static boolean print(Path directory) throws TimeoutException {
        try {
            var answer = StatusSocket.ask(JobDirectory.socket(directory), PATIENCE);
            System.out.print(answer);
            return !answer.isEmpty();
        } catch (IOException _) {
            return false; // the directory has no launcher, or its launcher has just ended
        }
    }
}
