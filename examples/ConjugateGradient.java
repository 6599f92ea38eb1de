/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Solves a two-dimensional elliptic problem, −∇·(depth ∇u) + u = f on the unit square with u = 0 on its edge, by the
/// method of conjugate gradients, as an ocean model does. Every rank has a band of rows. An iteration needs the rows
/// next to the band, which their owners put into the rank's memory, and two sums over all ranks. Cheng's algorithm was
/// made for such sums.
///
/// Run it with `./tutti run -n 4 examples/ConjugateGradient.java [points a side] [rounds]`, on several nodes with
/// `--nodes 4`. The program solves the problem with each of several algorithms for the sums, compares the result with
/// that of a plain computation on one rank, and prints the time of a sum on the slowest rank.
void main(String[] arguments) {
    int side = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 96;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 7;
    double[] plain = new Solver(null, null, null, side).solve();
    try (var job = Tutti.join(); var edges = new Edges(job.world(), side)) {
        var world = job.world();
        var names = List.of("cheng", "cheng-random", "srm", "(chosen)");
        double[][] micros = new double[names.size()][rounds];
        double[] differences = new double[names.size()];
        int iterations = 0;
        for (int round = -1; round < rounds; round++) { // the first round only warms up
            for (int i = 0; i < names.size(); i++) {
                var sums = names.get(i).equals("(chosen)") ? world
                        : world.withAlgorithm(Collective.ALLREDUCE, names.get(i));
                var solver = new Solver(world, sums, edges, side);
                double[] band = solver.solve();
                for (int at = 0; at < band.length; at++) {
                    double difference = Math.abs(band[at] - plain[solver.first * side + at]);
                    differences[i] = Math.max(differences[i], difference);
                }
                iterations = solver.iterations;
                if (round >= 0) {
                    micros[i][round] = solver.sumNanos / 1e3 / solver.sums;
                }
            }
        }
        if (world.rank() == 0) {
            IO.println("%d x %d points, %s, %d iterations%n%n%-12s %16s %22s".formatted(side, side, world.topology(),
                    iterations, "sums by", "difference", "microseconds a sum"));
        }
        world.allreduce(differences, Reduction.MAX);
        for (int i = 0; i < names.size(); i++) {
            world.allreduce(micros[i], Reduction.MAX); // the slowest rank
            Arrays.sort(micros[i]);
            if (world.rank() == 0) {
                IO.println("%-12s %16.1e %22.2f".formatted(names.get(i), differences[i], micros[i][rounds / 2]));
            }
            if (differences[i] > 1e-9) {
                throw new IllegalStateException("the solution differs from the plain one by " + differences[i]);
            }
        }
    }
}

/// The memory for the rows above and below a rank's band. Two exchanges in turn have their own rows, because a
/// neighbour may be one exchange ahead.
class Edges implements AutoCloseable {
    private final RemoteMemory arrived;
    private final int side;
    private long exchanges;

    Edges(Communicator world, int side) {
        this.side = side;
        this.arrived = world.allocate(DataType.DOUBLE, 4L * side);
    }

    /// Puts the first and the last row of the field to the neighbours, and copies the neighbours' rows around the
    /// field's. A neighbour of -1 is none.
    void exchange(double[] field, int rows, int above, int below) {
        int turn = (int) (++exchanges % 2);
        int neighbours = 0;
        if (above >= 0) {
            arrived.at(above).elements().putNotify((2L * turn + 1) * side, Span.of(field, side, side), turn);
            neighbours++;
        }
        if (below >= 0) {
            arrived.at(below).elements().putNotify(2L * turn * side, Span.of(field, rows * side, side), turn);
            neighbours++;
        }
        arrived.awaitMore(turn, neighbours);
        copy(2 * turn, field, 0);
        copy(2 * turn + 1, field, (rows + 1) * side);
    }

    private void copy(int place, double[] field, int at) {
        long bytes = (long) place * side * Double.BYTES;
        MemorySegment.copy(arrived.local(), ValueLayout.JAVA_DOUBLE, bytes, field, at, side);
    }

    @Override
    public void close() {
        arrived.close();
    }
}

