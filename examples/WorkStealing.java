/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Counts the nodes of a tree that nobody knows before: how many children a node has follows from its number by chance,
/// so one branch ends at once and another one has thousands of nodes. Rank 0 begins with the root; whoever has nothing
/// to do steals from the others.
///
/// Each rank has a stack of its own, and a queue in its part of a remote memory. When the stack is high, its oldest
/// nodes are released to the queue, a chunk at a time, where everybody may take them: with gets and one
/// compare-and-swap, while the owner goes on computing.
///
/// Run it with `./tutti run -n 4 examples/WorkStealing.java [children of the root]`, on several nodes with
/// `--nodes 2`. Rank 0 compares the number with that of a plain loop.
void main(String[] arguments) {
    int children = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 300;
    try (var job = Tutti.join()) {
        var world = job.world();
        try (var queues = new Queues(world)) {
            var worker = new Worker(queues, world.rank(), world.size());
            long start = System.nanoTime();
            worker.run(children);
            double millis = (System.nanoTime() - start) / 1e6;
            long[] counts = new long[world.size()];
            counts[world.rank()] = worker.nodes;
            long[] stolen = {worker.stolen};
            world.allreduce(counts, Reduction.SUM);
            world.allreduce(stolen, Reduction.SUM);
            if (world.rank() == 0) {
                long plain = count(children);
                long found = Arrays.stream(counts).sum();
                if (found != plain) {
                    throw new IllegalStateException("counted " + found + " nodes of " + plain);
                }
                IO.println("%d nodes, %s, %.1f ms, %d chunks stolen, nodes of the ranks: %s; the count is right"
                        .formatted(found, world.topology(), millis, stolen[0], Arrays.toString(counts)));
            }
        }
    }
}

/// Counts with a stack and nothing else.
long count(int children) {
    var stack = new Stack();
    Tree.begin(stack, children);
    long nodes = 1;
    while (!stack.isEmpty()) {
        Tree.expand(stack.pop(), stack);
        nodes++;
    }
    return nodes;
}

/// The tree: each node but the root has four children, or none, with a chance that keeps branches finite: a child of
/// the root has 50 descendants on average, with a wide spread.
class Tree {
    private static final int CHILDREN = 4;
    private static final double CHANCE = 0.245;
    private static final int WORK = 100;

    static void begin(Stack stack, int children) {
        for (int child = 0; child < children; child++) {
            stack.push(mix(child));
        }
    }

    static void expand(long node, Stack stack) {
        long random = node;
        for (int i = 0; i < WORK; i++) { // so that a node takes some time
            random = mix(random);
        }
        if ((random >>> 11) * 0x1p-53 < CHANCE) {
            for (int child = 1; child <= CHILDREN; child++) {
                stack.push(mix(random + child));
            }
        }
    }

    /// The finaliser of SplitMix64.
    private static long mix(long number) {
        long mixed = number + 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}

/// Nodes that a rank has for itself: it takes the newest, and gives away the oldest.
class Stack {
    private final ArrayDeque<Long> nodes = new ArrayDeque<>();

    boolean isEmpty() {
        return nodes.isEmpty();
    }

    int size() {
        return nodes.size();
    }

    void push(long node) {
        nodes.push(node);
    }

    long pop() {
        return nodes.pop();
    }

    long takeOldest() {
        return nodes.removeLast();
    }
}

/// A queue of chunks at each rank: two counters that only grow, and a ring of chunks.
///
///     +0 taken   +8 released   +16 idle (rank 0's counts for all)   +64 chunks of 16 nodes
///
/// The owner stores a chunk and then raises *released*. Whoever wants one reads *taken* and *released*, gets the chunk
/// at *taken*, and raises *taken* by a compare-and-swap. If that succeeds, nobody else has taken the chunk, and what
/// was got is what was released: the owner writes to its place again only when *taken* has passed it.
class Queues implements AutoCloseable {
    static final int CHUNK_NODES = 16;
    private static final int CHUNKS = 64;
    private static final long TAKEN = 0;
    private static final long RELEASED = 8;
    private static final long IDLE = 16;
    private static final long RING = 64;

