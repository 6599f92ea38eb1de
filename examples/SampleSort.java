/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Sorts numbers that are spread over all ranks. Each rank sorts its own numbers and shows some of them to all. From
/// these samples every rank picks the same splitters, and sends the numbers between two splitters to one rank, in an
/// all-to-all with blocks of any length. At the end each rank has a range of its own, in order.
///
/// Run it with `./tutti run -n 4 examples/SampleSort.java [numbers a rank]`, on several nodes with `--nodes 2`. Rank 0
/// compares the result with that of a plain sort.
void main(String[] arguments) {
    int own = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
    try (var job = Tutti.join()) {
        var world = job.world();
        int size = world.size();
        long[] numbers = numbers(world.rank(), own);
        long start = System.nanoTime();
        Arrays.parallelSort(numbers);

        long[] samples = new long[size * size]; // a block of each rank; this rank fills its own
        for (int i = 0; i < size; i++) {
            samples[world.rank() * size + i] = own == 0 ? Long.MAX_VALUE : numbers[(int) ((long) i * own / size)];
        }
        world.allgather(samples);
        Arrays.sort(samples);

        int[] sends = new int[size];
        int from = 0;
        for (int rank = 0; rank < size; rank++) {
            int to = rank == size - 1 ? own : firstAtLeast(numbers, samples[(rank + 1) * size]);
            sends[rank] = to - from;
            from = to;
        }
        int[] receives = new int[size];
        world.allToAll(sends, receives); // the numbers that come from each rank
        long[] range = new long[Arrays.stream(receives).sum()];
        world.allToAll(numbers, Blocks.of(sends), range, Blocks.of(receives));
        Arrays.parallelSort(range);
        double millis = (System.nanoTime() - start) / 1e6;

        int[] counts = new int[size];
        counts[world.rank()] = range.length;
        world.allgather(counts);
        long[] sorted = new long[world.rank() == 0 ? size * own : 0];
        world.gather(range, sorted, Blocks.of(counts), 0);
        if (world.rank() == 0) {
            long[] plain = IntStream.range(0, size).boxed().flatMapToLong(rank -> Arrays.stream(numbers(rank, own)))
                    .sorted().toArray();
            if (!Arrays.equals(sorted, plain)) {
                throw new IllegalStateException("the order differs from that of a plain sort");
            }
            IO.println("%d numbers, %s, in %.1f ms, of the ranks: %s; the order is right".formatted(sorted.length,
                    world.topology(), millis, Arrays.toString(counts)));
        }
    }
}

/// Returns numbers that crowd around zero, so that ranges of equal width would be useless.
long[] numbers(int rank, int count) {
    var random = new Random(rank);
    return random.doubles(count).mapToLong(each -> (long) (each * each * each * 1e15)).toArray();
}

/// Returns the index of the first number that is not less than the bound.
int firstAtLeast(long[] sorted, long bound) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
        int middle = (low + high) >>> 1;
        if (sorted[middle] < bound) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
