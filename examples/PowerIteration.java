/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Computes the greatest eigenvalue of a sparse symmetric matrix. The rows are spread over the ranks so that all have
/// about equally many entries, and therefore different numbers of rows. Each rank multiplies its rows with the whole
/// vector. An allgather with a block of each rank, as long as the rank has rows, brings the parts of the result
/// together.
///
/// Run it with `./tutti run -n 4 examples/PowerIteration.java [rows]`, on several nodes with `--nodes 2`. Rank 0
/// compares the eigenvalue with that of a plain computation.
void main(String[] arguments) {
    int rows = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 20_000;
    int iterations = 100;
    try (var job = Tutti.join()) {
        var world = job.world();
        int[][] columns = columns(rows);
        int[] counts = rowsOfRanks(columns, world.size());
        int first = Arrays.stream(counts, 0, world.rank()).sum();
        var blocks = Blocks.of(counts); // made once, for all iterations
        double[] part = new double[counts[world.rank()]];
        double[] vector = new double[rows];
        Arrays.fill(vector, 1);
        double[] square = new double[1];
        long start = System.nanoTime();
        for (int i = 0; i < iterations; i++) {
            multiply(columns, first, vector, part);
            square[0] = 0;
            for (double each : part) {
                square[0] += each * each;
            }
            world.allreduce(square, Reduction.SUM);
            for (int row = 0; row < part.length; row++) {
                part[row] /= Math.sqrt(square[0]);
            }
            world.allgather(part, vector, blocks);
        }
        double millis = (System.nanoTime() - start) / 1e6;
        if (world.rank() == 0) {
            double plain = plain(columns, iterations);
            double found = Math.sqrt(square[0]);
            if (Math.abs(found - plain) > 1e-9 * plain) {
                throw new IllegalStateException(
                        "the eigenvalue is " + found + ", and " + plain + " by plain computing");
            }
            IO.println("%d rows, %s, %d iterations in %.1f ms, rows of the ranks: %s; the eigenvalue is %.6f".formatted(
                    rows, world.topology(), iterations, millis, Arrays.toString(counts), found));
        }
    }
}

/// Returns the columns of the entries of each row; every entry is 1. The matrix is that of a graph in which low numbers
/// have many neighbours.
int[][] columns(int rows) {
    List<Set<Integer>> found = new ArrayList<>();
    for (int row = 0; row < rows; row++) {
        found.add(new TreeSet<>(Set.of(row)));
    }
    var random = new Random(rows);
    for (int i = 0; i < 8 * rows; i++) {
        int one = (int) (random.nextDouble() * random.nextDouble() * rows);
        int other = random.nextInt(rows);
        found.get(one).add(other);
        found.get(other).add(one);
    }
    return found.stream().map(each -> each.stream().mapToInt(Integer::intValue).toArray()).toArray(int[][]::new);
}

/// Returns the number of rows of each rank, so that all ranks have about equally many entries.
int[] rowsOfRanks(int[][] columns, int ranks) {
    long entries = Arrays.stream(columns).mapToLong(row -> row.length).sum();
    int[] counts = new int[ranks];
    long before = 0;
    for (int[] row : columns) {
        counts[(int) (before * ranks / entries)]++;
        before += row.length;
    }
    return counts;
}

/// Multiplies consecutive rows, from the first one on, with a vector.
void multiply(int[][] columns, int first, double[] vector, double[] result) {
    for (int row = 0; row < result.length; row++) {
        double sum = 0;
        for (int column : columns[first + row]) {
            sum += vector[column];
        }
        result[row] = sum;
    }
}

double plain(int[][] columns, int iterations) {
    double[] vector = new double[columns.length];
    double[] product = new double[columns.length];
    Arrays.fill(vector, 1);
    double norm = 0;
    for (int i = 0; i < iterations; i++) {
        multiply(columns, 0, vector, product);
        norm = Math.sqrt(Arrays.stream(product).map(each -> each * each).sum());
        for (int row = 0; row < product.length; row++) {
            vector[row] = product[row] / norm;
        }
    }
    return norm;
}
