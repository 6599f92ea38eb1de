/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.network;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

import org.tutti.CollectiveMismatchException;
import org.tutti.JobStartException;
import org.tutti.TuttiException;
import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.FabricFactory;
import org.tutti.fabric.PutTarget;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.node.Directory;
import org.tutti.job.node.DirectoryLayout;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.Secret;
import org.tutti.memory.Waiter;

/**
 * Connects a process with the other nodes of a job. It has the process's fabric, which moves bytes to other nodes, and
 * its gossip, which exchanges news of failures with them. When the job starts, it lets the nodes exchange the addresses
 * of their processes.
 *
 * <p>The process of rank 0 writes its address into its node's memory, and the launcher passes the address on to the
 * other nodes. Without a launcher the environment has the address. When all ranks of a node have joined, the process of
 * the lowest one puts their records, with their addresses, into the directory of rank 0's node. When that directory has
 * the records of all ranks, the process gets a copy of it. The exchange takes one connection for each node, and only
 * puts, gets and atomic operations.
 */
public final class Network implements AutoCloseable {
    private static final int PROBE_MILLIS = 500;
    private static final long PROBE_AGAIN_MILLIS = 50;
    private static final int LAST_NEWS_TURNS = 20;
    private static final long LAST_NEWS_MILLIS = 5;

    private final JobEnvironment environment;
    private final Node node;
    private final Directory directory;
    private final Gossip gossip;
    private final Fabric fabric;
    private final long directoryHandle;
    private final long ringHandle;
    private volatile List<List<InetSocketAddress>> rankZero = List.of();
    private volatile String unanswered = ""; // the reason why rank 0 has not answered, for messages

    /**
     * Creates the network of a process. If the process has rank 0, publishes its address on its node.
     *
     * @param environment the process's part in its job
     * @param node the state that the ranks of the process's node share
     * @param fabrics the factory of the fabric, which moves bytes to other nodes
     */
    public Network(JobEnvironment environment, Node node, FabricFactory fabrics) {
        this.environment = environment;
        this.node = node;
        this.directory = node.directory();
        this.gossip = new Gossip(node, directory, environment.firstRank(), environment.heartbeatMillis(),
                environment.standstillMillis());
        Secret secret = node.secret();
        this.fabric = fabrics.open(this::addresses, gossip);
        gossip.setFabric(fabric);
        this.directoryHandle = secret.directoryHandle();
        try {
            fabric.registerKnown(directory.memory(), directoryHandle);
            this.ringHandle = fabric.register(node.ring());
            if (environment.firstRank() == 0) {
                node.publishRendezvous(Rendezvous.text(fabric.rails()));
            }
        } catch (Throwable e) {
            fabric.close();
            throw e;
        }
    }

    private List<List<InetSocketAddress>> addresses(int process) {
        if (process == 0 && !directory.isComplete() && environment.firstRank() != 0) {
            return rankZero;
        }
        return directory.rails(process);
    }

    private Optional<String> rendezvous() {
        return node.rendezvous().or(environment::rendezvous);
    }

    /** Returns the number of this process, which is its first rank. */
    public int process() {
        return environment.firstRank();
    }

    /** Returns the fabric, which moves bytes to other nodes. */
    public Fabric fabric() {
        return fabric;
    }

    /** Returns the gossip, which exchanges news with other nodes. */
    public Gossip gossip() {
        return gossip;
    }

    // ---- meeting

    /** Writes the record of a rank of this process, with its host and addresses, into the directory of this node. */
    public void register(int rank) {
        directory.write(rank, environment.shape(), environment.firstRank(), hostName(), ringHandle,
                fabric.rails());
        if (rank == 0) {
            directory.writeLinks(environment.choice().links());
        }
        directory.addKnown();
    }

    /** Returns the name of this host. */
    public static String hostName() {
        try {
            return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
        } catch (IOException _) {
            return Optional.ofNullable(System.getenv("HOSTNAME")).orElse("unknown");
        }
    }

    /**
     * Returns whether a rank is to exchange addresses with other nodes now, on behalf of its own node. On rank 0's
     * node, rank 0 does so as soon as its record in the directory is written. It does not count records, because the
     * records of other nodes may arrive before those of its own node. On another node, the lowest rank does so when all
     * ranks of the node have joined and their records are written. Ranks of other nodes count as absent until the
     * addresses are exchanged.
     */
    public boolean isMeeting(int rank) {
        if (rank == 0) {
            return directory.has(0);
        }
        int lowest = node.size();
        int here = 0;
        for (int each = node.size() - 1; each >= 0; each--) {
            if (node.state(each) != NodeLayout.ABSENT) {
                lowest = each;
                here++;
            }
        }
        return lowest == rank && here >= node.nodeRanks() && directory.known() >= here; // their records are written
    }

    /**
     * Exchanges addresses with the other nodes. When this method returns, this node's directory has the records of all
     * ranks.
     *
     * @param check the check to run while waiting, which throws if the wait has taken too long or a rank has failed
     */
    public void meet(Waiter.Check check) {
        if (environment.firstRank() != 0) {
            awaitRankZero(check);
            putRecords(check);
            for (int turn = 0; known(check) < node.size(); turn++) {
                pause(turn, check);
            }
            get(DirectoryLayout.record(0), DirectoryLayout.bytes(node.size()) - DirectoryLayout.record(0), check);
            fabric.put(new PutTarget().at(0, directoryHandle, 0).add(DirectoryLayout.FETCHED, 1), directory.memory(), 0,
                    0, check);
            fabric.flush();
        } else {
            for (int turn = 0; directory.known() < node.size(); turn++) {
                pause(turn, check);
            }
        }
        if (!directory.isAgreed()) {
            letOthersSee(check);
        }
        for (int rank = 0; rank < node.size(); rank++) {
            node.markJoinedElsewhere(rank);
        }
        directory.complete();
    }

