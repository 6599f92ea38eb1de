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
import java.util.OptionalDouble;
import java.util.stream.IntStream;

/**
 * The costs on a cluster, in the terms of LogGP. A model is read from a file of lines {@code key = figure}, where
 * {@code #} begins a comment. Every key is required once, except those of levels and
 * {@code hostLatencyMicros}.
 *
 * @param name the name of the model: a ready-made one, or a file
 * @param callMicros time of a rank to enter and leave a call
 * @param memoryLatencyMicros time from a store to a word until another rank of the node sees it
 * @param memoryOverheadMicros time of a rank to look at a word, or to store to one
 * @param memoryNanosPerByte time of a rank to copy a byte
 * @param crossNanosPerByte additional time of a rank for a byte of the node's memory that another core has used last,
 *            copied or combined
 * @param combineMicros time of a rank for a combination, in addition to its bytes
 * @param combineNanosPerByte time of a rank to combine a byte with another one
 * @param railLatencyMicros time from the last byte's leaving a node until it is visible on another one
 * @param railOverheadMicros time of the calling rank for a put or get
 * @param railOverheadNanosPerByte time of the calling rank for a byte of a put
 * @param railReceiveMicros time of the first rank of the receiving node to take in a message
 * @param railReceiveNanosPerByte additional time of that rank for each byte
 * @param railGapMicros time between two messages on a rail, at either end, in addition to the bytes
 * @param railNanosPerByte time of a byte on a rail, at either end: a figure for each rail, or one for all
 * @param rails the number of rails of a node
 * @param stripeBytes the length in bytes from which a message is striped over all rails
 * @param cores the number of cores of a host
 * @param nodesPerHost the number of nodes that share a host's cores: 1, except when the nodes are namespaces of one
 *            machine
 * @param switchMicros time to give a core to another rank
 * @param pollMicros time for which a waiting rank polls for arrivals from other nodes before it yields its core to
 *            others
 * @param levels the costs inside groups of a node's ranks; the figures above hold between the greatest groups
 * @param hostLatencyMicros time of a message between two nodes of one host, in place of {@code railLatencyMicros}: the
 *            sender copies the bytes, and no rail is occupied; if it is empty, the message crosses the host's rails. It
 *            counts only if {@code isFlat}.
 * @param isFlat whether the nodes of a host are the ranks of a flat communicator, which share the rails of the host; if
 *            not, each node has rails of its own
 */
