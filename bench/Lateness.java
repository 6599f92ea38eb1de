/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import java.lang.foreign.ValueLayout;

import module org.tutti;

/// Measures how late a rank goes on that has waited for another rank for some time. Rank 0 sleeps, and then tells the
/// time, by a clock that all processes of a host share: by a broadcast, by a put to each rank with a notification, and
/// by a put before it unlocks a mutex that all other ranks want. Prints the median and the maximum of all other ranks.
///
///     tutti run -n 2 bench/Lateness.java             # ranks of one node
///     tutti run -n 2 --nodes 2 bench/Lateness.java   # ranks of two nodes on this host
private static final long LONG_MILLIS = 500;
private static final int TURNS = 21;
private static final int LONG_TURNS = 7;
private static final int WARM_UP_CALLS = 20_000;

/// A way to tell all other ranks the time, which rank 0 passes and the others get.
interface Way {
    /// Runs before the ranks begin to wait.
    default void prepare() {}

    long tell(long nanos);
}

void main() throws InterruptedException {
    try (var job = Tutti.join();
            var memory = job.world().allocate(DataType.LONG, 1);
            var mutexes = memory.allocateMutexes(job.rank() == 0 ? 1 : 0)) {
        Way broadcast = nanos -> broadcast(job.world(), nanos);
        Way notification = nanos -> notification(job.world(), memory, nanos);
        Way unlock = new Unlock(job.world(), memory, mutexes);
        for (int call = 0; call < WARM_UP_CALLS; call++) {
            broadcast.tell(call);
            notification.tell(call);
            unlock.prepare();
            job.world().barrier();
            unlock.tell(call);
            job.world().barrier(); // the next put must not overtake the owner of the memory
        }
        for (long millis : new long[]{1, 5, 20, 100, 500, 1000}) {
            report(job.world(), "broadcast", millis, measure(job.world(), millis, broadcast));
            report(job.world(), "notification", millis, measure(job.world(), millis, notification));
            report(job.world(), "unlock", millis, measure(job.world(), millis, unlock));
        }
    }
}

long broadcast(Communicator world, long nanos) {
    long[] told = {nanos};
    world.broadcast(told, 0);
    return told[0];
}

long notification(Communicator world, RemoteMemory memory, long nanos) {
    if (world.rank() == 0) {
        for (int other = 1; other < world.size(); other++) {
            memory.at(other).elements().putNotify(0, new long[]{nanos}, 0);
        }
        return nanos;
    }
    memory.awaitMore(0, 1);
    return memory.local().get(ValueLayout.JAVA_LONG, 0);
}

/** Rank 0 holds a mutex for which the other ranks wait. */
record Unlock(Communicator world, RemoteMemory memory, Mutexes mutexes) implements Way {
    @Override
    public void prepare() {
        if (world.rank() == 0) {
            mutexes.lock(0, 0);
        }
    }

    @Override
    public long tell(long nanos) {
        if (world.rank() == 0) {
            for (int other = 1; other < world.size(); other++) {
                memory.at(other).elements().put(0, new long[]{nanos});
            }
        } else {
            mutexes.lock(0, 0);
        }
        mutexes.unlock(0, 0);
        return world.rank() == 0 ? nanos : memory.local().get(ValueLayout.JAVA_LONG, 0);
    }
}

/** Returns the lateness in µs of all ranks except rank 0 in all turns, at rank 0. */
double[] measure(Communicator world, long millis, Way way) throws InterruptedException {
    int turns = millis < LONG_MILLIS ? TURNS : LONG_TURNS;
    double[] late = new double[turns];
    for (int turn = 0; turn < turns; turn++) {
        way.prepare();
        world.barrier();
        if (world.rank() == 0) {
            Thread.sleep(millis);
        }
        long told = way.tell(System.nanoTime());
        late[turn] = (System.nanoTime() - told) / 1e3;
    }
    double[] all = new double[world.size() * turns];
    world.gather(late, all, 0);
    return Arrays.copyOfRange(all, turns, all.length);
}

void report(Communicator world, String way, long millis, double[] late) {
    if (world.rank() == 0) {
        Arrays.sort(late);
        IO.println("%-12s after %4d ms: median %6.0f µs late, at most %6.0f".formatted(way, millis,
                late[late.length / 2], late[late.length - 1]));
    }
}
