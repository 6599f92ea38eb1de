/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Measures an MPI that is called from Java with the loops of tutti bench: it follows BenchLoop.java step by step, like
 * collectives.c. The arguments are the operations, the sizes, the repeats, and the directory of the gates, at which
 * each rank waits for its turns. Rank 0 prints the figures, as {@code loop.h} does.
 */
final class PeerLoop {
    /** The calls of an MPI, on arrays of doubles that are summed. */
    interface Calls {
        void barrier() throws Exception;

        void broadcast(double[] data) throws Exception;

        void reduce(double[] source, double[] target) throws Exception;

        void allreduce(double[] source, double[] target) throws Exception;

        double slowest(double nanos) throws Exception;
    }

    private static final int CALLS_MIN = 4;
    private static final int CALLS_MAX = 1_000_000;
    private static final int GROWTH_MAX = 8;
    private static final int PERIOD = 251;
    private static final int BLOCK = 2 * PERIOD;
    private static final double REPEAT_NANOS = 50_000_000;
    private static final double WARM_UP_NANOS = 1_500_000_000;
    private static final double WARM_UP_NANOS_MAX = 5_000_000_000.0;
    private static final int STEADY_RUNS = 5;
    private static final double STEADY_RATIO = 1.25;
    private static final int REWRITING_RUNS = 5;
    private static final double REWRITING_RUN_NANOS = 10_000_000;
    private static final double WRONG = 0.5; // all right values are whole numbers

    private final Calls calls;
    private final int rank;
    private final int size;
    private final String operation;
    private final double[] source;
    private final double[] target;
    private final double[] values = new double[BLOCK + PERIOD]; // to write before each call, as in Pattern.java
    private final InputStream gate;
    private int count = CALLS_MIN;
    private int rewritings = 1; // of a run that only rewrites
    private long call;

    private PeerLoop(Calls calls, int rank, int size, String operation, long bytes, InputStream gate) {
        this.calls = calls;
        this.rank = rank;
        this.size = size;
        this.operation = operation;
        this.gate = gate;
        this.source = new double[(int) (bytes / Double.BYTES)];
        this.target = operation.equals("broadcast") ? source : new double[source.length];
        double first = operation.equals("broadcast") && rank > 0 ? WRONG : rank + 1;
        Arrays.setAll(values, i -> value(first, i, 0));
    }

    /** Measures every operation of the arguments with every size. */
    static void measureAll(Calls calls, int rank, int size, String[] own) throws Exception {
        InputStream gate = new FileInputStream(own[3] + "/" + rank);
        List<String> operations = Arrays.asList(own[0].split(","));
        for (String operation : new String[]{"barrier", "broadcast", "reduce", "allreduce"}) {
            if (operations.contains(operation)) {
                for (String bytes : operation.equals("barrier") ? new String[]{"0"} : own[1].split(",")) {
                    new PeerLoop(calls, rank, size, operation, Long.parseLong(bytes), gate)
                            .measure(Integer.parseInt(own[2]));
                }
            }
        }
    }

    private void measure(int repeats) throws Exception {
        awaitTurn();
        warmUp(repeats);
        repeat();
        for (int turn = 0; turn < repeats; turn++) {
            awaitTurn();
            repeat();
        }
    }

    private void awaitTurn() throws IOException {
        if (gate.read() < 0) {
            throw new IOException("nobody gives turns to rank " + rank + " any more");
        }
    }

    /** Measures and checks once, and returns when all ranks have finished their checks. */
    private void repeat() throws Exception {
        double rewriting = source.length > 1 ? measuredRewriting() : 0;
        double microseconds = Math.max(1, run() - rewriting) / 1e3;
        checkAll();
        calls.barrier();
        if (rank == 0) {
            System.out.println(String.format(Locale.ROOT, "peer,%s,layout,%d,%d,%.4f,%.4f,%.4f,%d,%.4f", operation,
                    size, (long) source.length * Double.BYTES, microseconds, microseconds, microseconds, count,
                    rewriting / 1e3));
        }
    }