    private final RemoteMemory memory;
    private final RemotePart own;
    private final long[] chunk = new long[CHUNK_NODES];
    private long released;

    Queues(Communicator world) {
        memory = world.allocate(RING + (long) CHUNKS * CHUNK_NODES * Long.BYTES);
        own = memory.at(world.rank());
    }

    private static long place(long number) {
        return RING + number % CHUNKS * CHUNK_NODES * Long.BYTES;
    }

    /// Whether the own queue has room for a chunk.
    boolean hasRoom() {
        return released - own.fetchAddLong(TAKEN, 0) < CHUNKS;
    }

    /// Gives a chunk of the oldest nodes to whoever wants it.
    void release(Stack stack) {
        for (int i = 0; i < CHUNK_NODES; i++) {
            chunk[i] = stack.takeOldest();
        }
        own.put(place(released), chunk);
        released = own.fetchAddLong(RELEASED, 1) + 1; // atomic operations order what is put before them on the own node
    }

    /// Whether there is something in a queue now.
    boolean hasChunks(int rank) {
        var part = memory.at(rank);
        return part.fetchAddLong(TAKEN, 0) < part.fetchAddLong(RELEASED, 0);
    }

    /// Takes a chunk from a queue; returns whether there was one, and nobody else was faster.
    boolean take(int rank, Stack stack) {
        var part = memory.at(rank);
        long taken = part.fetchAddLong(TAKEN, 0);
        if (taken >= part.fetchAddLong(RELEASED, 0)) {
            return false;
        }
        part.get(place(taken), chunk);
        if (part.compareAndSwapLong(TAKEN, taken, taken + 1) != taken) {
            return false;
        }
        for (long node : chunk) {
            stack.push(node);
        }
        return true;
    }

    /// Changes how many ranks have nothing to do; returns how many there are then.
    long changeIdle(int change) {
        return memory.at(0).fetchAddLong(IDLE, change) + change;
    }

    /// Collective.
    @Override
    public void close() {
        memory.close();
    }
}

/// What a rank does.
class Worker {
    private static final int HIGH = 3 * Queues.CHUNK_NODES;
    private static final long PAUSE_NANOS = 20_000;

    private final Queues queues;
    private final int rank;
    private final int size;
    private final Random random;
    private final Stack stack = new Stack();
    long nodes;
    long stolen;

    Worker(Queues queues, int rank, int size) {
        this.queues = queues;
        this.rank = rank;
        this.size = size;
        this.random = new Random(rank);
    }

    void run(int children) {
        if (rank == 0) {
            Tree.begin(stack, children);
            nodes = 1;
        }
        do {
            work();
        } while (steal());
    }

    /// Until stack and queue are empty.
    private void work() {
        do {
            while (!stack.isEmpty()) {
                Tree.expand(stack.pop(), stack);
                nodes++;
                while (stack.size() >= HIGH && queues.hasRoom()) {
                    queues.release(stack);
                }
            }
            while (queues.hasChunks(rank) && stack.isEmpty()) {
                queues.take(rank, stack); // a thief may be faster
            }
        } while (!stack.isEmpty());
    }

    /// Returns whether there is something to do. A rank is idle when its stack and its queue are empty, and stops to be
    /// before it takes anything: so when all are idle, nothing is left anywhere.
    private boolean steal() {
        for (long idle = queues.changeIdle(1); idle < size; idle = queues.changeIdle(0)) {
            int victim = random.nextInt(size);
            if (victim != rank && queues.hasChunks(victim)) {
                queues.changeIdle(-1);
                if (queues.take(victim, stack)) {
                    stolen++;
                    return true;
                }
                queues.changeIdle(1);
            }
            LockSupport.parkNanos(PAUSE_NANOS); // leaves the core to those who have work
        }
        return false;
    }
}
