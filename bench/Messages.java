/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Measures three properties of messages that `tutti bench --messages` does not show. Each figure is a median of
/// several turns, and variants take turns.
///
/// - `wildcard`: a message to and fro between ranks 0 and 1, received from a named rank or from any rank. All other
///   ranks have sent rank 0 a message before, and wait for one.
/// - `overlap`: rank 0 sends 1 MB without waiting, and computes as long as a send takes, while rank 1 waits in a
///   receive; and the same with the parts of the ranks exchanged.
/// - `farm`: rank 0 hands tasks of 1 µs to workers, and receives results from any of them. Workers are virtual threads
///   of rank 1.
///
///     tutti run -n 2 --ranks-per-process 2 bench/Messages.java wildcard    # and -n 64 --ranks-per-process 64
///     tutti run -n 2 bench/Messages.java overlap                           # and --nodes 2
///     tutti run -n 2 bench/Messages.java farm
private static final int TURNS = 15;

void main(String[] arguments) throws Exception {
    try (var job = Tutti.join()) {
        switch (arguments.length == 1 ? arguments[0] : "") {
            case "wildcard" -> wildcard(job.world());
            case "overlap" -> overlap(job.world());
            case "farm" -> farm(job.world());
            default -> throw new IllegalArgumentException("name one of wildcard, overlap, farm");
        }
    }
}

double median(double[] figures) {
    Arrays.sort(figures);
    return figures[figures.length / 2];
}

// ---- wildcard

private static final int LAST_TAG = 1;

void wildcard(Communicator world) {
    int rank = world.rank();
    if (rank > 1) {
        world.send(1L, 0);
        world.receive(new long[1], 0, LAST_TAG);
        return;
    }
    for (int other = 2; rank == 0 && other < world.size(); other++) {
        world.receive(new long[1], other, 0);
    }
    double[][] micros = new double[2][TURNS];
    for (int turn = -5; turn < TURNS; turn++) {
        for (int any = 0; any < 2; any++) {
            double figure = pingPong(world, 20_000, any == 1 ? Communicator.ANY_RANK : 1 - rank);
            if (turn >= 0) {
                micros[any][turn] = figure;
            }
        }
    }
    for (int other = 2; rank == 0 && other < world.size(); other++) {
        world.send(1L, other, LAST_TAG);
    }
    if (rank == 0) {
        IO.println("%d ranks, one way: named %.3f µs, any rank %.3f µs".formatted(world.size(), median(micros[0]),
                median(micros[1])));
    }
}

double pingPong(Communicator world, int messages, int source) {
    long[] data = new long[1];
    int other = 1 - world.rank();
    long start = System.nanoTime();
    for (int i = 0; i < messages; i++) {
        if (world.rank() == 0) {
            data[0] = i;
            world.send(data, other, 0);
            world.receive(data, source, 0);
            if (data[0] != i + 1) {
                throw new AssertionError(data[0]);
            }
        } else {
            world.receive(data, source, 0);
            data[0]++;
            world.send(data, other, 0);
        }
    }
    return (System.nanoTime() - start) / 2e3 / messages;
}

// ---- overlap

private static final int BYTES = 1 << 20;
private volatile double sink;

void overlap(Communicator world) {
    byte[] data = new byte[BYTES];
    for (int computing = 0; computing < 2; computing++) {
        double[] shares = new double[TURNS];
        double[] call = new double[TURNS];
        long steps = 1000;
        for (int turn = -20; turn < TURNS; turn++) {
            double pure = transfer(world, data, computing, 0);
            steps = world.broadcast(Math.max(1, (long) (steps * pure / compute(steps))), computing);
            double computation = compute(steps);
            double both = transfer(world, data, computing, steps);
            if (turn >= 0) {
                shares[turn] = Math.clamp((pure + computation - both) / Math.min(pure, computation), 0, 1);
                call[turn] = pure;
            }
        }
        if (world.rank() == computing) {
            IO.println("%s of 1 MB: %.0f µs, %.0f %% overlap".formatted(computing == 0 ? "send" : "receive",
                    median(call), 100 * median(shares)));
        }
    }
}

/// Returns the time of a started call of the computing rank in microseconds; the other rank waits in its call.
double transfer(Communicator world, byte[] data, int computing, long steps) {
    Arrays.fill(data, (byte) steps);
    world.barrier();
    long start = System.nanoTime();
    if (world.rank() == computing) {
        var calls = world.nonBlocking();
        var request = world.rank() == 0 ? calls.send(data, 1, 0) : calls.receive(data, 0, 0);
        if (steps > 0) {
            compute(steps);
        }
        request.await();
    } else if (world.rank() == 0) {
        world.send(data, 1);
    } else {
        world.receive(data, 0, 0);
    }
    return (System.nanoTime() - start) / 1e3;
}

/// Computes, and returns the time in microseconds.
double compute(long steps) {
    long start = System.nanoTime();
    double x = sink;
    for (long step = 0; step < steps; step++) {
        x = x * 0.999 + 1;
    }
    sink = x;
    return (System.nanoTime() - start) / 1e3;
}

// ---- farm

private static final int TASKS = 50_000;

void farm(Communicator world) throws Exception {
    for (int round = 0; round < 2; round++) {
        for (int workers = 1; workers <= 64; workers *= 2) {
            world.barrier();
            if (world.rank() == 0) {
                double micros = handOut(world, workers);
                if (round > 0) {
                    IO.println("%2d workers: %.2f µs a task".formatted(workers, micros));
                }
            } else {
                work(world, workers);
            }
        }
    }
}

double handOut(Communicator world, int workers) {
    long[] result = new long[1];
    var message = new Message();
    long sum = 0;
    long start = System.nanoTime();
    for (int tag = 0; tag < workers; tag++) {
        world.send(new long[]{1}, 1, tag);
    }
    for (int task = 0; task < TASKS; task++) {
        world.receive(result, Communicator.ANY_RANK, Communicator.ANY_TAG, message);
        sum += result[0];
        result[0] = task + workers < TASKS ? 1 : 0;
        world.send(result, message.source(), message.tag());
    }
    double micros = (System.nanoTime() - start) / 1e3 / TASKS;
    if (sum != TASKS) {
        throw new AssertionError(sum);
    }
    return micros;
}

void work(Communicator world, int workers) throws InterruptedException {
    var threads = new ArrayList<Thread>();
    for (int worker = 0; worker < workers; worker++) {
        int tag = worker;
        threads.add(Thread.ofVirtual().start(() -> {
            long[] task = new long[1];
            for (world.receive(task, 0, tag); task[0] != 0; world.receive(task, 0, tag)) {
                long end = System.nanoTime() + 1000;
                while (System.nanoTime() < end) {
                    Thread.onSpinWait();
                }
                world.send(task, 0, tag);
            }
        }));
    }
    for (Thread thread : threads) {
        thread.join();
    }
}
