/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;
import java.lang.foreign.Arena;

/// Compares calls whose long blocks land in the target with calls that copy them from a window. Memory of a shared
/// arena can be a target of other nodes, memory of a confined arena cannot. Both take turns in one job.
///
///     tutti run -n 2 --nodes 2 bench/Landing.java gather,scatter,allgather 64,256,1024,4096     # KiB a block
private static final int TURNS = 24;
private static final int WARM_UP_TURNS = 4;
private static final int TARGETS = 2;

void main(String[] arguments) {
    try (var job = Tutti.join(); var shared = Arena.ofShared(); var confined = Arena.ofConfined()) {
        for (String name : arguments[0].split(",")) {
            for (String kib : arguments[1].split(",")) {
                long bytes = Long.parseLong(kib) << 10;
                double[][] times = measure(job.world(), name, bytes, new Arena[]{shared, confined});
                if (job.rank() == 0) {
                    print(name, kib, times);
                }
            }
        }
    }
}

/** Returns the times of a call in µs at this rank: those with a shared and those with a confined target, by turn. */
double[][] measure(Communicator world, String name, long bytes, Arena[] arenas) {
    int ranks = world.size();
    Span block = Span.of(arenas[0].allocate(bytes, 64), DataType.LONG);
    Span blocks = Span.of(arenas[0].allocate(bytes * ranks, 64), DataType.LONG);
    Span[] target = new Span[TARGETS];
    Span[] targets = new Span[TARGETS];
    for (int kind = 0; kind < TARGETS; kind++) {
        target[kind] = Span.of(arenas[kind].allocate(bytes, 64), DataType.LONG);
        targets[kind] = Span.of(arenas[kind].allocate(bytes * ranks, 64), DataType.LONG);
    }
    int calls = (int) Math.max(4, (4 << 20) / bytes / ranks);
    double[][] times = new double[TARGETS][TURNS];
    for (int turn = -WARM_UP_TURNS; turn < TURNS; turn++) {
        for (int i = 0; i < TARGETS; i++) {
            int kind = i + turn & 1; // each kind is the first one in every second turn
            world.barrier();
            long start = System.nanoTime();
            for (int call = 0; call < calls; call++) {
                switch (name) {
                    case "gather" -> world.gather(block, targets[kind], 0);
                    case "scatter" -> world.scatter(blocks, target[kind], 0);
                    case "allgather" -> world.allgather(block, targets[kind]);
                    default -> throw new IllegalArgumentException("there is no collective \"" + name
                            + "\" here; give gather, scatter or allgather");
                }
            }
            world.barrier();
            if (turn >= 0) {
                times[kind][turn] = (System.nanoTime() - start) / 1e3 / calls;
            }
        }
    }
    return times;
}

void print(String name, String kib, double[][] times) {
    double[] ratios = new double[TURNS];
    for (int turn = 0; turn < TURNS; turn++) {
        ratios[turn] = times[0][turn] / times[1][turn];
    }
    IO.println("%-10s %5s KiB: landed %8.1f µs, from a window %8.1f, ratio %.2f"
            .formatted(name, kib, median(times[0]), median(times[1]), median(ratios)));
}

double median(double[] values) {
    double[] sorted = values.clone();
    java.util.Arrays.sort(sorted);
    return sorted[sorted.length / 2];
}
