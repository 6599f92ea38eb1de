/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Multiplies two matrices that are spread over all ranks, like programs on Global Arrays: no rank sends or receives.
/// Each rank takes the number of its next task from a shared counter, gets the two tiles of the task from the ranks
/// that have them, multiplies them, and accumulates the result into the product. A slow rank takes fewer tasks, and no
/// rank waits for it.
///
/// Run it with `./tutti run -n 4 examples/MatrixMultiplication.java [side]`, on several nodes with `--nodes 2`. Rank 0
/// compares the result with that of a plain computation. The elements are small whole numbers, so that their sums are
/// exact in any order.
void main(String[] arguments) {
    int side = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 192;
    int tile = 32;
    try (var job = Tutti.join()) {
        var world = job.world();
        try (var left = new DistributedMatrix(world, side, side);
                var right = new DistributedMatrix(world, side, side);
                var product = new DistributedMatrix(world, side, side);
                var counter = world.allocate(world.rank() == 0 ? Long.BYTES : 0)) {
            for (int row = world.rank(); row < side; row += world.size()) { // any rank may put a row, wherever it lies
                left.put(row, 0, 1, side, elements(row, side, 3));
                right.put(row, 0, 1, side, elements(row, side, 5));
            }
            left.barrier();
            right.barrier();
            long start = System.nanoTime();
            int tiles = (side + tile - 1) / tile;
            long tasks = (long) tiles * tiles * tiles;
            long[] done = new long[world.size()];
            for (long task = next(counter); task < tasks; task = next(counter)) {
                int row = (int) (task / tiles / tiles) * tile;
                int column = (int) (task / tiles % tiles) * tile;
                int inner = (int) (task % tiles) * tile;
                int rows = Math.min(tile, side - row);
                int columns = Math.min(tile, side - column);
                int inners = Math.min(tile, side - inner);
                double[] a = left.get(row, inner, rows, inners);
                double[] b = right.get(inner, column, inners, columns);
                product.accumulate(row, column, rows, columns, multiply(a, b, rows, inners, columns));
                done[world.rank()]++;
            }
            product.barrier();
            double millis = (System.nanoTime() - start) / 1e6;
            world.allreduce(done, Reduction.SUM);
            if (world.rank() == 0) {
                double[] found = product.get(0, 0, side, side);
                double[] plain = multiply(left.get(0, 0, side, side), right.get(0, 0, side, side), side, side, side);
                if (!Arrays.equals(left.get(side - 1, 0, 1, side), elements(side - 1, side, 3))
                        || !Arrays.equals(found, plain)) {
                    throw new IllegalStateException("the product differs from the plain one");
                }
                IO.println("%d x %d doubles, %s, %d tasks in %.1f ms, of the ranks: %s; the product is right".formatted(
                        side, side, world.topology(), tasks, millis, Arrays.toString(done)));
            }
        }
    }
}

/// Takes the next task.
long next(RemoteMemory counter) {
    return counter.at(0).fetchAddLong(0, 1);
}

double[] elements(int row, int side, int factor) {
    double[] elements = new double[side];
    Arrays.setAll(elements, column -> (row * 7 + column * factor) % 11 - 5);
    return elements;
}

double[] multiply(double[] left, double[] right, int rows, int inners, int columns) {
    double[] product = new double[rows * columns];
    for (int row = 0; row < rows; row++) {
        for (int inner = 0; inner < inners; inner++) {
            double factor = left[row * inners + inner];
            for (int column = 0; column < columns; column++) {
                product[row * columns + column] += factor * right[inner * columns + column];
            }
        }
    }
    return product;
}

/// A matrix in blocks. The ranks form a grid, and each rank has the block of its position in its part of a remote
/// memory, row by row. A patch is any rectangle of elements; its elements in a block are a section of that rank's part.
class DistributedMatrix implements AutoCloseable {
    private final int rows;
    private final int columns;
    private final int gridRows;
    private final int gridColumns;
    private final RemoteMemory memory;

    /// An action on the section of a patch in one block.
    private interface Transfer {
        void accept(RemotePart part, Section ofPart, Section ofPatch);
    }

    /// Collective, because it allocates remote memory. All elements are zero at first.
    DistributedMatrix(Communicator world, int rows, int columns) {
        this.rows = rows;
        this.columns = columns;
        int size = world.size();
        int side = (int) Math.sqrt(size);
        while (size % side != 0) {
            side--;
        }
        this.gridRows = side;
        this.gridColumns = size / side;
        int own = world.rank();
        long elements = (long) blockRows(own / gridColumns) * blockColumns(own % gridColumns);
        this.memory = world.allocate(DataType.DOUBLE, elements);
    }

    private int firstRow(int gridRow) {
        return (int) ((long) rows * gridRow / gridRows);
    }

    private int firstColumn(int gridColumn) {
        return (int) ((long) columns * gridColumn / gridColumns);
    }

    private int blockRows(int gridRow) {
        return firstRow(gridRow + 1) - firstRow(gridRow);
    }

    private int blockColumns(int gridColumn) {
        return firstColumn(gridColumn + 1) - firstColumn(gridColumn);
    }

    /// Returns the elements of a patch, row by row.
    double[] get(int row, int column, int height, int width) {
        double[] patch = new double[height * width];
        each(row, column, height, width, (part, ofPart, ofPatch) -> part.get(ofPart, Span.of(patch), ofPatch));
        return patch;
    }

    /// Replaces a patch. Other ranks see it after a barrier.
    void put(int row, int column, int height, int width, double[] patch) {
        each(row, column, height, width, (part, ofPart, ofPatch) -> part.put(ofPart, Span.of(patch), ofPatch));
    }

    /// Adds to a patch, atomically for each element. Other ranks see it after a barrier.
    void accumulate(int row, int column, int height, int width, double[] patch) {
        each(row, column, height, width,
                (part, ofPart, ofPatch) -> part.accumulate(ofPart, Span.of(patch), ofPatch, 1));
    }

    /// Collective. Afterwards all ranks see all elements that any rank put or accumulated before.
    void barrier() {
        memory.barrier();
    }

    private void each(int row, int column, int height, int width, Transfer transfer) {
        for (int gridRow = 0; gridRow < gridRows; gridRow++) {
            int top = Math.max(row, firstRow(gridRow));
            int bottom = Math.min(row + height, firstRow(gridRow + 1));
            for (int gridColumn = 0; gridColumn < gridColumns; gridColumn++) {
                int start = Math.max(column, firstColumn(gridColumn));
                int end = Math.min(column + width, firstColumn(gridColumn + 1));
                if (top < bottom && start < end) {
                    long[] count = {bottom - top, end - start};
                    var ofPart = Section.box(DataType.DOUBLE,
                            new long[]{blockRows(gridRow), blockColumns(gridColumn)},
                            new long[]{top - firstRow(gridRow), start - firstColumn(gridColumn)}, count);
                    var ofPatch = Section.box(DataType.DOUBLE, new long[]{height, width},
                            new long[]{top - row, start - column}, count);
                    transfer.accept(memory.at(gridRow * gridColumns + gridColumn), ofPart, ofPatch);
                }
            }
        }
    }

    /// Collective.
    @Override
    public void close() {
        memory.close();
    }
}
