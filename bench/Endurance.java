/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Shows that long use takes no more memory, threads or open files than short use. Each rank checks all results. It
/// looks at its process ten times, and fails if the last look shows more than the second one by a tenth and 32 MiB, by
/// four threads, or by four files.
///
/// - `allreduces`: allreduces of one number
/// - `communicators`: duplicates of the world, each used once and closed
/// - `unreceived`: non-blocking messages to rank 1, which receives none of them until the end, and takes part in
///   barriers meanwhile
///
///     tutti run -n 2 bench/Endurance.java allreduces 100000000
///     tutti run -n 2 bench/Endurance.java communicators 1000000        # and --nodes 2
///     tutti run -n 2 bench/Endurance.java unreceived 1000000
private static final int LOOKS = 10;

record Look(long residentBytes, long threads, long files) {
    static Look now() throws IOException {
        System.gc();
        long resident = 0;
        long threads = 0;
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith("VmRSS:")) {
                resident = Long.parseLong(line.replaceAll("\\D", "")) << 10;
            } else if (line.startsWith("Threads:")) {
                threads = Long.parseLong(line.replaceAll("\\D", ""));
            }
        }
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return new Look(resident, threads, files.count());
        }
    }

    void requireNotMuchMoreThan(Look early) {
        if (residentBytes > early.residentBytes * 1.1 + (32 << 20) || threads > early.threads + 4
                || files > early.files + 4) {
            throw new AssertionError("grew from " + early + " to " + this);
        }
    }
}

/// A step of the test; it gets the number of the step.
interface Step {
    void run(long number);
}

void main(String[] arguments) throws IOException {
    if (arguments.length != 2) {
        throw new IllegalArgumentException("name allreduces, communicators or unreceived, and how many");
    }
    long count = Long.parseLong(arguments[1]);
    try (var job = Tutti.join()) {
        var world = job.world();
        switch (arguments[0]) {
            case "allreduces" -> repeat(world, count, number -> sum(world, number));
            case "communicators" -> repeat(world, count, number -> {
                try (var duplicate = world.duplicate()) {
                    sum(duplicate, number);
                }
            });
            case "unreceived" -> unreceived(world, count);
            default -> throw new IllegalArgumentException(arguments[0] + " is none of allreduces, communicators, "
                    + "unreceived");
        }
    }
}

void sum(Communicator communicator, long number) {
    long size = communicator.size();
    long sum = communicator.allreduce(number + communicator.rank(), Reduction.SUM);
    if (sum != size * number + size * (size - 1) / 2) {
        throw new AssertionError("call " + number + " has the sum " + sum);
    }
}

void repeat(Communicator world, long count, Step step) throws IOException {
    List<Look> looks = new ArrayList<>();
    for (int part = 0; part < LOOKS; part++) {
        for (long number = part * count / LOOKS; number < (part + 1) * count / LOOKS; number++) {
            step.run(number);
        }
        looks.add(Look.now());
        if (world.rank() == 0) {
            IO.println("%,d: %s".formatted((part + 1) * count / LOOKS, looks.getLast()));
        }
    }
    looks.getLast().requireNotMuchMoreThan(looks.get(1));
}

/// Starts sends. When too many are in flight, a send is refused by an exception.
void unreceived(Communicator world, long count) throws IOException {
    List<Request> requests = new ArrayList<>();
    boolean sends = world.rank() == 0;
    repeat(world, count, number -> {
        if (sends) {
            try {
                requests.add(world.nonBlocking().send(new long[]{requests.size()}, 1, 0));
            } catch (IllegalStateException refusal) {
                if (!refusal.getMessage().contains("in flight, which is the limit")) {
                    throw refusal;
                }
            }
        }
        if (number % 1000 == 0) {
            world.barrier();
        }
    });
    int messages = world.broadcast(requests.size(), 0);
    for (int message = 0; world.rank() == 1 && message < messages; message++) {
        if (world.receiveLong(0) != message) {
            throw new AssertionError("message " + message + " came in another order");
        }
    }
    requests.forEach(Request::await);
    if (sends) {
        IO.println("%,d messages were sent and received, %,d were refused".formatted(messages, count - messages));
    }
}
