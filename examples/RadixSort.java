/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Sorts keys that are spread over all ranks, digit by digit, the lowest first. For each digit a rank counts its keys
/// with each of the 1,024 values, and an allgather of these 4 KB brings the counts of all ranks to all. Every rank then
/// knows the target of each of its keys, and the number of keys that each rank sends to it. The keys go there in an
/// all-to-all with blocks of any length. After each digit every rank has equally many keys again.
///
/// Run it with `./tutti run -n 4 examples/RadixSort.java [keys a rank] [rounds]`, on several nodes with `--nodes 2`,
/// and choose another algorithm for the counts with `--algorithm allgather=bruck`. The program sorts the same keys
/// again in each round, compares the result with that of a plain sort, and prints the median of the rounds, as a mean
/// of the ranks.
void main(String[] arguments) {
    int own = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 100_000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 20;
    try (var job = Tutti.join()) {
        var world = job.world();
        int[] sorted = new int[own];
        double[][] millis = new double[3][rounds]; // of a round, of its communication, and of the allgathers in it
        for (int round = 0; round < rounds; round++) {
            int[] keys = keys(world.rank(), own);
            var sort = new RadixSort(world, own);
            world.barrier();
            long start = System.nanoTime();
            sorted = sort.sort(keys);
            millis[0][round] = (System.nanoTime() - start) / 1e6;
            millis[1][round] = (sort.allgatherNanos + sort.exchangeNanos) / 1e6;
            millis[2][round] = sort.allgatherNanos / 1e6;
        }
        int[] all = new int[world.rank() == 0 ? world.size() * own : 0];
        world.gather(sorted, all, 0);
        double[] medians = Arrays.stream(millis)
                .mapToDouble(each -> Arrays.stream(each).sorted().toArray()[rounds / 2] / world.size()).toArray();
        world.reduce(medians, Reduction.SUM, 0);
        if (world.rank() == 0) {
            int[] plain = IntStream.range(0, world.size()).flatMap(rank -> Arrays.stream(keys(rank, own))).sorted()
                    .toArray();
            if (!Arrays.equals(all, plain)) {
                throw new IllegalStateException("the order differs from that of a plain sort");
            }
            IO.println("""
                    %d keys, %s, in %.2f ms, %.2f ms of them communication, %.2f ms in allgathers; \
                    the order is right""".formatted(all.length, world.topology(), medians[0], medians[1],
                    medians[2]));
        }
    }
}

/// Returns keys of 30 bits, which are three digits.
int[] keys(int rank, int count) {
    return new Random(rank).ints(count, 0, 1 << 30).toArray();
}

/// One rank's part of a sort.
class RadixSort {
    private static final int DIGIT_BITS = 10;
    private static final int DIGITS = 3;
    private static final int VALUES = 1 << DIGIT_BITS;

    private final Communicator world;
    private final int own;
    private final int[] counts; // the number of keys of each value of the digit: a block of each rank
    private final int[] firsts; // the index of the first of these keys in the order of all keys
    long allgatherNanos;
    long exchangeNanos;

    RadixSort(Communicator world, int own) {
        this.world = world;
        this.own = own;
        this.counts = new int[world.size() * VALUES];
        this.firsts = new int[counts.length];
    }

    /// Sorts the keys of all ranks, and returns this rank's part of the order.
    int[] sort(int[] keys) {
        int[] from = keys.clone();
        int[] to = new int[own];
        for (int digit = 0; digit < DIGITS; digit++) {
            int shift = digit * DIGIT_BITS;
            count(from, shift);
            locate();
            order(from, to, shift);
            exchange(to, from);
            merge(from, to);
            int[] sorted = to;
            to = from;
            from = sorted;
        }
        return from;
    }

    private void count(int[] keys, int shift) {
        int mine = world.rank() * VALUES;
        Arrays.fill(counts, mine, mine + VALUES, 0);
        for (int key : keys) {
            counts[mine + value(key, shift)]++;
        }
        long start = System.nanoTime();
        world.allgather(counts);
        allgatherNanos += System.nanoTime() - start;
    }

    /// Finds the indexes of keys in the order of all keys by this digit. Equal keys are in the order of their ranks.
    private void locate() {
        int next = 0;
        for (int value = 0; value < VALUES; value++) {
            for (int rank = 0; rank < world.size(); rank++) {
                firsts[rank * VALUES + value] = next;
                next += counts[rank * VALUES + value];
            }
        }
    }

    /// Orders this rank's keys by the digit, so that the keys for one rank follow each other.
    private void order(int[] keys, int[] ordered, int shift) {
        int[] next = new int[VALUES];
        for (int value = 1; value < VALUES; value++) {
            next[value] = next[value - 1] + counts[world.rank() * VALUES + value - 1];
        }
        for (int key : keys) {
            ordered[next[value(key, shift)]++] = key;
        }
    }

    private void exchange(int[] ordered, int[] received) {
        int[] sends = new int[world.size()];
        int[] receives = new int[world.size()];
        for (int rank = 0; rank < world.size(); rank++) {
            sends[rank] = keysThatGo(world.rank(), rank);
            receives[rank] = keysThatGo(rank, world.rank());
        }
        long start = System.nanoTime();
        world.allToAll(ordered, Blocks.of(sends), received, Blocks.of(receives));
        exchangeNanos += System.nanoTime() - start;
    }

    private int keysThatGo(int source, int target) {
        int first = target * own;
        int sum = 0;
        for (int value = source * VALUES; value < (source + 1) * VALUES; value++) {
            sum += Math.max(0, Math.min(firsts[value] + counts[value], first + own) - Math.max(firsts[value], first));
        }
        return sum;
    }

    /// Merges the keys from each rank, which are in the order of the digit.
    private void merge(int[] received, int[] merged) {
        int first = world.rank() * own;
        int at = 0;
        for (int rank = 0; rank < world.size(); rank++) {
            for (int value = 0; value < VALUES; value++) {
                int begin = Math.max(firsts[rank * VALUES + value], first);
                int end = Math.min(firsts[rank * VALUES + value] + counts[rank * VALUES + value], first + own);
                if (end > begin) {
                    System.arraycopy(received, at, merged, begin - first, end - begin);
                    at += end - begin;
                }
            }
        }
    }

    private static int value(int key, int shift) {
        return key >>> shift & VALUES - 1;
    }
}
