/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What things cost on a cluster, in the terms of LogGP: read from a file of lines {@code key = figure}, where {@code #}
 * begins a comment. Every key must be there once, but those of levels may be missing.
 *
 * @param name where it was read from
 * @param callMicros what entering and leaving a call occupies a rank
 * @param memoryLatencyMicros from a store to a word until another rank of the node sees it
 * @param memoryOverheadMicros what a look at a word, or a store to one, occupies a rank
 * @param memoryNanosPerByte what copying a byte occupies a rank
 * @param crossNanosPerByte what a byte of a node's memory occupies a rank besides, whether it is copied or combined,
 *            when another core has used it last
 * @param combineMicros what a combination occupies a rank besides its bytes
 * @param combineNanosPerByte what combining a byte with another one occupies a rank
 * @param railLatencyMicros from the last byte's leaving a node until it is visible on another one
 * @param railOverheadMicros what a put or get occupies the rank that calls it
 * @param railOverheadNanosPerByte what a byte of a put occupies the rank that calls it
 * @param railReceiveMicros what taking in a message occupies the first rank of its node
 * @param railReceiveNanosPerByte what a byte of it occupies that rank besides
 * @param railGapMicros what a message occupies a rail at either end before the next one, besides its bytes
 * @param railNanosPerByte what a byte occupies a rail, at either end: a figure for each rail, or one for all
 * @param rails how many rails a node has
 * @param stripeBytes from how many bytes a message is striped over all rails
 * @param cores how many cores a host has
 * @param nodesPerHost how many nodes share a host's cores: 1, but for nodes that are namespaces of one machine
 * @param switchMicros what it takes to give a core to another rank
 * @param pollMicros what a rank that waits polls for arrivals from other nodes before it yields its core, when others
 *            want it
 * @param levels what things cost inside groups of a node's ranks; the figures above are between the greatest groups
 */
public record Model(String name, double callMicros, double memoryLatencyMicros, double memoryOverheadMicros,
        double memoryNanosPerByte, double crossNanosPerByte, double combineMicros, double combineNanosPerByte,
        double railLatencyMicros, double railOverheadMicros, double railOverheadNanosPerByte,
        double railReceiveMicros, double railReceiveNanosPerByte, double railGapMicros,
        List<Double> railNanosPerByte,
        int rails, int stripeBytes, int cores, int nodesPerHost, double switchMicros, double pollMicros,
        Levels levels) {
    private static final String RAIL_BYTE = "railNanosPerByte";
    private static final List<String> KEYS = List.of("callMicros", "memoryLatencyMicros",
            "memoryOverheadMicros", "memoryNanosPerByte", "crossNanosPerByte", "combineMicros", "combineNanosPerByte",
            "railLatencyMicros", "railOverheadMicros", "railOverheadNanosPerByte", "railReceiveMicros",
            "railReceiveNanosPerByte", "railGapMicros", RAIL_BYTE,
            "rails", "stripeBytes", "cores", "nodesPerHost", "switchMicros", "pollMicros");
    private static final String LEVELS = "levels";
    private static final String LEVEL_LATENCY = "levelLatencyMicros";
    private static final String LEVEL_CROSS = "levelCrossNanosPerByte";
    private static final String QUEUE = "queueNanos";
    private static final List<String> LISTS = List.of(LEVELS, LEVEL_LATENCY, LEVEL_CROSS);
    private static final List<String> COUNTS = List.of("rails", "stripeBytes", "cores", "nodesPerHost", LEVELS);

    /** The most that a count of a model, such as of cores, can be. */
    public static final int COUNT_MAX = 1 << 20;

    private static final double NANOS = 1e3;

    /** The models that come with the simulator. */
    public static final List<String> READY_MADE = List.of("gigabit", "rdma200", "epyc128", "qsnet2");

    /**
     * A model whose rails are alike.
     */
    public Model(String name, double callMicros, double memoryLatencyMicros, double memoryOverheadMicros,
            double memoryNanosPerByte, double crossNanosPerByte, double combineMicros, double combineNanosPerByte,
            double railLatencyMicros, double railOverheadMicros, double railOverheadNanosPerByte,
            double railReceiveMicros, double railReceiveNanosPerByte, double railGapMicros, double railNanosPerByte,
            int rails, int stripeBytes, int cores, int nodesPerHost, double switchMicros, double pollMicros,
            Levels levels) {
        this(name, callMicros, memoryLatencyMicros, memoryOverheadMicros, memoryNanosPerByte, crossNanosPerByte,
                combineMicros, combineNanosPerByte, railLatencyMicros, railOverheadMicros, railOverheadNanosPerByte,
                railReceiveMicros, railReceiveNanosPerByte, railGapMicros, List.of(railNanosPerByte), rails,
                stripeBytes, cores, nodesPerHost, switchMicros, pollMicros, levels);
    }

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
        return new Model("for drawing", 0, 0.3, 0.15, microAByte, 0, 0, 1.5 * microAByte, 1.5, 0.5, 0, 0, 0, 0,
                microAByte / 2, 1, COUNT_MAX, COUNT_MAX, 1, 0, 0, Levels.NONE);
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
        Map<String, List<Double>> figures = new LinkedHashMap<>();
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
        return new Model(name, one(figures, "callMicros"), one(figures, "memoryLatencyMicros"),
                one(figures, "memoryOverheadMicros"), one(figures, "memoryNanosPerByte"),
                one(figures, "crossNanosPerByte"), one(figures, "combineMicros"),
                one(figures, "combineNanosPerByte"), one(figures, "railLatencyMicros"),
                one(figures, "railOverheadMicros"), one(figures, "railOverheadNanosPerByte"),
                one(figures, "railReceiveMicros"), one(figures, "railReceiveNanosPerByte"),
                one(figures, "railGapMicros"),
                railBytes(name, figures), (int) one(figures, "rails"), (int) one(figures, "stripeBytes"),
                (int) one(figures, "cores"), (int) one(figures, "nodesPerHost"), one(figures, "switchMicros"),
                one(figures, "pollMicros"), levels(name, figures));
    }

    private static List<Double> railBytes(String name, Map<String, List<Double>> figures) {
        List<Double> each = list(figures, RAIL_BYTE);
        if (each.size() > 1 && each.size() != one(figures, "rails")) {
            throw new IllegalArgumentException(name + ": " + RAIL_BYTE + " has " + each.size() + " figures, and there "
                    + "are " + (int) one(figures, "rails") + " rails; give one for each of them, or one for all");
        }
        return each;
    }

    private static Levels levels(String name, Map<String, List<Double>> figures) {
        try {
            return new Levels(list(figures, LEVELS).stream().map(Double::intValue).toList(),
                    list(figures, LEVEL_LATENCY), list(figures, LEVEL_CROSS),
                    figures.getOrDefault(QUEUE, List.of(0.0)).getFirst());
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(name + ": " + e.getMessage(), e);
        }
    }

    /** {@return what a byte occupies a certain rail, in nanoseconds} */
    double railNanosPerByte(int rail) {
        return railNanosPerByte.get(railNanosPerByte.size() == 1 ? 0 : rail);
    }

    /** {@return which part of a message that is striped goes over a rail, so that all rails take as long} */
    double railShare(int rail) {
        double all = 0;
        for (int other = 0; other < rails; other++) {
            if (railNanosPerByte(other) == 0) {
                return railNanosPerByte(rail) == 0 ? 1.0 / timeless() : 0;
            }
            all += 1 / railNanosPerByte(other);
        }
        return 1 / (railNanosPerByte(rail) * all);
    }

    /** {@return what a byte of a message of such a length takes if nothing else is under way, in nanoseconds} */
    double railNanosPerByteOf(long bytes) {
        return bytes >= stripeBytes
                ? IntStream.range(0, rails).mapToDouble(rail -> railShare(rail) * railNanosPerByte(rail)).max()
                        .getAsDouble()
                : IntStream.range(0, rails).mapToDouble(this::railNanosPerByte).min().getAsDouble();
    }

    private long timeless() {
        return IntStream.range(0, rails).filter(rail -> railNanosPerByte(rail) == 0).count();
    }

    private static double one(Map<String, List<Double>> figures, String key) {
        return figures.get(key).getFirst();
    }

    private static List<Double> list(Map<String, List<Double>> figures, String key) {
        return figures.getOrDefault(key, List.of());
    }

    /** {@return whether it matters which core has bytes of a node's memory} */
    boolean hasCaches() {
        return crossNanosPerByte > 0 || !levels.areNone();
    }

    /** {@return how long a rank that waits keeps its core from others before it yields it to the next one} */
    double turnMicros(int nodes) {
        return switchMicros + (nodes > 1 ? pollMicros : 0);
    }

    /** {@return the latency between ranks that meet at a level, in nanoseconds} */
    double latencyNanos(int level) {
        return NANOS * (level < levels.sizes().size() ? levels.latencyMicros().get(level) : memoryLatencyMicros);
    }

    /** {@return what a byte occupies a rank besides that comes from one that it meets at a level, in nanoseconds} */
    double crossNanosPerByte(int level) {
        return level < levels.sizes().size() ? levels.crossNanosPerByte().get(level) : crossNanosPerByte;
    }

    private static void readLine(String where, String line, Map<String, List<Double>> figures) {
        String[] sides = line.split("=", -1);
        String key = sides[0].strip();
        if (sides.length != 2) {
            throw new IllegalArgumentException(where + ": \"" + line + "\" is not of the form key = figure");
        }
        if (!KEYS.contains(key) && !LISTS.contains(key) && !key.equals(QUEUE)) {
            throw new IllegalArgumentException(
                    where + ": there is no key \"" + key + "\"; there are " + String.join(", ", KEYS)
                            + ", " + String.join(", ", LISTS) + ", " + QUEUE);
        }
        List<Double> read = new ArrayList<>();
        for (String side : LISTS.contains(key) || key.equals(RAIL_BYTE) ? sides[1].split(",", -1)
                : new String[]{sides[1]}) {
            read.add(figure(where, key, side.strip()));
        }
        if (figures.put(key, read) != null) {
            throw new IllegalArgumentException(where + ": " + key + " is there twice");
        }
    }

    private static double figure(String where, String key, String text) {
        double figure;
        try {
            figure = Double.parseDouble(text);
        } catch (NumberFormatException _) {
            throw new IllegalArgumentException(where + ": \"" + text + "\" is no figure for " + key);
        }
        boolean count = COUNTS.contains(key);
        if (!(figure >= (count ? 1 : 0)) || figure > COUNT_MAX || count && figure != Math.rint(figure)) {
            throw new IllegalArgumentException(
                    where + ": " + key + " must be " + (count ? "a whole number from 1" : "0")
                            + " to " + COUNT_MAX + ", not " + text);
        }
        return figure;
    }
}
