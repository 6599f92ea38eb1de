/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What things cost on a cluster, in the terms of LogGP: read from a file of lines {@code key = figure}, where {@code #}
 * begins a comment. Every key must be there once.
 *
 * @param name where it was read from
 * @param callMicros what entering and leaving a call occupies a rank
 * @param memoryLatencyMicros from a store to a word until another rank of the node sees it
 * @param memoryOverheadMicros what a look at a word, or a store to one, occupies a rank
 * @param memoryNanosPerByte what copying a byte occupies a rank
 * @param crossNanosPerByte what a byte of a node's memory occupies a rank besides, whether it is copied or combined,
 *            when another core has used it last
 * @param combineNanosPerByte what combining a byte with another one occupies a rank
 * @param railLatencyMicros from the last byte's leaving a node until it is visible on another one
 * @param railOverheadMicros what a put or get occupies the rank that calls it
 * @param railOverheadNanosPerByte what a byte of a put occupies the rank that calls it
 * @param railGapMicros what a message occupies a rail at either end before the next one, besides its bytes
 * @param railNanosPerByte what a byte occupies a rail, at either end
 * @param rails how many rails a node has
 * @param stripeBytes from how many bytes a message is striped over all rails
 * @param cores how many cores a host has
 * @param nodesPerHost how many nodes share a host's cores: 1, but for nodes that are namespaces of one machine
 * @param switchMicros what it takes to give a core to another rank
 */
public record Model(String name, double callMicros, double memoryLatencyMicros, double memoryOverheadMicros,
        double memoryNanosPerByte, double crossNanosPerByte, double combineNanosPerByte, double railLatencyMicros,
        double railOverheadMicros, double railOverheadNanosPerByte, double railGapMicros, double railNanosPerByte,
        int rails, int stripeBytes, int cores, int nodesPerHost, double switchMicros) {
    private static final List<String> KEYS = List.of("callMicros", "memoryLatencyMicros",
            "memoryOverheadMicros", "memoryNanosPerByte", "crossNanosPerByte", "combineNanosPerByte",
            "railLatencyMicros", "railOverheadMicros", "railOverheadNanosPerByte", "railGapMicros", "railNanosPerByte",
            "rails", "stripeBytes", "cores", "nodesPerHost", "switchMicros");
    private static final List<String> COUNTS = List.of("rails", "stripeBytes", "cores", "nodesPerHost");

    /** The most that a count of a model, such as of cores, can be. */
    public static final int COUNT_MAX = 1 << 20;

    /** The models that come with the simulator. */
    public static final List<String> READY_MADE = List.of("gigabit", "rdma200");

    /**
     * Finds a model.
     *
     * @param name one of {@link #READY_MADE}, or a file
     * @return the model
     * @throws IllegalArgumentException when there is no such file, or something is wrong in it; the message says where
     */
    public static Model of(String name) {
        try {
            if (READY_MADE.contains(name)) {
                try (InputStream stream = Model.class.getResourceAsStream(name + ".model")) {
                    return parse(name, new String(stream.readAllBytes(), StandardCharsets.UTF_8));
                }
            }
            Path file = Path.of(name);
            if (!Files.isRegularFile(file)) {
                throw new IllegalArgumentException("there is no model \"" + name + "\"; give a file, or one of "
                        + String.join(", ", READY_MADE));
            }
            return parse(name, Files.readString(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A model of nothing that exists, in which all that an algorithm does with a message takes times of the same order,
     * so that all of it can be seen in a drawing.
     *
     * @param bytes the length of the message
     * @return the model
     */
    public static Model forDrawing(long bytes) {
        double microAByte = 1000.0 / Math.max(1, bytes);
        return new Model("for drawing", 0, 0.3, 0.15, microAByte, 0, 1.5 * microAByte, 1.5, 0.5, 0, 0, microAByte / 2,
                1,
                COUNT_MAX, COUNT_MAX, 1, 0);
    }

    /**
     * Reads a model.
     *
     * @param name for messages
     * @param text the file's text
     * @return the model
     * @throws IllegalArgumentException when a line cannot be read, a key is unknown, twice or missing, or a figure is
     *             none or out of range; the message names the line
     */
    public static Model parse(String name, String text) {
        Map<String, Double> figures = new LinkedHashMap<>();
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).replaceFirst("#.*", "").strip();
            if (!line.isEmpty()) {
                readLine(name + ", line " + (i + 1), line, figures);
            }
        }
        for (String key : KEYS) {
            if (!figures.containsKey(key)) {
                throw new IllegalArgumentException(name + " has no figure for " + key);
            }
        }
        return new Model(name, figures.get("callMicros"), figures.get("memoryLatencyMicros"),
                figures.get("memoryOverheadMicros"), figures.get("memoryNanosPerByte"),
                figures.get("crossNanosPerByte"), figures.get("combineNanosPerByte"),
                figures.get("railLatencyMicros"), figures.get("railOverheadMicros"),
                figures.get("railOverheadNanosPerByte"), figures.get("railGapMicros"), figures.get("railNanosPerByte"),
                figures.get("rails").intValue(), figures.get("stripeBytes").intValue(),
                figures.get("cores").intValue(), figures.get("nodesPerHost").intValue(), figures.get("switchMicros"));
    }

    private static void readLine(String where, String line, Map<String, Double> figures) {
        String[] sides = line.split("=", -1);
        String key = sides[0].strip();
        if (sides.length != 2) {
            throw new IllegalArgumentException(where + ": \"" + line + "\" is not of the form key = figure");
        }
        if (!KEYS.contains(key)) {
            throw new IllegalArgumentException(
                    where + ": there is no key \"" + key + "\"; there are " + String.join(", ", KEYS));
        }
        double figure;
        try {
            figure = Double.parseDouble(sides[1].strip());
        } catch (NumberFormatException _) {
            throw new IllegalArgumentException(where + ": \"" + sides[1].strip() + "\" is no figure for " + key);
        }
        boolean count = COUNTS.contains(key);
        if (!(figure >= (count ? 1 : 0)) || figure > COUNT_MAX || count && figure != Math.rint(figure)) {
            throw new IllegalArgumentException(
                    where + ": " + key + " must be " + (count ? "a whole number from 1" : "0")
                            + " to " + COUNT_MAX + ", not " + sides[1].strip());
        }
        if (figures.put(key, figure) != null) {
            throw new IllegalArgumentException(where + ": " + key + " is there twice");
        }
    }
}
