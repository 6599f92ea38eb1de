/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Computes how heat spreads in a plate with a hot upper edge and cold other edges. `HeatEquation.java` does the same
/// with remote memory, this program with messages. Every rank has a run of the plate's rows, between one row of the
/// rank above and one of the rank below. In each step a rank starts to receive these two rows, and to send its own
/// outer rows. While the messages are on the way, it computes the other rows. It then awaits the messages, and computes
/// its outer rows.
///
/// Run it with `./tutti run -n 4 examples/HeatByMessages.java [side of the plate] [steps]`, on several nodes with
/// `--nodes 2`. Rank 0 compares all points, bit by bit, with those of a plain computation.
void main(String[] arguments) {
    int side = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1000;
    int steps = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 300;
    try (var job = Tutti.join()) {
        var world = job.world();
        if (side < 2 * world.size() || steps < 1) {
            throw new IllegalArgumentException("a plate of " + side + " rows is too small for " + world.size()
                    + " ranks, each of which needs two, or " + steps + " steps are none");
        }
        int[] rows = IntStream.range(0, world.size()).map(rank -> firstRow(rank + 1, world.size(), side)
                - firstRow(rank, world.size(), side)).toArray();
        double[][] millis = new double[2][steps]; // of a step, and of the waiting in it
        var now = new double[(rows[world.rank()] + 2) * side];
        if (world.rank() == 0) {
            Arrays.fill(now, side, 2 * side, 100);
        }
        var next = now.clone();
        world.barrier();
        for (int step = 0; step < steps; step++) {
            long start = System.nanoTime();
            millis[1][step] = step(world, now, next, side) / 1e6;
            millis[0][step] = (System.nanoTime() - start) / 1e6;
            var old = now;
            now = next;
            next = old;
        }
        var points = new double[world.rank() == 0 ? side * side : 0];
        world.gather(Arrays.copyOfRange(now, side, now.length - side), points,
                Blocks.of(Arrays.stream(rows).map(count -> count * side).toArray()), 0);
        if (world.rank() == 0) {
            if (!Arrays.equals(points, plain(side, steps))) {
                throw new IllegalStateException("the temperatures are not those of a plain computation");
            }
            IO.println("%d x %d points, %s, a step in %.3f ms, %.3f ms of them waiting; the temperatures are right"
                    .formatted(side, side, world.topology(), median(millis[0]), median(millis[1])));
        }
    }
}

int firstRow(int rank, int size, int side) {
    return (int) ((long) side * rank / size);
}

/// Takes a step, and returns the nanoseconds of waiting in it. All messages have the same tag, because a rank receives
/// the messages of a neighbour in the order of sending: those of this step before those of the next one.
long step(Communicator world, double[] now, double[] next, int side) {
    int rows = now.length / side - 2; // of this rank: 1 to rows
    boolean hasAbove = world.rank() > 0;
    boolean hasBelow = world.rank() + 1 < world.size();
    var messages = new Request[4]; // null at an edge of the plate
    if (hasAbove) {
        messages[0] = world.nonBlocking().receive(Span.of(now, 0, side), world.rank() - 1, 0);
        messages[1] = world.nonBlocking().send(Span.of(now, side, side), world.rank() - 1, 0);
    }
    if (hasBelow) {
        messages[2] = world.nonBlocking().receive(Span.of(now, (rows + 1) * side, side), world.rank() + 1, 0);
        messages[3] = world.nonBlocking().send(Span.of(now, rows * side, side), world.rank() + 1, 0);
    }
    relax(now, next, side, 2, rows);
    long start = System.nanoTime();
    Request.awaitAll(messages);
    long waited = System.nanoTime() - start;
    if (hasAbove) {
        relax(now, next, side, 1, 2);
    }
    if (hasBelow) {
        relax(now, next, side, rows, rows + 1);
    }
    return waited;
}

/// Computes the points of the rows from first to end: the mean of the four neighbours. The side edges do not change.
void relax(double[] now, double[] next, int side, int first, int end) {
    for (int row = first; row < end; row++) {
        for (int at = row * side + 1; at < (row + 1) * side - 1; at++) {
            next[at] = (now[at - side] + now[at - 1] + now[at + 1] + now[at + side]) / 4;
        }
    }
}

/// Computes the whole plate.
double[] plain(int side, int steps) {
    double[][] plate = new double[2][side * side];
    Arrays.fill(plate[0], 0, side, 100);
    Arrays.fill(plate[1], 0, side, 100);
    for (int step = 0; step < steps; step++) {
        relax(plate[step % 2], plate[(step + 1) % 2], side, 1, side - 1);
    }
    return plate[steps % 2];
}

double median(double[] figures) {
    return Arrays.stream(figures).sorted().toArray()[figures.length / 2];
}
