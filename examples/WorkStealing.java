/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Counts the nodes of a tree that is not known in advance. The number of children of a node follows from the node's
/// number by chance, so one branch ends soon and another one has thousands of nodes. Rank 0 begins with the root. A
/// rank without work steals from the others.
///
/// Each rank has a stack of its own, and a queue in its part of a remote memory. When the stack is high, its oldest
/// nodes are released to the queue, a chunk at a time. Any rank may take a chunk there, with gets and one
/// compare-and-swap, while the owner goes on computing.
///
/// Run it with `./tutti run -n 4 examples/WorkStealing.java [children of the root]`, on several nodes with `--nodes 2`.
/// Rank 0 compares the number with that of a plain loop.
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

/// The tree. Each node except the root has four children, or none, with a chance that keeps branches finite. A child of
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
        for (int i = 0; i < WORK; i++) { // makes a node take some time
            random = mix(random);
        }
        if ((random >>> 11) * 0x1p-53 < CHANCE) {
            for (int child = 1; child <= CHILDREN; child++) {
                stack.push(mix(random + child));
            }
        }
    }

    /// Mixes a number with the finaliser of SplitMix64.
    private static long mix(long number) {
        long mixed = number + 0x9e3779b97f4a7c15L;
        mixed = (mixed ^ mixed >>> 30) * 0xbf58476d1ce4e5b9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94d049bb133111ebL;
        return mixed ^ mixed >>> 31;
    }
}

/// The nodes that no other rank may take. The rank itself takes the newest, and releases the oldest.
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
/// The owner stores a chunk and then raises *released*. A thief reads *taken* and *released*, gets the chunk at
/// *taken*, and raises *taken* with a compare-and-swap. If that succeeds, no other rank has taken the chunk, and the
/// bytes that the thief got are those that were released, because the owner writes to their place again only after
/// *taken* has passed it.
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

    /// Tells whether this rank's queue has room for a chunk.
    boolean hasRoom() {
        return released - own.fetchAddLong(TAKEN, 0) < CHUNKS;
    }

    /// Releases a chunk of the oldest nodes to the queue.
    void release(Stack stack) {
        for (int i = 0; i < CHUNK_NODES; i++) {
            chunk[i] = stack.takeOldest();
        }
        own.put(place(released), chunk);
        released = own.fetchAddLong(RELEASED, 1) + 1; // an atomic operation comes after earlier puts on the own node
    }

    /// Tells whether a queue has a chunk at the moment.
    boolean hasChunks(int rank) {
        var part = memory.at(rank);
        return part.fetchAddLong(TAKEN, 0) < part.fetchAddLong(RELEASED, 0);
    }

    /// Takes a chunk from a queue. Returns false if there was none, or another rank was faster.
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

    /// Changes the number of idle ranks, and returns the new one.
    long changeIdle(int change) {
        return memory.at(0).fetchAddLong(IDLE, change) + change;
    }

    /// Collective.
    @Override
    public void close() {
        memory.close();
    }
}

/// The work of a rank.
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

    /// Expands nodes until stack and queue are empty.
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

    /// Steals a chunk, and returns false when no work is left. A rank becomes idle when its stack and its queue are
    /// empty, and stops being idle before it takes a chunk. When all ranks are idle, all stacks and queues are
    /// therefore empty.
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
            LockSupport.parkNanos(PAUSE_NANOS); // leaves the core to ranks that have work
        }
        return false;
    }
}
