/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.JobOptions;
import org.tutti.JobOptions.Threads;
import org.tutti.Program;
import org.tutti.choice.Choice;
import org.tutti.choice.Links;
import org.tutti.fabric.Service;
import org.tutti.fabric.Striping;
import org.tutti.fabric.tcp.PortRange;
import org.tutti.job.communicators.ProcessCommunicators;
import org.tutti.job.diagnosis.RankThreads;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.network.Network;
import org.tutti.job.network.TcpFabricFactory;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.RankFailure;
import org.tutti.job.node.Secret;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Words;

/**
 * A job of several nodes inside this process: each node has a memory of its own, and the real tcp fabric to the others;
 * its ranks are threads. Whole grids of shapes can thus be run without starting a process.
 */
public final class LocalNodes implements AutoCloseable {
    private static final int CORES = 2;
    private static final long NEWS_MILLIS = 2;

    private final NodeShape[] shapes;
    private final Node[] nodes;
    private final Memory[] memories;
    private final Network[] networks;
    private final RankThreads[] threads;
    private final ProcessCommunicators[] communicators;
    private final int[] nodeOfRank;
    private Thread gossips;

    private LocalNodes(int[] nodeOfRank, int rails, Supplier<? extends Memory> memory, Links links) {
        this.nodeOfRank = nodeOfRank;
        int size = nodeOfRank.length;
        int count = 0;
        for (int node : nodeOfRank) {
            count = Math.max(count, node + 1);
        }
        this.shapes = new NodeShape[count];
        this.nodes = new Node[count];
        this.memories = new Memory[count];
        this.networks = new Network[count];
        this.threads = new RankThreads[count];
        this.communicators = new ProcessCommunicators[count];
        Secret secret = Secret.random();
        for (int i = 0; i < count; i++) {
            int first = -1;
            int ranks = 0;
            for (int rank = 0; rank < size; rank++) {
                if (nodeOfRank[rank] == i) {
                    first = first < 0 ? rank : first;
                    ranks++;
                }
            }
            shapes[i] = new NodeShape("nodes", size, i, count, ranks);
            memories[i] = memory.get();
            nodes[i] = Node.create(memories[i], memories[i].claim(NodeLayout.bytes(size), "states"), shapes[i], secret,
                    false);
            if (count > 1) {
                var environment = new JobEnvironment(shapes[i], first, ranks, Path.of("/dev/shm"), 30_000,
                        10_000, 10_000, CORES, Service.SLEEP, Striping.SPEED,
                        i == 0 ? Choice.DEFAULT.over(links) : Choice.DEFAULT, addresses(rails),
                        PortRange.ANY, Optional.empty(),
                        Optional.empty());
                networks[i] = new Network(environment, nodes[i],
                        new TcpFabricFactory(environment, secret, System.nanoTime()));
            }
            threads[i] = new RankThreads(nodes[i]);
            communicators[i] = new ProcessCommunicators(nodes[i], networks[i], threads[i], false);
            for (int rank = 0; rank < size; rank++) {
                if (nodeOfRank[rank] == i) {
                    communicators[i].openMessages(rank, CORES);
                }
            }
        }
        if (count > 1) {
            gossips = Thread.ofVirtual().start(this::spreadNews);
        }
        for (int i = 1; i < count; i++) {
            nodes[i].publishRendezvous(nodes[0].rendezvous().orElseThrow());
        }
    }

    /** {@return as many addresses of this host, as {@link JobEnvironment#RAILS} has them} */
    public static String addresses(int rails) {
        return IntStream.rangeClosed(1, rails).mapToObj(rail -> "127.0.0." + rail).collect(Collectors.joining(","));
    }

    /**
     * Runs a program on all ranks, and returns when all have ended.
     *
     * @param nodeOfRank for each rank its node
     * @param program what each runs
     * @throws AssertionError when a rank has thrown
     */
    public static void run(int[] nodeOfRank, Program program) {
        run(nodeOfRank, PrivateMemory::new, program);
    }

    /**
     * Runs a program on all ranks, and returns when all have ended.
     *
     * @param nodeOfRank for each rank its node
     * @param memory makes the memory of a node
     * @param program what each runs
     * @throws AssertionError when a rank has thrown
     */
    public static void run(int[] nodeOfRank, Supplier<? extends Memory> memory, Program program) {
        run(nodeOfRank, new int[0], Threads.PLATFORM, 1, memory, program);
    }

    /**
     * Runs a program that does something to the nodes, too.
     *
     * @param nodeOfRank for each rank its node
     * @param memory makes the memory of a node
     * @param program what each runs
     * @throws AssertionError when a rank has thrown
     */
    public static void runOn(int[] nodeOfRank, Supplier<? extends Memory> memory,
            Function<LocalNodes, Program> program) {
        runOn(nodeOfRank, new int[0], Threads.PLATFORM, 1, memory, Links.FAST, program);
    }