public record Model(String name, double callMicros, double memoryLatencyMicros, double memoryOverheadMicros,
        double memoryNanosPerByte, double crossNanosPerByte, double combineMicros, double combineNanosPerByte,
        double railLatencyMicros, double railOverheadMicros, double railOverheadNanosPerByte,
        double railReceiveMicros, double railReceiveNanosPerByte, double railGapMicros,
        List<Double> railNanosPerByte,
        int rails, int stripeBytes, int cores, int nodesPerHost, double switchMicros, double pollMicros,
        Levels levels, OptionalDouble hostLatencyMicros, boolean isFlat) {
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
    private static final String HOST_LATENCY = "hostLatencyMicros";
    private static final List<String> LISTS = List.of(LEVELS, LEVEL_LATENCY, LEVEL_CROSS);
    private static final List<String> OPTIONAL = List.of(QUEUE, HOST_LATENCY);
    private static final List<String> COUNTS = List.of("rails", "stripeBytes", "cores", "nodesPerHost", LEVELS);

    /** The greatest value of a count of a model, such as of cores. */
    public static final int COUNT_MAX = 1 << 20;

    private static final double NANOS = 1e3;

    /** The models that come with the simulator. */
    public static final List<String> READY_MADE = List.of("gigabit", "rdma200", "epyc128", "qsnet2", "colony",
            "exemplar", "redstorm");

    /** Creates a model with one figure for all rails. */
    public Model(String name, double callMicros, double memoryLatencyMicros, double memoryOverheadMicros,
            double memoryNanosPerByte, double crossNanosPerByte, double combineMicros, double combineNanosPerByte,
            double railLatencyMicros, double railOverheadMicros, double railOverheadNanosPerByte,
            double railReceiveMicros, double railReceiveNanosPerByte, double railGapMicros, double railNanosPerByte,
            int rails, int stripeBytes, int cores, int nodesPerHost, double switchMicros, double pollMicros,
            Levels levels) {
        this(name, callMicros, memoryLatencyMicros, memoryOverheadMicros, memoryNanosPerByte, crossNanosPerByte,
                combineMicros, combineNanosPerByte, railLatencyMicros, railOverheadMicros, railOverheadNanosPerByte,
                railReceiveMicros, railReceiveNanosPerByte, railGapMicros, List.of(railNanosPerByte), rails,
                stripeBytes, cores, nodesPerHost, switchMicros, pollMicros, levels, OptionalDouble.empty(), false);
    }

    /**
     * Finds a model.
     *
     * @param name one of {@link #READY_MADE}, or a file
     * @return the model
     * @throws IllegalArgumentException if there is no such file, or it cannot be parsed; the message names the line
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
            return parse(name, text(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new IllegalArgumentException(file + " cannot be read (" + e + "); give a text file", e);
        }
    }

    /**
     * Returns a model of no real cluster, for drawings: all that an algorithm does with a message takes times of the
     * same order, so that all of it can be seen.
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
     * @param name the name, for messages
     * @param text the file's text
     * @return the model
     * @throws IllegalArgumentException if a line cannot be read, a key is unknown, repeated or missing, or a figure is
     *             not a number or is out of range; the message names the line
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
                one(figures, "pollMicros"), levels(name, figures),
                list(figures, HOST_LATENCY).stream().mapToDouble(Double::doubleValue).findFirst(), false);
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

    /**
     * Returns the costs of a flat communicator on the same cluster, in which each rank is a node.
     *
     * @param ranksPerHost the number of ranks of a host
     * @return the model
     */
    public Model flat(int ranksPerHost) {
        return copy(rails, ranksPerHost, true);
    }

    /**
     * Returns the costs on the same cluster with some of its rails.
     *
     * @param count the number of rails, 1 to {@link #rails}
     * @return the model
     */
    public Model withRails(int count) {
        return copy(count, nodesPerHost, isFlat);
    }

    private Model copy(int railCount, int nodesOfHost, boolean makesFlat) {
        return new Model(name, callMicros, memoryLatencyMicros, memoryOverheadMicros, memoryNanosPerByte,
                crossNanosPerByte, combineMicros, combineNanosPerByte, railLatencyMicros, railOverheadMicros,
                railOverheadNanosPerByte, railReceiveMicros, railReceiveNanosPerByte, railGapMicros,
                railNanosPerByte.subList(0, Math.min(railCount, railNanosPerByte.size())), railCount, stripeBytes,
                cores, nodesOfHost, switchMicros, pollMicros, levels, hostLatencyMicros, makesFlat);
    }

    /** {@return whether a message between two nodes goes through memory of the host that both share} */
    boolean crossesMemory(int node, int other) {
        return isFlat && hostLatencyMicros.isPresent() && node / nodesPerHost == other / nodesPerHost;
    }

    /** {@return the number of the first rail over which a node sends; nodes that share their rails have the same} */
    int firstRailOf(int node) {
        return (isFlat ? node / nodesPerHost : node) * rails;
    }

    /** {@return the time of a byte on a certain rail, in nanoseconds} */
    double railNanosPerByte(int rail) {
        return railNanosPerByte.get(railNanosPerByte.size() == 1 ? 0 : rail);
    }

    /** {@return the part of a striped message that goes over a rail, so that all rails take equally long} */
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

    /** {@return the time of a byte of a message of a length when no other message is under way, in nanoseconds} */
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

    /** {@return whether the cost of a byte of a node's memory depends on the core that has it} */
    boolean hasCaches() {
        return crossNanosPerByte > 0 || !levels.areNone();
    }

    /** {@return how long a waiting rank keeps its core before it yields it to the next rank} */
    double turnMicros(int nodes) {
        return switchMicros + (nodes > 1 ? pollMicros : 0);
    }

    /** {@return the latency between ranks that meet at a level, in nanoseconds} */
    double latencyNanos(int level) {
        return NANOS * (level < levels.sizes().size() ? levels.latencyMicros().get(level) : memoryLatencyMicros);
    }

    /**
     * {@return the additional time of a byte that comes from a rank that meets the reader at a level, in nanoseconds}
     */
    double crossNanosPerByte(int level) {
        return level < levels.sizes().size() ? levels.crossNanosPerByte().get(level) : crossNanosPerByte;
    }

    private static void readLine(String where, String line, Map<String, List<Double>> figures) {
        String[] sides = line.split("=", -1);
        String key = sides[0].strip();
        if (sides.length != 2) {
            throw new IllegalArgumentException(where + ": \"" + line + "\" is not of the form key = figure");
        }
        if (!KEYS.contains(key) && !LISTS.contains(key) && !OPTIONAL.contains(key)) {
            throw new IllegalArgumentException(
                    where + ": there is no key \"" + key + "\"; there are " + String.join(", ", KEYS)
                            + ", " + String.join(", ", LISTS) + ", " + String.join(", ", OPTIONAL));
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
