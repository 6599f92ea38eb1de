/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import org.tutti.lab.compare.Figure.Cell;
import org.tutti.tool.UsageException;

/**
 * The limit that the links of a cluster set: each link carries this many bytes a second in each direction.
 *
 * @param bytesPerSecond the rate of a link
 */
record LinkRate(double bytesPerSecond) {
    private static final Pattern RATE = Pattern.compile("(\\d+(?:\\.\\d+)?)([kmg]?)(bit|bps)");
    private static final Map<String, Double> UNITS = Map.of("", 1.0, "k", 1e3, "m", 1e6, "g", 1e9);
    private static final double MICROS = 1e6;

    /** {@return the rate in the notation of tc: {@code bit} means bits a second, {@code bps} bytes a second} */
    static LinkRate ofRate(String rate) {
        var parts = RATE.matcher(rate.toLowerCase(Locale.ROOT));
        if (!parts.matches() || Double.parseDouble(parts.group(1)) == 0) {
            throw new UsageException("--rate " + rate + " is not possible; give a rate such as 1gbit or 100mbit");
        }
        return new LinkRate(Double.parseDouble(parts.group(1)) * UNITS.get(parts.group(2))
                / (parts.group(3).equals("bit") ? Byte.SIZE : 1));
    }

    /** {@return the rate of this many links side by side} */
    LinkRate times(int links) {
        return new LinkRate(bytesPerSecond * links);
    }

    /** {@return the microseconds that the link of a node takes for this many bytes in one direction} */
    double micros(double bytes) {
        return bytes / bytesPerSecond * MICROS;
    }

    /**
     * {@return the bytes that must enter, or leave, the busiest node, for any algorithm}
     *
     * <p>A broadcast's message enters each node except the root's, and leaves the root's node, once. In a reduction, a
     * node's sum leaves it once, and at least one message enters the root's node. In an allreduce, every node needs the
     * contributions of the other nodes to each element, and must give its own: with n nodes, each combining a share,
     * these are 2 (n - 1) / n messages. If ranks have blocks, the blocks of the p ranks on each other node enter or
     * leave a node; in an all-to-all, once for each of the node's own ranks.
     */
    static double leastBytes(Cell cell, int nodes, int ranksPerNode) {
        if (nodes == 1) {
            return 0;
        }
        double blocks = (double) cell.bytes() * (nodes - 1) * ranksPerNode;
        return switch (cell.operation()) {
            case "allreduce" -> 2.0 * cell.bytes() * (nodes - 1) / nodes;
            case "gather", "scatter", "allgather", "reduce-scatter" -> blocks;
            case "all-to-all" -> blocks * ranksPerNode;
            default -> cell.bytes();
        };
    }
}
