/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import org.tutti.tool.UsageException;
import org.tutti.tool.bench.CommunicatorKind;

/**
 * The nodes and ranks of a comparison, and the communicators on which the ranks call. Several nodes are network
 * namespaces.
 *
 * @param nodes the number of nodes
 * @param ranksPerNode the number of ranks of each node
 * @param communicators the communicators to call on
 */
record Layout(int nodes, int ranksPerNode, CommunicatorKind communicators) {
    private static final int NODES_MAX = 64;
    private static final int RANKS_MAX = 1024;

    /** A layout in which the ranks call on the world. */
    Layout(int nodes, int ranksPerNode) {
        this(nodes, ranksPerNode, CommunicatorKind.WORLD);
    }

    /** {@return the layout that an element of {@code -n} denotes} */
    static Layout ofRanks(String text) {
        return new Layout(1, number("-n", text, text, RANKS_MAX));
    }

    /** {@return the layout that an element of {@code --nodes} denotes} */
    static Layout parse(String text) {
        var parts = text.split("x", -1);
        if (parts.length != 2) {
            throw impossible("--nodes", text);
        }
        return new Layout(number("--nodes", text, parts[0], NODES_MAX), number("--nodes", text, parts[1], RANKS_MAX));
    }

    private static int number(String option, String text, String part, int most) {
        if (part.matches("[1-9]\\d{0,3}") && Integer.parseInt(part) <= most) {
            return Integer.parseInt(part);
        }
        throw impossible(option, text);
    }

    private static UsageException impossible(String option, String text) {
        return new UsageException(option + " " + text + " is not possible; give "
                + (option.equals("-n") ? "numbers of ranks such as 2,4,8" : "nodes and ranks of each such as 2x1,4x2")
                + ", at most " + NODES_MAX + " nodes and " + RANKS_MAX + " ranks on each");
    }

    /** {@return the same nodes and ranks, with calls on other communicators} */
    Layout on(CommunicatorKind others) {
        return new Layout(nodes, ranksPerNode, others);
    }

    int ranks() {
        return nodes * ranksPerNode;
    }

    @Override
    public String toString() {
        return nodes + "x" + ranksPerNode
                + (communicators == CommunicatorKind.WORLD ? "" : " " + communicators.label());
    }
}