    /**
     * Waits until all other nodes have got the directory. This process calls this method before it refuses the job,
     * because the directory shows the other nodes the reason. Otherwise they might see only that this process has
     * failed.
     */
    private void letOthersSee(Waiter.Check check) {
        try {
            for (int turn = 0; fetched(check) < directory.nodes() - 1; turn++) {
                pause(turn, check);
            }
        } catch (TuttiException _) {
            return; // a process that has gone has seen the reason; this process is to report the reason, too
        }
    }

    /**
     * Waits until the process of rank 0 listens. A launcher publishes the address of that process only when it listens.
     * An address from the environment is known earlier, so this method tries it until the process answers.
     */
    private void awaitRankZero(Waiter.Check check) {
        for (int turn = 0; rendezvous().isEmpty(); turn++) {
            pause(turn, check);
        }
        while (!isRankZeroKnown() || node.rendezvous().isEmpty() && !isRankZeroListening()) {
            check.check();
            sleep(PROBE_AGAIN_MILLIS);
        }
    }

    /**
     * Looks up the address of rank 0's process, and returns whether it is known. Each call looks it up again, because a
     * host's name may still have the address of a previous host.
     */
    private boolean isRankZeroKnown() {
        try {
            rankZero = Rendezvous.parse(rendezvous().orElseThrow());
            return true;
        } catch (UnknownHostException e) {
            unanswered = "; on host " + hostName() + " that is not known: " + e.getMessage();
            return false;
        }
    }

    /** Returns whether rank 0 listens at one or more of its addresses. */
    private boolean isRankZeroListening() {
        Optional<String> why = fabric.whyUnreachable(rankZero, PROBE_MILLIS);
        unanswered = why.map(text -> "; on host " + hostName() + " " + text).orElse("");
        return why.isEmpty();
    }

    private void putRecords(Waiter.Check check) {
        int own = 0;
        boolean there = true;
        for (int rank = 0; rank < node.size(); rank++) {
            if (directory.has(rank) && directory.node(rank) == environment.shape().node()) {
                long record = DirectoryLayout.record(rank);
                there &= fabric.put(new PutTarget().at(0, directoryHandle, record), directory.memory(), record,
                        DirectoryLayout.RECORD_BYTES, check);
                own++;
            }
        }
        there &= fabric.put(new PutTarget().at(0, directoryHandle, 0).add(DirectoryLayout.KNOWN, own),
                directory.memory(), 0, 0, check);
        fabric.flush();
        requireRankZero(there);
    }

    private long known(Waiter.Check check) {
        return counterOfRankZero(DirectoryLayout.KNOWN, check);
    }

    private long fetched(Waiter.Check check) {
        return environment.firstRank() == 0 ? directory.fetched()
                : counterOfRankZero(DirectoryLayout.FETCHED, check);
    }

    private long counterOfRankZero(long counter, Waiter.Check check) {
        long[] value = {0};
        requireRankZero(fabric.atomic(0, directoryHandle, counter, AtomicOperation.FETCH_ADD, 0, 0, value, check));
        return value[0];
    }

    private void get(long from, long bytes, Waiter.Check check) {
        requireRankZero(fabric.get(0, directoryHandle, from, directory.memory(), from, bytes, check));
    }

    private void requireRankZero(boolean there) {
        if (!there && gossip.failure() != null) {
            throw new JobStartException("the process of rank " + environment.firstRank() + " on host " + hostName()
                    + " cannot go on: " + gossip.failure());
        }
        if (!there) {
            throw new JobStartException("the process of rank " + environment.firstRank() + " on host " + hostName()
                    + " cannot reach the process of rank 0 at " + rendezvous().orElse("an unknown address") + ": "
                    + fabric.whyLost(0) + "; see whether that process runs, has the same secret, and can be reached "
                    + "from here (--rails or " + JobEnvironment.RAILS + " chooses other addresses)");
        }
    }

    /**
     * Returns a clause for messages with the address of rank 0's process; empty if this node does not know the address.
     */
    public String whereRankZeroIs() {
        return rendezvous().map(text -> " (they meet at " + text + unanswered + ")").orElse("");
    }

    private static void pause(int turn, Waiter.Check check) {
        check.check();
        sleep(Math.clamp(turn, 1, 20));
    }

    private static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Says good-bye to the other processes, and closes the fabric even if the good-bye throws.
     *
     * @throws CollectiveMismatchException if ranks of another node have made other calls than the ranks of this process
     */
    @Override
    public void close() {
        try {
            takeLeave();
        } finally {
            gossip.close();
            fabric.close();
        }
        CollectiveMismatchException mismatch = gossip.farewells().compare();
        if (mismatch != null) {
            throw mismatch;
        }
    }

    private void takeLeave() {
        long deadlineNanos = System.nanoTime() + environment.heartbeatMillis() * 1_000_000;
        while (environment.firstRank() == 0 && directory.isComplete() && directory.fetched() < node.nodes() - 1
                && node.firstFailedRank() < 0 && System.nanoTime() - deadlineNanos < 0) {
            sleep(1); // other nodes are about to get the directory from here
        }
        fabric.retire();
        for (int turn = 0; turn < LAST_NEWS_TURNS && !gossip.spread(); turn++) {
            sleep(LAST_NEWS_MILLIS);
        }
    }
}
