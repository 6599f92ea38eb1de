/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Sorts numbers that are spread over all ranks. Each rank sorts its own and shows some of them; from all of those
/// together every rank picks the same splitters, and sends the numbers between two of them to one rank: an all-to-all
/// whose blocks are as long as the numbers happen to lie. At the end each rank has a range of its own, in order.
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

        long[] samples = new long[size * size]; // a block of each rank, this rank's own in its place
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
        world.allToAll(sends, receives); // so many numbers come from whom
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

/// Numbers that crowd around zero, so that ranges of equal width would be of no use.
long[] numbers(int rank, int count) {
    var random = new Random(rank);
    return random.doubles(count).mapToLong(each -> (long) (each * each * each * 1e15)).toArray();
}

/// The index of the first number that is not less.
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
