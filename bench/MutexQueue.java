/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Measures a mutex that all ranks want. Each rank locks it, adds one to a counter in the memory of rank 0, and unlocks
/// it, again and again. The program prints the milliseconds of a lock, and checks the counter.
///
/// Processes: `./tutti run -n 8 bench/MutexQueue.java [seconds]`, with `--nodes 2` on two nodes. Threads:
/// `./tutti run -n 1 bench/MutexQueue.java local 33,64 virtual|platform seconds`.
void main(String[] arguments) {
    if (arguments.length > 0 && arguments[0].equals("local")) {
        var threads = arguments[2].equals("virtual") ? JobOptions.Threads.VIRTUAL : JobOptions.Threads.PLATFORM;
        double seconds = Double.parseDouble(arguments[3]);
        for (String n : arguments[1].split(",")) {
            Tutti.runLocal(Integer.parseInt(n), JobOptions.DEFAULT.withThreads(threads),
                    job -> measure(job, arguments[2], seconds));
        }
    } else {
        try (var job = Tutti.join()) {
            measure(job, "processes", arguments.length > 0 ? Double.parseDouble(arguments[0]) : 1);
        }
    }
}

void measure(Job job, String kind, double seconds) {
    var world = job.world();
    long[] total = {0};
    long[] late = {0};
    long[] least = {0, 0};
    try (var memory = world.allocate(DataType.LONG, 1); var mutexes = memory.allocateMutexes(1)) {
        world.barrier();
        long start = System.nanoTime();
        long until = start + (long) (seconds * 1e9);
        long n = 0;
        long longest = 0;
        long[] v = {0};
        for (long now = start; now - until < 0;) {
            mutexes.lock(0, 0);
            memory.at(0).get(0, v);
            v[0]++;
            memory.at(0).put(0, v);
            mutexes.unlock(0, 0);
            long next = System.nanoTime();
            longest = Math.max(longest, next - now);
            now = next;
            n++;
            if (now - until > -(long) (seconds * 0.33e9)) {
                late[0]++;
            }
        }
        total[0] = n;
        least[0] = n;
        least[1] = -longest;
        world.barrier();
        double millis = (System.nanoTime() - start) / 1e6;
        world.allreduce(total, Reduction.SUM);
        world.allreduce(least, Reduction.MIN);
        world.allreduce(late, Reduction.SUM);
        memory.at(0).get(0, v);
        if (v[0] != total[0]) {
            throw new IllegalStateException("counted " + v[0] + " of " + total[0] + " locks");
        }
        if (world.rank() == 0) {
            IO.println(("%-9s %-20s %8d locks, at least %d of a rank, %.1f ms at most, "
                    + "%.4f ms a lock, %.4f in the last third")
                    .formatted(kind, world.topology(), total[0], least[0], -least[1] / 1e6, millis / total[0],
                            seconds * 330 / late[0]));
        }
    }
}
