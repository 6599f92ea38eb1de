/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** The text of a model in which everything takes no time, except as a test says. */
final class FreeModel {
    private static final String FIGURES = """
            callMicros = 0
            memoryLatencyMicros = 0
            memoryOverheadMicros = 0
            memoryNanosPerByte = 0
            crossNanosPerByte = 0
            combineMicros = 0
            combineNanosPerByte = 0
            railLatencyMicros = 0
            railOverheadMicros = 0
            railOverheadNanosPerByte = 0
            railReceiveMicros = 0
            railReceiveNanosPerByte = 0
            railGapMicros = 0
            railNanosPerByte = 0
            rails = 1
            stripeBytes = 1024
            cores = 1
            nodesPerHost = 1
            switchMicros = 0
            pollMicros = 0
            """;

    private FreeModel() {}

    /** Returns the text with other figures, each of the form {@code key = figure}. */
    static String with(String... others) {
        Map<String, String> figures = new LinkedHashMap<>();
        (FIGURES + String.join("\n", others)).lines().map(line -> line.split(" = ", 2))
                .forEach(line -> figures.put(line[0], line[1]));
        return figures.entrySet().stream().map(each -> each.getKey() + " = " + each.getValue() + "\n")
                .collect(Collectors.joining());
    }
}
