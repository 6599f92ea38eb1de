/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import org.tutti.TuttiException;

/** Hosts that are network namespaces and exist until this object is closed. */
final class NamespaceCluster implements AutoCloseable {
    private final Place place;

    /**
     * @param place the files of the comparison
     * @param hosts the number of hosts
     * @param rails the number of interfaces of each host
     * @param rate the rate of each of their links, if it is limited
     */
    NamespaceCluster(Place place, int hosts, int rails, Optional<String> rate) throws IOException {
        this.place = place;
        List<String> arguments = new ArrayList<>(List.of("up", String.valueOf(hosts), "--rails",
                String.valueOf(rails)));
        rate.ifPresent(value -> arguments.addAll(List.of("--rate", value)));
        run(arguments);
    }

    /** {@return the counters of the hosts' interfaces so far} */
    Traffic traffic() throws IOException {
        return Traffic.parse(run(List.of("counters")));
    }

    @Override
    public void close() throws IOException {
        run(List.of("down"));
    }

    private String run(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(place.clusterScript().toString()));
        command.addAll(arguments);
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("TUTTI_CLUSTER", place.cluster());
        var process = builder.start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.onExit().join().exitValue() != 0) {
            throw new TuttiException("several nodes need a cluster, and bench/cluster " + String.join(" ", arguments)
                    + " failed: " + said.strip());
        }
        return said;
    }
}