/// One rank's part of the solver, or the whole solver if there is no communicator.
class Solver {
    private static final double TOLERANCE = 1e-12;
    private static final int ITERATIONS_MAX = 10_000;

    final Communicator world;
    final Communicator summing;
    final Edges edges;
    final int side;
    final int first;
    final int rows;
    final double[] sum = new double[1];
    int iterations;
    long sums;
    long sumNanos;

    Solver(Communicator world, Communicator summing, Edges edges, int side) {
        this.world = world;
        this.summing = summing;
        this.edges = edges;
        this.side = side;
        this.first = firstRow(world == null ? 0 : world.rank());
        this.rows = firstRow(world == null ? 1 : world.rank() + 1) - first;
    }

    int firstRow(int rank) {
        return (int) ((long) side * rank / (world == null ? 1 : world.size()));
    }

    /// Returns this rank's rows of the solution.
    double[] solve() {
        double[] solution = new double[rows * side];
        double[] residual = new double[rows * side];
        for (int i = 0; i < residual.length; i++) {
            residual[i] = force(first + i / side, i % side);
        }
        double[] direction = new double[(rows + 2) * side]; // with the rows above and below the band
        System.arraycopy(residual, 0, direction, side, residual.length);
        double[] image = new double[rows * side];

        double length = product(residual, residual, 0);
        double enough = length * TOLERANCE * TOLERANCE;
        while (length > enough && iterations < ITERATIONS_MAX) {
            exchange(direction);
            apply(direction, image);
            double step = length / product(image, direction, side);
            for (int i = 0; i < solution.length; i++) {
                solution[i] += step * direction[side + i];
                residual[i] -= step * image[i];
            }
            double shorter = product(residual, residual, 0);
            for (int i = 0; i < residual.length; i++) {
                direction[side + i] = residual[i] + shorter / length * direction[side + i];
            }
            length = shorter;
            iterations++;
        }
        return solution;
    }

    /// Returns the sum over all ranks of the products of their elements. Those of the second array begin at an offset.
    double product(double[] left, double[] right, int offset) {
        double total = 0;
        for (int i = 0; i < left.length; i++) {
            total += left[i] * right[offset + i];
        }
        if (world == null) {
            return total;
        }
        sum[0] = total;
        long start = System.nanoTime();
        summing.allreduce(sum, Reduction.SUM);
        sumNanos += System.nanoTime() - start;
        sums++;
        return sum[0];
    }

    /// Exchanges the rows next to the band with the neighbours.
    void exchange(double[] field) {
        if (world != null) {
            edges.exchange(field, rows, owner(first - 1), owner(first + rows));
        }
    }

    /// Returns the rank that has a row next to the band; -1 if no rank has it, or this rank has no rows.
    private int owner(int row) {
        for (int rank = 0; rank < world.size() && rows > 0; rank++) {
            if (firstRow(rank) <= row && row < firstRow(rank + 1)) {
                return rank;
            }
        }
        return -1;
    }

    /// Computes image = A · field, with a stencil of five points.
    void apply(double[] field, double[] image) {
        double scale = (side + 1.0) * (side + 1.0);
        for (int row = 0; row < rows; row++) {
            for (int column = 0; column < side; column++) {
                int at = (row + 1) * side + column;
                double here = field[at];
                double west = column > 0 ? field[at - 1] : 0;
                double east = column < side - 1 ? field[at + 1] : 0;
                double north = field[at - side];
                double south = field[at + side];
                int y = first + row;
                image[row * side + column] = here + scale * (depth(y, column - 0.5) * (here - west)
                        + depth(y, column + 0.5) * (here - east) + depth(y - 0.5, column) * (here - north)
                        + depth(y + 0.5, column) * (here - south));
            }
        }
    }

    double depth(double row, double column) {
        return 1 + 0.5 * Math.sin(7 * row / side) * Math.cos(5 * column / side);
    }

    double force(int row, int column) {
        double x = (column + 1.0) / (side + 1);
        double y = (row + 1.0) / (side + 1);
        return Math.exp(x * y) * Math.sin(3 * x) + y;
    }
}