    /**
     * Runs a program where links between nodes are of some kind, of which only the process of rank 0 is told.
     *
     * @param nodeOfRank for each rank its node
     * @param links what they are
     * @param program what each runs
     * @throws AssertionError when a rank has thrown
     */
    public static void runOver(int[] nodeOfRank, Links links, Function<LocalNodes, Program> program) {
        runOn(nodeOfRank, new int[0], Threads.PLATFORM, 1, PrivateMemory::new, links, program);
    }

    /** What a node knows of the links. */
    public Links links(int node) {
        return nodes[node].directory().links();
    }

    /** Another region of a node's process gets the handle of a group's ring, which then cannot have it. */
    public void takeRingHandle(int node, long group) {
        long address = memories[node].claim(Words.LINE_BYTES, "a region");
        networks[node].fabric().registerKnown(memories[node].block(address, Words.LINE_BYTES),
                nodes[node].secret().ringHandle(group, networks[node].process()));
    }

    /**
     * Runs a program on all ranks of nodes with several rails between them.
     *
     * @param nodeOfRank for each rank its node
     * @param threads what ranks are
     * @param rails how many
     * @param program what each runs
     * @throws AssertionError when a rank has thrown
     */
    public static void run(int[] nodeOfRank, Threads threads, int rails, Program program) {
        run(nodeOfRank, new int[0], threads, rails, PrivateMemory::new, program);
    }

    /**
     * Runs a program on all ranks of nodes with levels inside.
     *
     * @param nodeOfRank for each rank its node
     * @param levels the levels, as {@link org.tutti.Topology#levels()} has them
     * @param program what each runs
     * @throws AssertionError when a rank has thrown
     */
    public static void run(int[] nodeOfRank, int[] levels, Program program) {
        run(nodeOfRank, levels, Threads.PLATFORM, 1, PrivateMemory::new, program);
    }

    private static void run(int[] nodeOfRank, int[] levels, Threads kind, int rails,
            Supplier<? extends Memory> memory, Program program) {
        runOn(nodeOfRank, levels, kind, rails, memory, Links.FAST, _ -> program);
    }

    private static void runOn(int[] nodeOfRank, int[] levels, Threads kind, int rails,
            Supplier<? extends Memory> memory, Links links, Function<LocalNodes, Program> programs) {
        Thread.Builder builder = kind == Threads.VIRTUAL ? Thread.ofVirtual() : Thread.ofPlatform();
        ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
        try (LocalNodes job = new LocalNodes(nodeOfRank, rails, memory, links)) {
            Program program = programs.apply(job);
            List<Thread> threads = new ArrayList<>();
            for (int rank = 0; rank < nodeOfRank.length; rank++) {
                int self = rank;
                threads.add(builder.name("rank " + self).start(() -> {
                    try {
                        job.runRank(self, levels, program);
                    } catch (Throwable e) {
                        failures.add(e);
                    }
                }));
            }
            for (Thread thread : threads) {
                thread.join();
            }
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
        if (!failures.isEmpty()) {
            AssertionError all = new AssertionError("a rank has thrown: " + failures.peek(), failures.poll());
            failures.forEach(all::addSuppressed);
            throw all;
        }
    }

    private void runRank(int rank, int[] levels, Program program) throws Exception {
        int here = nodeOfRank[rank];
        Node node = nodes[here];
        Network network = networks[here];
        threads[here].add(rank);
        node.markJoined(rank, shapesFirst(here));
        if (network != null) {
            network.register(rank);
            while (!node.directory().isComplete()) {
                if (network.isMeeting(rank)) {
                    network.meet(() -> {
                    });
                }
                Thread.sleep(1);
            }
        }
        try (LiveJob job = new LiveJob(communicators[here], rank, CORES, Choice.DEFAULT, levels, JobOptions.DEFAULT,
                this::tellAll)) {
            try {
                program.run(job);
            } catch (Throwable e) {
                failEverywhere(rank);
                throw e;
            }
        }
    }

    /** What each node's watch does in a process of its own. */
    private void spreadNews() {
        try {
            while (true) {
                for (Network network : networks) {
                    network.gossip().spread();
                }
                Thread.sleep(NEWS_MILLIS);
            }
        } catch (InterruptedException _) {
            return; // it is closed
        }
    }

    /** One after the other: who fails because of it must not be known anywhere before it is. */
    private synchronized void failEverywhere(int rank) {
        for (Node each : nodes) {
            each.markFailed(RankFailure.threw(rank));
        }
    }

    /** That a rank has left is said at once. */
    private void tellAll(int left) {
        for (Node each : nodes) {
            each.markLeft(left);
        }
    }

    private int shapesFirst(int node) {
        int first = 0;
        while (nodeOfRank[first] != node) {
            first++;
        }
        return first;
    }

    @Override
    public void close() {
        if (gossips != null) {
            gossips.interrupt();
            while (gossips.isAlive()) {
                Thread.onSpinWait();
            }
        }
        RuntimeException failure = null;
        for (Network network : networks) {
            try {
                if (network != null) {
                    network.close();
                }
            } catch (RuntimeException e) {
                failure = failure == null ? e : failure;
            }
        }
        for (Memory memory : memories) {
            memory.close();
        }
        if (failure != null) {
            throw failure;
        }
    }
}
