/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;

import org.tutti.lab.compare.Figure.Cell;
import org.tutti.tool.UsageException;

/**
 * What the links of a cluster allow: each link carries so many bytes a second in each direction.
 *
 * @param bytesPerSecond the rate of a link
 */
record LinkRate(double bytesPerSecond) {
    private static final Pattern RATE = Pattern.compile("(\\d+(?:\\.\\d+)?)([kmg]?)(bit|bps)");
    private static final Map<String, Double> UNITS = Map.of("", 1.0, "k", 1e3, "m", 1e6, "g", 1e9);
    private static final double MICROS = 1e6;

    /** {@return the wire of a rate as tc writes it: {@code bit} are bits, {@code bps} bytes a second} */
    static LinkRate ofRate(String rate) {
        var parts = RATE.matcher(rate.toLowerCase(Locale.ROOT));
        if (!parts.matches() || Double.parseDouble(parts.group(1)) == 0) {
            throw new UsageException("--rate " + rate + " is not possible; give a rate such as 1gbit or 100mbit");
        }
        return new LinkRate(Double.parseDouble(parts.group(1)) * UNITS.get(parts.group(2))
                / (parts.group(3).equals("bit") ? Byte.SIZE : 1));
    }

    /** {@return so many such wires side by side} */
    LinkRate times(int links) {
        return new LinkRate(bytesPerSecond * links);
    }

    /** {@return the microseconds that the link of a node takes for so many bytes in one direction} */
    double micros(double bytes) {
        return bytes / bytesPerSecond * MICROS;
    }

    /**
     * {@return the bytes that must enter, or leave, the busiest node, whatever the algorithm} A broadcast's message
     * enters each node but the root's, and leaves that one, once. Of a reduction, a node's sum leaves it once, and a
     * message enters the root's node at least. In an allreduce every node must have of each element what the others
     * have, and give what it has: with n nodes, each combining a share, two times (n - 1) / n of the message. Where
     * ranks have blocks, those of p ranks on each other node enter a node or leave it, or of an all-to-all one for each
     * of its own ranks.
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
