/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Plays Conway's Game of Life on a board whose opposite edges are neighbours. The ranks form a grid. Each rank has a
/// block of the board with a border of ghost cells, which are copies of its neighbours' cells. In each generation all
/// ranks exchange rows, and then columns. A column includes cells of the ghost rows, so that the cells of the diagonal
/// neighbours arrive without messages of their own.
///
/// Run it with `./tutti run -n 4 examples/GameOfLife.java [side of the board] [generations]`, on several nodes with
/// `--nodes 2`. Each rank compares its block with a plain computation of the whole board.
void main(String[] arguments) {
    int side = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 300;
    int generations = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 100;
    try (var job = Tutti.join();
            var grid = job.world().cartesian(CartesianCommunicator.balanced(job.world().size(), 2),
                    new boolean[]{true, true})) {
        int[] lengths = grid.dimensions();
        if (side < lengths[0]) { // the greatest length
            throw new IllegalArgumentException("a board of " + side + " rows is too small for " + lengths[0]
                    + " rows of ranks, each of which needs one");
        }
        int[] at = grid.coordinates();
        int top = side * at[0] / lengths[0];
        int left = side * at[1] / lengths[1];
        int rows = side * (at[0] + 1) / lengths[0] - top;
        int columns = side * (at[1] + 1) / lengths[1] - left;
        byte[][] board = board(side);
        var cells = new byte[rows + 2][columns + 2]; // with a border of ghost cells; 1 if a cell lives, otherwise 0
        for (int row = 1; row <= rows; row++) {
            System.arraycopy(board[top + row - 1], left, cells[row], 1, columns);
        }
        long start = System.nanoTime();
        for (int generation = 0; generation < generations; generation++) {
            exchangeRows(grid, cells);
            exchangeColumns(grid, cells);
            cells = next(cells);
        }
        double millis = (System.nanoTime() - start) / 1e6 / generations;
        board = plain(board, generations);
        boolean isRight = true;
        for (int row = 1; row <= rows; row++) {
            isRight &= Arrays.equals(cells[row], 1, columns + 1, board[top + row - 1], left, left + columns);
        }
        long wrong = grid.communicator().allreduce(isRight ? 0L : 1L, Reduction.SUM);
        if (wrong > 0) {
            throw new IllegalStateException(wrong + " ranks have blocks that differ from a plain computation");
        }
        if (grid.rank() == 0) {
            IO.println("%d x %d cells, %d x %d ranks, %s, a generation in %.3f ms; the board is right".formatted(side,
                    side, lengths[0], lengths[1], grid.communicator().topology(), millis));
        }
    }
}

/// Returns the first generation, in which a third of the cells live.
byte[][] board(int side) {
    var random = new Random(1);
    var board = new byte[side][side];
    for (byte[] row : board) {
        for (int column = 0; column < side; column++) {
            row[column] = (byte) (random.nextInt(3) / 2);
        }
    }
    return board;
}

/// Receives the first row and the last one, which are ghost cells.
void exchangeRows(CartesianCommunicator grid, byte[][] cells) {
    int above = grid.shift(0, 1).source().orElseThrow(); // present, because the dimension is periodic
    int below = grid.shift(0, 1).target().orElseThrow();
    int last = cells.length - 2;
    grid.communicator().exchange(cells[last], below, cells[0], above, 0);
    grid.communicator().exchange(cells[1], above, cells[last + 1], below, 0);
}

/// Receives the first column and the last one.
void exchangeColumns(CartesianCommunicator grid, byte[][] cells) {
    int before = grid.shift(1, 1).source().orElseThrow();
    int after = grid.shift(1, 1).target().orElseThrow();
    int last = cells[0].length - 2;
    byte[] ghosts = new byte[cells.length];
    grid.communicator().exchange(column(cells, last), after, ghosts, before, 0);
    setColumn(cells, 0, ghosts);
    grid.communicator().exchange(column(cells, 1), before, ghosts, after, 0);
    setColumn(cells, last + 1, ghosts);
}

byte[] column(byte[][] cells, int column) {
    var copy = new byte[cells.length];
    for (int row = 0; row < copy.length; row++) {
        copy[row] = cells[row][column];
    }
    return copy;
}

void setColumn(byte[][] cells, int column, byte[] copy) {
    for (int row = 0; row < copy.length; row++) {
        cells[row][column] = copy[row];
    }
}

/// Computes the next generation of all cells, except those of the border, which are dead in the result.
byte[][] next(byte[][] cells) {
    var next = new byte[cells.length][cells[0].length];
    for (int row = 1; row < cells.length - 1; row++) {
        for (int column = 1; column < cells[row].length - 1; column++) {
            int neighbours = -cells[row][column];
            for (int near = row - 1; near <= row + 1; near++) {
                neighbours += cells[near][column - 1] + cells[near][column] + cells[near][column + 1];
            }
            next[row][column] = next(cells[row][column], neighbours);
        }
    }
    return next;
}

/// Returns 1 for a cell with three living neighbours, and for a living cell with two.
byte next(byte cell, int neighbours) {
    return (byte) (neighbours == 3 || neighbours == 2 && cell == 1 ? 1 : 0);
}

/// Computes the whole board.
byte[][] plain(byte[][] board, int generations) {
    int side = board.length;
    var now = board;
    for (int generation = 0; generation < generations; generation++) {
        var following = new byte[side][side];
        for (int cell = 0; cell < side * side; cell++) {
            int neighbours = -now[cell / side][cell % side];
            for (int near = 0; near < 9; near++) {
                neighbours += now[(cell / side + near / 3 + side - 1) % side][(cell + near % 3 + side - 1) % side];
            }
            following[cell / side][cell % side] = next(now[cell / side][cell % side], neighbours);
        }
        now = following;
    }
    return now;
}
