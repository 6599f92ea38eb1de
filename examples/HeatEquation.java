/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Computes how heat spreads in a plate with a hot upper edge and cold other edges: in each step a point takes the mean
/// of its four neighbours. Every rank has a run of the plate's rows, and needs the last row of the rank above and the
/// first row of the rank below. These ranks put the rows into its memory, each with a notification. A rank waits for
/// its two neighbours only, and while their rows are on the way it computes the points that do not need them.
///
/// Run it with `./tutti run -n 4 examples/HeatEquation.java [side of the plate] [steps]`, and on several nodes with
/// `--nodes 2`. The program compares all points, bit by bit, with those that one rank computes alone, and prints
/// medians of the steps at rank 0. Look how much of a step is waiting.
void main(String[] arguments) {
    int side = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1000;
    int steps = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 300;
    try (var job = Tutti.join()) {
        var world = job.world();
        if (side < 2 * world.size() || steps < 1) {
            throw new IllegalArgumentException("a plate of " + side + " rows is too small for " + world.size()
                    + " ranks, each of which needs two, or " + steps + " steps are none");
        }
        double[][] millis = new double[2][steps]; // of a step, and of the waiting in it
        double[] points = new double[world.rank() == 0 ? side * side : 0];
        try (var plate = new Plate(world, side)) {
            world.barrier();
            for (int step = 1; step <= steps; step++) {
                long start = System.nanoTime();
                plate.step(step);
                millis[0][step - 1] = (System.nanoTime() - start) / 1e6;
                millis[1][step - 1] = plate.waitingNanos / 1e6;
            }
            plate.gather(points);
        }
        if (world.rank() == 0) {
            try (var plain = new Plate(null, side)) {
                for (int step = 1; step <= steps; step++) {
                    plain.step(step);
                }
                if (!Arrays.equals(points, plain.points())) {
                    throw new IllegalStateException("the temperatures are not those that one rank computes");
                }
            }
            IO.println("%d x %d points, %s, a step in %.3f ms, %.3f ms of them waiting; the temperatures are right"
                    .formatted(side, side, world.topology(), median(millis[0]), median(millis[1])));
            IO.println("look how much of a step is waiting, with -n 1, -n 2 and --nodes 2; after the program stand the "
                    + "side of the plate and the steps");
        }
    }
}

double median(double[] figures) {
    return Arrays.stream(figures).sorted().toArray()[figures.length / 2];
}

/// One rank's rows of the plate, between one row of each neighbour; the whole plate if there is no communicator.
class Plate implements AutoCloseable {
    private static final double HOT = 100;

    private final Communicator world;
    private final int side;
    private final int rows;
    private final int first; // the first of its rows in the plate
    private final RemoteMemory arrived; // for two steps in turn, a row from above and one from below
    private final int above; // the rank, or -1
    private final int below;
    private double[] now;
    private double[] next;
    long waitingNanos; // in the latest step

    Plate(Communicator world, int side) {
        int size = world == null ? 1 : world.size();
        int rank = world == null ? 0 : world.rank();
        this.world = world;
        this.side = side;
        this.first = firstRow(rank, size);
        this.rows = firstRow(rank + 1, size) - first;
        this.above = rank - 1;
        this.below = rank + 1 < size ? rank + 1 : -1;
        this.arrived = world == null ? null : world.allocate(DataType.DOUBLE, 4L * side);
        this.now = new double[(rows + 2) * side];
        if (first == 0) {
            Arrays.fill(now, side, 2 * side, HOT);
        }
        this.next = now.clone();
    }

    private int firstRow(int rank, int size) {
        return (int) ((long) side * rank / size);
    }

    /// Takes a step; the first one is step 1. A neighbour may be one step ahead, because it needs only the rows that
    /// this rank puts before it computes. It cannot be two steps ahead, because this rank puts no more until it has
    /// read the neighbour's rows. Two steps in turn therefore have their own offsets and notifications.
    void step(int step) {
        int turn = step % 2;
        int neighbours = 0;
        if (above >= 0) {
            arrived.at(above).elements().putNotify((2L * turn + 1) * side, Span.of(now, side, side), turn);
            neighbours++;
        }
        if (below >= 0) {
            arrived.at(below).elements().putNotify(2L * turn * side, Span.of(now, rows * side, side), turn);
            neighbours++;
        }
        for (int row = 2; row < rows; row++) {
            relax(row);
        }
        long start = System.nanoTime();
        if (neighbours > 0) {
            arrived.awaitMore(turn, neighbours);
            copyArrived(2 * turn, 0);
            copyArrived(2 * turn + 1, rows + 1);
        }
        waitingNanos = System.nanoTime() - start;
        relax(1);
        relax(rows);
        double[] old = now;
        now = next;
        next = old;
    }

    private void copyArrived(int place, int row) {
        long bytes = (long) place * side * Double.BYTES;
        MemorySegment.copy(arrived.local(), ValueLayout.JAVA_DOUBLE, bytes, now, row * side, side);
    }

    /// Computes the points of a row. The edges of the plate do not change.
    private void relax(int row) {
        int inPlate = first + row - 1;
        if (inPlate == 0 || inPlate == side - 1) {
            return;
        }
        for (int at = row * side + 1; at < (row + 1) * side - 1; at++) {
            next[at] = (now[at - side] + now[at - 1] + now[at + 1] + now[at + side]) / 4;
        }
    }

    /// Brings all points to rank 0.
    void gather(double[] all) {
        int size = world.size();
        int[] lengths = IntStream.range(0, size).map(rank -> (firstRow(rank + 1, size) - firstRow(rank, size)) * side)
                .toArray();
        world.gather(points(), all, Blocks.of(lengths), 0);
    }

    double[] points() {
        return Arrays.copyOfRange(now, side, (rows + 1) * side);
    }

    @Override
    public void close() {
        if (arrived != null) {
            arrived.close();
        }
    }
}
