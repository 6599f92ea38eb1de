/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;

/**
 * The command {@code tutti host}, which an agent of the launcher runs on each other host. It speaks with the launcher
 * over its standard streams.
 */
@Command(name = "host", hidden = true, mixinStandardHelpOptions = true,
        description = "Starts ranks for a launcher on another host, which speaks with it over its streams.",
        footer = {"", "Example, as the launcher of tutti run --hosts b:4 calls it:",
                "  ssh -o BatchMode=yes b tutti host"})
public final class HostCommand implements Callable<Integer> {
    /** {@return the status to exit with} */
    @Override
    public Integer call() throws IOException, InterruptedException {
        var out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16);
        System.setOut(System.err); // no other output may come between the frames
        return new HostSession(new FileInputStream(FileDescriptor.in), out).run();
    }
}