    private void warmUp(int repeats) throws Exception {
        int wanted = Math.min(repeats, STEADY_RUNS);
        double least = WARM_UP_NANOS * (wanted - 1) / (STEADY_RUNS - 1);
        double first = 0;
        int steady = 0;
        for (double total = 0; total < least || total < WARM_UP_NANOS_MAX && steady < wanted;) {
            double nanos = run();
            total += nanos * count;
            boolean same = first / STEADY_RATIO <= nanos && nanos <= first * STEADY_RATIO;
            boolean isLong = nanos * count >= REPEAT_NANOS / 2 || count == CALLS_MAX;
            steady = same && isLong ? steady + 1 : 0;
            first = steady == 0 ? nanos : first;
            int most = Math.min(CALLS_MAX, GROWTH_MAX * count);
            count = (int) Math.max(CALLS_MIN, Math.min(REPEAT_NANOS / nanos, most));
        }
    }

    /** Returns the nanoseconds of a call on the slowest rank. */
    private double run() throws Exception {
        calls.barrier();
        calls.barrier(); // the second one ends on all ranks at nearly the same time
        long start = System.nanoTime();
        for (int i = 0; i < count; i++) {
            callOnce();
        }
        return calls.slowest((double) (System.nanoTime() - start) / count);
    }

    private void callOnce() throws Exception {
        if (operation.equals("barrier")) {
            calls.barrier();
            return;
        }
        call++;
        rewrite();
        if (operation.equals("broadcast")) {
            calls.broadcast(source);
        } else if (operation.equals("reduce")) {
            calls.reduce(source, target);
        } else {
            calls.allreduce(source, target);
        }
        if (rank == 0 || !operation.equals("reduce")) {
            check((int) (call % source.length));
        }
    }

    /** Writes the values of the latest call to all elements of this rank's source. */
    private void rewrite() {
        int from = (int) (call % PERIOD);
        for (int at = 0; at < source.length; at += BLOCK) {
            System.arraycopy(values, from, source, at, Math.min(BLOCK, source.length - at));
        }
    }

    /** The nanoseconds of rewriting on the slowest rank: the median of several runs that only rewrite. */
    private double measuredRewriting() throws Exception {
        double[] nanos = new double[REWRITING_RUNS];
        for (int i = 0; i < nanos.length;) {
            calls.barrier();
            calls.barrier(); // the second one ends on all ranks at nearly the same time
            long start = System.nanoTime();
            for (int made = 0; made < rewritings; made++) {
                rewrite();
            }
            double each = calls.slowest((double) (System.nanoTime() - start) / rewritings);
            nanos[i] = each;
            i += each * rewritings >= REWRITING_RUN_NANOS / 2 ? 1 : 0; // a shorter run sizes the next one
            rewritings = (int) Math.max(1, Math.min(REWRITING_RUN_NANOS / each, (double) GROWTH_MAX * rewritings));
        }
        Arrays.sort(nanos);
        return nanos[REWRITING_RUNS / 2];
    }

    private void checkAll() {
        if (operation.equals("reduce") && rank != 0) {
            return;
        }
        for (int i = 0; i < source.length; i++) {
            check(i);
        }
    }

    private void check(int index) {
        double own = value(1, index, call);
        double expected = operation.equals("broadcast") ? own : size * own + size * (size - 1) / 2;
        if (target[index] != expected) {
            System.err.println("wrong result: " + operation + " of " + source.length + " doubles on rank " + rank
                    + ", call " + call + ": element " + index + " is " + target[index] + " instead of " + expected);
            System.exit(1);
        }
    }

    /** Returns a small whole number, so that sums are exact in any order. */
    private static double value(double first, int index, long call) {
        return first + (index + call) % PERIOD;
    }
}
