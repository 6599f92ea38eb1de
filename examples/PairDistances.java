/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Counts the distances between all pairs of moving points, in classes, as programs do that look at the structure of a
/// gas or of a protein. The way `slow` has two faults, which `tutti report` shows. The way `mended` has none of them.
///
/// - In the way `slow` a rank has a run of consecutive rows of the triangle of pairs. The first rows have the most
///   pairs, so rank 0 has the most work. In the way `mended` a rank has each size-th row.
/// - In the way `slow` each class is summed by its own allreduce. In the way `mended` one allreduce sums all classes.
///
/// Run it with `./tutti run -n 2 --record recordings examples/PairDistances.java slow [points] [steps]` and then
/// `./tutti report recordings`. Each rank compares the sums with its own count
/// of all pairs.
void main(String[] arguments) {
    String way = arguments.length > 0 ? arguments[0] : "slow";
    int points = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 2000;
    int steps = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 500;
    try (var job = Tutti.join()) {
        var world = job.world();
        if (!List.of("slow", "mended").contains(way) || points < world.size() || steps < 1) {
            throw new IllegalArgumentException("the first argument is slow or mended, not " + way + "; then follow the "
                    + "points, at least " + world.size() + ", not " + points + ", and the steps, not " + steps);
        }
        boolean mended = way.equals("mended");
        var cloud = new Cloud(points);
        long start = System.nanoTime();
        long[] classes = {};
        long pairs = 0; // of this rank in a step
        for (int step = 0; step < steps; step++) {
            cloud.move(step);
            classes = mended
                    ? cloud.count(world.rank(), points, world.size())
                    : cloud.count(first(world.rank(), points, world.size()),
                            first(world.rank() + 1, points, world.size()), 1);
            pairs = Arrays.stream(classes).sum();
            if (mended) {
                world.allreduce(classes, Reduction.SUM);
            } else {
                for (int each = 0; each < classes.length; each++) {
                    classes[each] = world.allreduce(classes[each], Reduction.SUM);
                }
            }
        }
        double millis = (System.nanoTime() - start) / 1e6 / steps;
        if (!Arrays.equals(classes, cloud.count(0, points, 1))) {
            throw new IllegalStateException("the sums differ from the count of all pairs at rank " + world.rank());
        }
        double most = world.allreduce(pairs, Reduction.MAX) * 100.0 / Arrays.stream(classes).sum();
        if (world.rank() == 0) {
            IO.println("%d points, %d ranks, %s: a step in %.2f ms, %.1f %% of the pairs at the busiest rank; the "
                    .formatted(points, world.size(), way, millis, most) + "counts are right");
        }
    }
}

int first(int rank, int points, int size) {
    return (int) ((long) rank * points / size);
}

/// Points in a box, the same at all ranks.
class Cloud {
    private static final int CLASSES = 64;

    private final double[] x;
    private final double[] y;
    private final double[] z;

    Cloud(int points) {
        var random = new Random(1);
        x = random.doubles(points).toArray();
        y = random.doubles(points).toArray();
        z = random.doubles(points).toArray();
    }

    /// Moves each point on a small circle.
    void move(int step) {
        for (int point = 0; point < x.length; point++) {
            x[point] += 0.001 * Math.cos(step + point);
            y[point] += 0.001 * Math.sin(step + point);
        }
    }

    /// Counts the distances of some rows of the triangle: of each of these points to all points after it.
    long[] count(int first, int end, int stride) {
        long[] classes = new long[CLASSES];
        for (int one = first; one < end; one += stride) {
            for (int other = one + 1; other < x.length; other++) {
                double dx = x[one] - x[other];
                double dy = y[one] - y[other];
                double dz = z[one] - z[other];
                double distance = Math.sqrt(dx * dx + dy * dy + dz * dz);
                classes[Math.min(CLASSES - 1, (int) (distance * CLASSES / 2))]++;
            }
        }
        return classes;
    }
}
