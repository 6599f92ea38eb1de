/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Measures how late a rank goes on that has waited for another rank for some time. Rank 0 sleeps, and then broadcasts
/// the time, by a clock that all processes of a host share. Prints the median and the maximum of all other ranks.
///
///     tutti run -n 2 bench/Lateness.java             # ranks of one node
///     tutti run -n 2 --nodes 2 bench/Lateness.java   # ranks of two nodes on this host
private static final long LONG_MILLIS = 500;
private static final int TURNS = 21;
private static final int LONG_TURNS = 7;
private static final int WARM_UP_CALLS = 20_000;

void main() throws InterruptedException {
    try (var job = Tutti.join()) {
        for (int call = 0; call < WARM_UP_CALLS; call++) {
            job.world().broadcast(new long[1], 0);
        }
        for (long millis : new long[]{1, 5, 20, 100, 500, 1000}) {
            double[] late = measure(job.world(), millis);
            if (job.rank() == 0) {
                Arrays.sort(late);
                IO.println("after %4d ms: median %6.0f µs late, at most %6.0f".formatted(millis,
                        late[late.length / 2], late[late.length - 1]));
            }
        }
    }
}

/** Returns the lateness in µs of all ranks except rank 0 in all turns, at rank 0. */
double[] measure(Communicator world, long millis) throws InterruptedException {
    int turns = millis < LONG_MILLIS ? TURNS : LONG_TURNS;
    double[] late = new double[turns];
    for (int turn = 0; turn < turns; turn++) {
        long[] nanos = new long[1];
        world.barrier();
        if (world.rank() == 0) {
            Thread.sleep(millis);
            nanos[0] = System.nanoTime();
        }
        world.broadcast(nanos, 0);
        late[turn] = (System.nanoTime() - nanos[0]) / 1e3;
    }
    double[] all = new double[world.size() * turns];
    world.gather(late, all, 0);
    return Arrays.copyOfRange(all, turns, all.length);
}
