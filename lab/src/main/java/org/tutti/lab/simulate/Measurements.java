/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.tutti.Collective;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.tool.UsageException;
import org.tutti.tool.bench.BenchCommand;

/** Reads the figures of files that {@code tutti bench --csv} has written: one file, or several concatenated. */
final class Measurements {
    /**
     * The measurement of an algorithm.
     *
     * @param collective the collective
     * @param algorithm the algorithm
     * @param nodes the number of nodes
     * @param ranks the number of all ranks; each node has equally many
     * @param bytes the length of the message
     * @param micros the time of a call in microseconds: the median of the repeats
     * @param lowest the time of a call in the shortest repeat
     */
    record Cell(Collective collective, Algorithm algorithm, int nodes, int ranks, long bytes, double micros,
            double lowest) {
        int ranksPerNode() {
            return ranks / nodes;
        }
    }

    private static final String HEADER = BenchCommand.CSV_COLUMNS;
    private static final int COLUMNS = HEADER.split(",").length;
    private static final String CHOSEN = "tutti";
    private static final Pattern CONTENDER = Pattern.compile(CHOSEN + " (\\S+)");
    private static final Pattern LAYOUT = Pattern.compile("one node|(\\d{1,7}) nodes");

    private Measurements() {}

    /**
     * Reads a file. It leaves out the lines of Tutti's own choice, because the chosen algorithm has a line of its own.
     *
     * @param option the option that named the file
     * @param file the file
     * @return the cells of the file, at least one
     */
    static List<Cell> read(String option, Path file) {
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (IOException e) {
            throw new UsageException(option + " " + file + " cannot be read (" + e
                    + "); name a file that tutti bench --csv has written");
        }
        if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
            throw new UsageException(option + " " + file + " does not begin with \"" + HEADER
                    + "\"; name a file that tutti bench --csv has written");
        }
        List<Cell> cells = new ArrayList<>();
        for (int i = 1; i < lines.size(); i++) {
            String[] columns = lines.get(i).split(",", -1);
            if (!lines.get(i).equals(HEADER) && !columns[0].equals(CHOSEN)) {
                try {
                    cells.add(cell(columns));
                } catch (IllegalArgumentException | UsageException e) {
                    throw new UsageException(option + " " + file + ", line " + (i + 1) + ": " + e.getMessage());
                }
            }
        }
        if (cells.isEmpty()) {
            throw new UsageException(option + " " + file
                    + " has no figures of named algorithms; measure with tutti bench --all-algorithms --csv");
        }
        return cells;
    }

    private static Cell cell(String[] columns) {
        if (columns.length != COLUMNS) {
            throw new IllegalArgumentException("there are " + columns.length + " columns instead of " + COLUMNS);
        }
        Matcher contender = matcher(CONTENDER, columns[0], "\"tutti\" with the name of an algorithm");
        Matcher layout = matcher(LAYOUT, columns[2], "\"one node\" or a number of nodes");
        Collective collective = Shape.collective(columns[1]);
        Algorithm algorithm = Catalogue.find(collective, contender.group(1));
        int nodes = layout.group(1) == null ? 1 : Integer.parseInt(layout.group(1));
        int ranks = (int) number(columns[3], 2, Shape.RANKS_MAX);
        if (nodes < 1 || ranks % nodes != 0) {
            throw new IllegalArgumentException(ranks + " ranks on " + nodes
                    + " nodes cannot be predicted; measure as many on each");
        }
        return new Cell(collective, algorithm, nodes, ranks, number(columns[4], 0, Shape.BYTES_MAX),
                micros(columns[5]), micros(columns[6]));
    }

    static Matcher matcher(Pattern pattern, String text, String what) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("\"" + text + "\" is not " + what);
        }
        return matcher;
    }

    static long number(String text, long least, long most) {
        try {
            long number = Long.parseLong(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException _) {
            // reported below, together with numbers out of range
        }
        throw new IllegalArgumentException("\"" + text + "\" is no number from " + least + " to " + most);
    }

    static double micros(String text) {
        try {
            double micros = Double.parseDouble(text);
            if (micros > 0 && micros < Double.POSITIVE_INFINITY) {
                return micros;
            }
        } catch (NumberFormatException _) {
            // reported below, together with times out of range
        }
        throw new IllegalArgumentException("\"" + text + "\" is no time in microseconds");
    }
}
