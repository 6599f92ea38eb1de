/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Logistic regression by gradient descent. Every rank has a part of the rows. In each step it computes the
/// contribution of its rows to the gradient, and an allreduce sums the contributions.
///
/// There are two ways. The first computes the whole gradient, then the sum. The second computes the gradient block by
/// block, and a non-blocking allreduce sums each block while the rank computes the next one.
///
/// Run it with `./tutti run -n 2 examples/LogisticRegression.java [features] [rows] [steps]`, on several nodes with
/// `--nodes 2`. The program compares the weights with those of a plain computation on one rank, and prints the time of
/// a step in both ways on the slowest rank. Look how much overlap gains: it needs a spare core and long blocks; with a
/// rank on every core it is slower.
void main(String[] arguments) {
    int features = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1 << 14;
    int rows = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 200;
    int steps = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 20;
    double[] plain = new Rows(0, rows, features).train(steps, rows, Rows::wholeGradient);
    try (var job = Tutti.join()) {
        var world = job.world();
        var own = new Rows(world.rank() * rows / world.size(), (world.rank() + 1) * rows / world.size(), features);
        var ways = List.<Way>of((data, gradient) -> {
            data.wholeGradient(gradient);
            world.allreduce(gradient, Reduction.SUM);
        }, overlapping(world));
        double[] millis = new double[ways.size()];
        for (int round = 0; round < 2; round++) { // the first one warms up
            for (int i = 0; i < millis.length; i++) {
                world.barrier();
                long start = System.nanoTime();
                double[] weights = own.train(steps, rows, ways.get(i));
                millis[i] = (System.nanoTime() - start) / 1e6 / steps;
                requireSame(weights, plain);
            }
        }
        world.allreduce(millis, Reduction.MAX);
        if (world.rank() == 0) {
            IO.println("%d rows of %d features, %s, a step in %.2f ms, with overlap %.2f ms; the weights are right"
                    .formatted(rows, features, world.topology(), millis[0], millis[1]));
            IO.println("look what overlap gains with a core to spare, and with --nodes 2; after the program stand the "
                    + "features, the rows and the steps");
        }
    }
}

/// A way to compute the gradient of all ranks' rows.
interface Way {
    void gradient(Rows data, double[] gradient);
}

/// Returns the way that sums each block while the next one is computed.
Way overlapping(Communicator world) {
    int blocks = 4;
    var requests = new Request[blocks];
    var nonBlocking = world.nonBlocking();
    return (data, gradient) -> {
        for (int block = 0; block < blocks; block++) {
            int from = block * gradient.length / blocks;
            int to = (block + 1) * gradient.length / blocks;
            data.gradient(gradient, from, to);
            requests[block] = nonBlocking.allreduce(Span.of(gradient, from, to - from), Reduction.SUM);
        }
        Request.awaitAll(requests);
    };
}

void requireSame(double[] weights, double[] plain) {
    for (int i = 0; i < plain.length; i++) {
        if (!(Math.abs(weights[i] - plain[i]) <= 1e-12)) { // the order of the sums differs
            throw new IllegalStateException("weight %d is %s instead of %s".formatted(i, weights[i], plain[i]));
        }
    }
}

/// Some rows of the data. A row is the same on every rank. Its label follows the sign of the first feature, most of the
/// time.
class Rows {
    private static final double RATE = 0.1;

    private final double[][] values;
    private final double[] labels;
    private final double[] errors;
    private final int features;

    Rows(int first, int end, int features) {
        this.values = new double[end - first][];
        this.labels = new double[values.length];
        this.errors = new double[values.length];
        this.features = features;
        for (int row = 0; row < values.length; row++) {
            var random = new SplittableRandom(first + row);
            values[row] = random.doubles(features, -1, 1).toArray();
            labels[row] = values[row][0] > 0 == random.nextInt(10) > 0 ? 1 : 0;
        }
    }

    /// Descends from zero, and returns the weights.
    double[] train(int steps, int rowsOfAll, Way way) {
        double[] weights = new double[features];
        double[] gradient = new double[features];
        for (int step = 0; step < steps; step++) {
            findErrors(weights);
            way.gradient(this, gradient);
            for (int i = 0; i < features; i++) {
                weights[i] -= RATE / rowsOfAll * gradient[i];
            }
        }
        return weights;
    }

    private void findErrors(double[] weights) {
        for (int row = 0; row < values.length; row++) {
            double margin = 0;
            for (int i = 0; i < features; i++) {
                margin += values[row][i] * weights[i];
            }
            errors[row] = 1 / (1 + Math.exp(-margin)) - labels[row];
        }
    }

    void wholeGradient(double[] gradient) {
        gradient(gradient, 0, features);
    }

    /// Computes the contribution of these rows to a part of the gradient.
    void gradient(double[] gradient, int from, int to) {
        Arrays.fill(gradient, from, to, 0);
        for (int row = 0; row < values.length; row++) {
            for (int i = from; i < to; i++) {
                gradient[i] += errors[row] * values[row][i];
            }
        }
    }
}
