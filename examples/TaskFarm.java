/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Counts prime numbers with a task farm. Rank 0 divides the numbers into tasks, and the other ranks work. A worker
/// sends the result of a task to rank 0. Rank 0 receives results from any rank, and answers with the next task. When no
/// task is left, it answers with an empty message. A fast worker gets more tasks than a slow one.
///
/// A rank may have several workers, each a virtual thread. The tag of a message is the number of the worker, so that
/// each worker receives its own tasks.
///
/// Run it with `./tutti run -n 4 examples/TaskFarm.java [limit] [workers of a rank]`, on several nodes with
/// `--nodes 2`. Rank 0 compares the number of primes with the result of a sieve.
void main(String[] arguments) {
    int limit = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 2_000_000;
    int workers = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 1;
    try (var job = Tutti.join()) {
        var world = job.world();
        if (world.size() < 2 || limit < 0 || workers < 1) {
            throw new IllegalArgumentException(world.size() + " ranks with " + workers + " workers cannot count primes "
                    + "up to " + limit + "; start two ranks or more, with one worker or more, and a positive limit");
        }
        if (world.rank() == 0) {
            int[] tasks = new int[world.size()];
            long start = System.nanoTime();
            long primes = handOut(world, limit, workers, tasks);
            double millis = (System.nanoTime() - start) / 1e6;
            long sieved = sieve(limit);
            if (primes != sieved) {
                throw new IllegalStateException("counted " + primes + " primes, but a sieve leaves " + sieved);
            }
            IO.println("%d primes below %d, %s, workers: %d, %.1f ms, tasks of the ranks: %s; the count is right"
                    .formatted(primes, limit, world.topology(), (world.size() - 1) * workers, millis,
                            Arrays.toString(tasks)));
        } else {
            try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                CompletableFuture.allOf(IntStream.range(0, workers)
                        .mapToObj(worker -> CompletableFuture.runAsync(() -> work(world, worker), threads))
                        .toArray(CompletableFuture[]::new)).join();
            }
        }
    }
}

/// Hands out tasks until all are done, and returns the sum of the results.
long handOut(Communicator world, int limit, int workers, int[] tasks) {
    int numbers = 5000; // of a task
    long sum = 0;
    int next = 0;
    long[] result = new long[1];
    var message = new Message();
    for (int busy = (world.size() - 1) * workers; busy > 0;) {
        world.receive(result, Communicator.ANY_RANK, Communicator.ANY_TAG, message);
        if (message.count() > 0) { // the first message of a worker has no result
            sum += result[0];
            tasks[message.source()]++;
        }
        if (next < limit) {
            int end = (int) Math.min(limit, (long) next + numbers);
            world.send(new int[]{next, end}, message.source(), message.tag());
            next = end;
        } else {
            world.send(new int[0], message.source(), message.tag());
            busy--;
        }
    }
    return sum;
}

/// Asks for tasks, and does them, until an empty message comes.
void work(Communicator world, int worker) {
    int[] task = new int[2]; // the first number, and the one after the last
    world.send(new long[0], 0, worker);
    while (world.receive(task, 0, worker) > 0) {
        long primes = IntStream.range(task[0], task[1]).filter(this::isPrime).count();
        world.send(primes, 0, worker);
    }
}

boolean isPrime(int number) {
    for (int divisor = 2; (long) divisor * divisor <= number; divisor++) {
        if (number % divisor == 0) {
            return false;
        }
    }
    return number > 1;
}

/// Counts the primes below a limit by crossing out multiples.
long sieve(int limit) {
    var crossed = new boolean[limit];
    long primes = 0;
    for (int number = 2; number < limit; number++) {
        if (!crossed[number]) {
            primes++;
            for (long multiple = (long) number * number; multiple < limit; multiple += number) {
                crossed[(int) multiple] = true;
            }
        }
    }
    return primes;
}
