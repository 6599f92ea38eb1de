/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;

import org.tutti.Collective;
import org.tutti.Communicator;
import org.tutti.CommunicatorBrokenException;
import org.tutti.DataType;
import org.tutti.Job;
import org.tutti.Mutexes;
import org.tutti.NodeMemoryException;
import org.tutti.RankFailedException;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.Section;
import org.tutti.Span;
import org.tutti.Tutti;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.onesided.History;

/** The programs that the processes of {@link ProcessTest} run; the first argument names the program. */
final class ProcessRankMain {
    /** The seed of the first history. */
    static final String HISTORY_SEED = "HISTORY_SEED";
    static final String HISTORY_RUNS = "HISTORY_RUNS";

    private ProcessRankMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        try {
            run(arguments[0]);
        } catch (RuntimeException e) {
            System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
            System.exit(9);
        }
    }

    private static void run(String program) throws InterruptedException {
        if (program.equals("interrupted")) {
            Thread.currentThread().interrupt();
            if (Integer.parseInt(System.getenv(JobEnvironment.RANK)) == 1) {
                Thread.interrupted();
                Thread.sleep(300); // so that the other one has to wait
                Thread.currentThread().interrupt();
            }
        }
        if (program.equals("open")) {
            Job job = Tutti.join();
            job.world().barrier();
            return; // without having closed the job
        }
        if (program.equals("exits open")) {
            Tutti.join();
            System.exit(0);
        }
        if (program.equals("unclosed")) {
            Job job = Tutti.join();
            job.world().barrier();
            if (job.rank() == 1) {
                return; // without having closed the job
            }
            job.world().barrier();
        }
        try (Job job = Tutti.join()) {
            Communicator world = job.world();
            switch (program) {
                case "child" -> child(world);
                case "sum", "interrupted" -> sum(world);
                case "mixed" -> mixed(world);
                case "shared" -> shared(world);
                case "wait" -> {
                    world.barrier();
                    System.out.println("joined");
                    if (job.rank() != 1) {
                        world.barrier();
                    } else {
                        Thread.sleep(60_000);
                    }
                }
                case "abort" -> {
                    world.barrier();
                    if (job.rank() == 1) {
                        Thread.sleep(100);
                        job.abort(5);
                    }
                    world.barrier();
                }
                case "compute-while-aborted" -> {
                    var memory = world.allocate(Long.BYTES);
                    if (job.rank() == 1) {
                        memory.awaitNotifications(0, 1); // rank 0 is in no call any more
                        job.abort(5);
                    }
                    memory.at(1).putNotify(0, new long[1], 0);
                    Thread.sleep(60_000);
                }
                case "full" -> fillMemory(world);
                case "out-of-memory" -> runOutOfMemory(world);
                case "exit-with-hook" -> {
                    world.barrier();
                    System.out.println("joined");
                    if (job.rank() == 1) {
                        Runtime.getRuntime().addShutdownHook(new Thread(ProcessRankMain::park));
                        System.exit(0);
                    }
                    world.barrier();
                }
                case "mismatch" -> {
                    if (job.rank() == 0) {
                        world.barrier();
                    } else {
                        world.broadcast(new int[4], 1);
                        world.barrier();
                    }
                }
                case "wait-all" -> {
                    world.barrier();
                    System.out.println("joined");
                    System.out.flush();
                    Thread.sleep(200); // so that nobody is stopped before it has said so
                    for (int i = 0; i < 100; i++) {
                        Thread.sleep(100);
                        world.barrier();
                    }
                }
                case "wait-sum" -> {
                    world.barrier();
                    System.out.println("joined");
                    System.out.flush();
                    Thread.sleep(200); // so that nobody is stopped before it has said so
                    for (int i = 0; i < 100; i++) {
                        Thread.sleep(20);
                        world.barrier();
                    }
                    sum(world);
                }
                case "sleep" -> {
                    world.barrier();
                    System.out.println("joined");
                    Thread.sleep(1000);
                    world.barrier();
                }
                case "loop" -> {
                    world.barrier();
                    System.out.println("joined");
                    for (long[] values = new long[50_000];;) {
                        world.allreduce(values, Reduction.SUM);
                        world.broadcast(values, 1);
                    }
                }
                case "one-sided" -> oneSided(world);
                case "mutex-count" -> countUnderMutexes(world);
                case "mutex" -> holdMutexes(world, Mutexes.HolderFailure.THROW);
                case "mutex-pass-on" -> holdMutexes(world, Mutexes.HolderFailure.PASS_ON);
                case "history" -> {
                    int rails = System.getenv().getOrDefault(JobEnvironment.RAILS, "").split(",").length;
                    long first = Long.parseLong(System.getenv(HISTORY_SEED));
                    long runs = Long.parseLong(System.getenv(HISTORY_RUNS));
                    for (long seed = first; seed < first + runs; seed++) {
                        History.play(world, seed, rails);
                    }
                    System.out.println("history done");
                }
                case "transfer" -> transfer(world);
                case "leave" -> leave(job);
                case "early" -> {
                    // rank 0 sends more than there are slots for, and the others leave when they have it all
                    for (int i = 0; i < 100; i++) {
                        int[] value = {world.rank() == 0 ? i : -1};
                        world.broadcast(value, 0);
                        if (value[0] != i) {
                            throw new IllegalStateException("broadcast " + i + " brought " + value[0]);
                        }
                    }
                    System.out.println("early done");
                }
                case "large" -> world.allreduce(new double[4 << 20], Reduction.SUM);
                case "idle" -> idle(job);
                case "groups" -> useGroups(world);
                case "flat" -> FlatPrograms.compute(world);
                case "flat-loop" -> FlatPrograms.loop(world);
                case "flat-mismatch" -> FlatPrograms.mismatch(world);
                case "flat-last" -> FlatPrograms.leaveOutTheLast(world);
                case "flat-deadline" -> FlatPrograms.passADeadline(world);
                default -> throw new IllegalArgumentException(program);
            }
        }
    }

    /** The last rank is killed; groups without it go on, those with it do not. */
    private static void useGroups(Communicator world) {
        int last = world.size() - 1;
        int[] others = IntStream.range(0, last).toArray();
        Communicator survivors = world.rank() == last ? null : world.create(others);
        Communicator pair = world.rank() == 0 || world.rank() == last ? world.create(last, 0) : null;
        world.barrier();
        System.out.println("joined");
        if (world.rank() == last) {
            park();
        }
        try {
            world.barrier();
            throw new IllegalStateException("the barrier ended without rank " + last);
        } catch (RankFailedException _) {
            System.out.println("world has failed");
        }
        if (pair != null) {
            try {
                pair.barrier();
                throw new IllegalStateException("the barrier ended without rank " + last);
            } catch (RankFailedException e) {
                System.out.println(e.getMessage().contains("rank 0 (rank " + last + " of the job") + " " + e.rank());
            }
            pair.close();
        }
        for (int i = 0; i < 50; i++) {
            try (Communicator again = survivors.duplicate()) {
                long[] data = new long[100 * i + 1];
                Arrays.fill(data, again.rank());
                again.allreduce(data, Reduction.SUM);
                survivors.allreduce(data, Reduction.SUM);
                if (data[100 * i] != (long) last * (last - 1) / 2 * last) {
                    throw new IllegalStateException("the sum is " + data[100 * i]);
                }
            }
        }
        System.out.println("went on");
    }

    private static void park() {
        while (true) {
            LockSupport.park();
        }
    }

    /** Fills the node's memory, makes calls that need more, frees it, and says what can still be used. */
    private static void fillMemory(Communicator world) {
        Communicator spare = world.duplicate();
        Communicator parent = world.duplicate();
        world.allreduce(new long[100], Reduction.SUM); // from now on there are windows for short messages
        say("allocate", () -> world.allocate(64 << 20));
        say("world", world::barrier);
        List<RemoteMemory> filling = new ArrayList<>();
        for (int bytes : new int[]{5 << 18, 64 << 10, 1 << 10}) { // the first is as long as the windows that lack
            try {
                while (true) {
                    filling.add(spare.allocate(bytes));
                }
            } catch (NodeMemoryException _) {
                spare.barrier();
            }
        }
        say("allreduce", () -> world.allreduce(new long[100_000], Reduction.SUM));
        say("duplicate", parent::duplicate);
        say("mutexes", () -> filling.getFirst().allocateMutexes(5000));
        say("spare", spare::barrier);
        filling.forEach(RemoteMemory::close);
        say("world", world::barrier);
        say("parent", parent::barrier);
        say("spare", () -> spare.allreduce(new long[100_000], Reduction.SUM));
    }

    private static void say(String what, Runnable call) {
        try {
            call.run();
            System.out.println(what + " works");
        } catch (NodeMemoryException _) {
            System.out.println(what + " has no memory");
        } catch (CommunicatorBrokenException _) {
            System.out.println(what + " is broken");
        }
    }

    /** Rank 1 runs out of memory in an operator, and stays in the job without having any. */
    private static void runOutOfMemory(Communicator world) {
        Object[] kept = new Object[1];
        try {
            world.reduce(new int[]{1}, Reduction.ofInts("filling", true, (left, right) -> {
                throw fill(kept);
            }), 1);
        } catch (OutOfMemoryError _) {
            park();
        }
        try {
            world.barrier();
        } catch (CommunicatorBrokenException e) {
            System.out.println(e.getMessage());
        }
    }

    private static OutOfMemoryError fill(Object[] kept) {
        OutOfMemoryError full = null;
        for (int bytes = 1 << 20; bytes > 0; bytes >>= 1) {
            try {
                while (true) {
                    kept[0] = new Object[]{kept[0], new byte[bytes]};
                }
            } catch (OutOfMemoryError e) {
                full = e;
            }
        }
        return full;
    }

    private static void oneSided(Communicator world) {
        try (RemoteMemory memory = world.allocate(200_000)) {
            world.barrier();
            System.out.println("joined");
            double[] more = new double[20_000];
            for (long[] values = new long[20_000];;) {
                for (int rank = 0; rank < world.size(); rank++) {
                    memory.at(rank).put(8, values);
                    memory.at(rank).get(8, values);
                    memory.at(rank).fetchAddLong(0, 1);
                    memory.at(rank).accumulate(8, more, Reduction.SUM);
                    memory.fence(rank);
                }
            }
        }
    }

    /** Counters of every rank that are got and put: an update would be lost if two did that at once. */
    private static void countUnderMutexes(Communicator world) {
        int rounds = 300;
        try (RemoteMemory memory = world.allocate(DataType.LONG, 1); Mutexes mutexes = memory.allocateMutexes(1)) {
            long[] counter = new long[1];
            for (int round = 0; round < rounds; round++) {
                int home = round % world.size();
                if (round % 3 != 0 || !mutexes.tryLock(0, home, Duration.ofNanos(20_000))) {
                    mutexes.lock(0, home);
                }
                memory.at(home).get(0, counter);
                counter[0]++;
                memory.at(home).put(0, counter);
                mutexes.unlock(0, home);
            }
            memory.barrier();
            long[] sum = {memory.local().get(ValueLayout.JAVA_LONG, 0)};
            world.allreduce(sum, Reduction.SUM);
            System.out.println(sum[0] == (long) rounds * world.size() ? "all counted" : "counted " + sum[0]);
        }
    }

    /** Rank 1 holds a mutex of every rank but itself, and the others wait for them, until somebody kills it. */
    private static void holdMutexes(Communicator world, Mutexes.HolderFailure policy) throws InterruptedException {
        Mutexes mutexes = world.allocate(0).allocateMutexes(1, policy);
        if (world.rank() == 1) {
            for (int home = 0; home < world.size(); home++) {
                if (home != 1) {
                    mutexes.lock(0, home);
                }
            }
            world.barrier();
            System.out.println("joined");
            Thread.sleep(60_000);
        }
        world.barrier();
        System.out.println("joined");
        for (int home = 0; home < world.size(); home++) {
            if (home != 1) {
                mutexes.lock(0, home);
                System.out.println("held by " + mutexes.failedHolder(0, home) + " before");
                mutexes.unlock(0, home);
            }
        }
        System.out.println("got all");
        try {
            System.in.read(); // a rank that leaves takes its mutexes with it
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Megabytes to and from everybody, without an end. */
    private static void transfer(Communicator world) {
        int bytes = 4 << 20;
        MemorySegment array = MemorySegment.ofArray(new byte[bytes]);
        MemorySegment nativeMemory = Arena.global().allocate(bytes);
        Section rows = Section.strided(0, bytes >> 10, new long[]{512}, new long[]{bytes >> 9});
        Section half = Section.of(0, bytes >> 1);
        try (RemoteMemory memory = world.allocate(bytes)) {
            world.barrier();
            System.out.println("joined");
            while (true) {
                for (int rank = 0; rank < world.size(); rank++) {
                    for (MemorySegment each : new MemorySegment[]{array, nativeMemory}) {
                        memory.at(rank).put(0, each);
                        memory.at(rank).get(0, each);
                        memory.at(rank).accumulate(0, Span.of(each, DataType.DOUBLE), Reduction.SUM);
                        memory.at(rank).put(rows, Span.of(each, DataType.BYTE), half);
                        memory.at(rank).get(rows, Span.of(each, DataType.BYTE), half);
                    }
                }
            }
        }
    }

    /** A thread leaves the job while another one is in calls on remote memory. */
    private static void leave(Job job) throws InterruptedException {
        Communicator world = job.world();
        RemoteMemory memory = world.allocate(200_000);
        Thread calls = Thread.ofPlatform().start(() -> {
            double[] some = new double[20_000];
            try {
                while (true) {
                    for (int rank = 0; rank < world.size(); rank++) {
                        memory.at(rank).put(8, some);
                        memory.at(rank).get(8, some);
                        memory.at(rank).accumulate(8, some, Reduction.SUM);
                        memory.at(rank).fetchAddLong(0, 1);
                        memory.fence(rank);
                    }
                }
            } catch (RuntimeException e) {
                System.out.println(e.getClass().getSimpleName() + ": " + e.getMessage());
            }
        });
        Thread.sleep(50); // whatever it does then
        job.close();
        calls.join();
        System.out.println("left");
    }

    /** Starts a program that inherits what the rank was told, once all have joined. */
    private static void child(Communicator world) {
        world.barrier();
        if (world.rank() == 1) {
            try {
                new ProcessBuilder(RankProcesses.java(), "-cp", System.getProperty("java.class.path"),
                        ProcessRankMain.class.getName(), "sum").inheritIO().start().waitFor();
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
        world.barrier();
    }

    private static void sum(Communicator world) {
        long[] sum = {world.rank() + 1};
        world.allreduce(sum, Reduction.SUM);
        System.out.println("sum " + sum[0] + " of " + world.size());
    }

    /** All collectives and algorithms in turn, many times, on messages of all kinds of sizes. */
    private static void mixed(Communicator world) {
        for (int round = 0; round < 200; round++) {
            int count = round % 7 == 0 ? 100_000 : round;
            int root = round % world.size();
            long[] values = new long[count];
            Arrays.setAll(values, i -> world.rank() == root ? i : -1);
            world.withAlgorithm(Collective.BROADCAST, round % 2 == 0 ? "srm" : "slot-ring").broadcast(values, root);
            world.withAlgorithm(Collective.ALLREDUCE, round % 3 == 0 ? "srm" : round % 3 == 1 ? "flat" : "index-range")
                    .allreduce(values, Reduction.SUM);
            for (int i = 0; i < count; i++) {
                if (values[i] != (long) i * world.size()) {
                    throw new IllegalStateException("round " + round + ", element " + i + " is " + values[i]);
                }
            }
        }
        System.out.println("mixed done");
    }

    /**
     * Collectives straight from and to memory that the processes share; in every third round one rank has arrays, so
     * that not all can lend.
     */
    private static void shared(Communicator world) {
        int most = 150_000;
        try (RemoteMemory memory = world.allocate(2L * most * Long.BYTES)) {
            for (int round = 0; round < 90; round++) {
                shared(world, memory, most, round);
            }
        }
        System.out.println("shared done");
    }

    private static void shared(Communicator world, RemoteMemory memory, int most, int round) {
        int rank = world.rank();
        int size = world.size();
        int count = 1 + round * 16_661 % most;
        int root = round % size;
        boolean array = round % 3 == 2 && rank == round % 2;
        Span source = array ? Span.of(new long[count]) : span(memory, 0, count);
        Span target = array ? Span.of(new long[count]) : span(memory, most, count);
        fill(source, round, rank);
        world.withAlgorithm(Collective.ALLREDUCE, "index-range").allreduce(source, target, Reduction.SUM);
        check(target, i -> size * element(round, 0, i) + size * (size - 1L) / 2, "allreduce", round);
        world.withAlgorithm(Collective.REDUCE, "index-range").reduce(source, Reduction.MAX, root);
        check(source, i -> element(round, rank == root ? size - 1 : rank, i), "reduce", round);
        fill(source, round, rank);
        world.withAlgorithm(Collective.BROADCAST, "slot-ring").broadcast(source, root);
        check(source, i -> element(round, root, i), "broadcast", round);
        world.withAlgorithm(Collective.ALLREDUCE, "index-range").allreduce(source, Reduction.SUM);
        check(source, i -> size * element(round, root, i), "allreduce in place", round);
    }

    private static Span span(RemoteMemory memory, long from, int count) {
        return Span.of(memory.local().asSlice(from * Long.BYTES, (long) count * Long.BYTES), DataType.LONG);
    }

    private static long element(int round, int rank, int index) {
        return 31L * round + index + rank;
    }

    private static void fill(Span span, int round, int rank) {
        for (int i = 0; i < span.count(); i++) {
            span.segment().setAtIndex(ValueLayout.JAVA_LONG, i, element(round, rank, i));
        }
    }

    private static void check(Span span, IntToLongFunction expected, String what, int round) {
        for (int i = 0; i < span.count(); i++) {
            long found = span.segment().getAtIndex(ValueLayout.JAVA_LONG, i);
            if (found != expected.applyAsLong(i)) {
                throw new IllegalStateException(what + " of round " + round + ": element " + i + " of " + span.count()
                        + " is " + found + " instead of " + expected.applyAsLong(i));
            }
        }
    }

    /**
     * Rank 0 waits; its process says what that costs from the second second on. Of six stretches the cheapest counts:
     * what else happens on the machine only adds.
     */
    private static void idle(Job job) throws InterruptedException {
        job.world().barrier();
        if (job.rank() == 0) {
            Thread.ofPlatform().daemon().start(IdleMeter::print);
            job.world().barrier();
        } else {
            Thread.sleep(11_000);
            job.world().barrier();
        }
    }
}
