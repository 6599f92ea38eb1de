/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.tutti.JobStartException;
import org.tutti.Topology;
import org.tutti.choice.Links;
import org.tutti.collective.members.EndpointTable;
import org.tutti.fabric.tcp.RailAddresses;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.NodeShape;
import org.tutti.memory.Words;

/**
 * Reads and writes the directory, a block of a node's memory with the node, process and addresses of each rank of a job
 * on several nodes. {@link DirectoryLayout} describes the block.
 */
public final class Directory {
    private static final int ADDRESS_BYTES_MAX = 16;
    private static final int PORT_BITS = 16;
    private static final int PORT_MASK = (1 << PORT_BITS) - 1;

    private final MemorySegment words;
    private final int size;

    Directory(MemorySegment words, int size) {
        this.words = words;
        this.size = size;
    }

    /** Returns the block of the directory, laid out as {@link DirectoryLayout} describes. */
    public MemorySegment memory() {
        return words;
    }

    /**
     * Writes the record of a rank of this node: its node, process and host, and the addresses at which the process
     * listens.
     */
    public void write(int rank, NodeShape shape, int firstRankOfProcess, String host, long ring,
            List<List<InetSocketAddress>> rails) {
        long record = DirectoryLayout.record(rank);
        Words.storePlain(words, record + DirectoryLayout.NODE, shape.node());
        Words.storePlain(words, record + DirectoryLayout.NODES, shape.nodes());
        Words.storePlain(words, record + DirectoryLayout.FIRST_RANK_OF_PROCESS, firstRankOfProcess);
        Words.storePlain(words, record + DirectoryLayout.PROCESS_IDENTIFIER, ProcessHandle.current().pid());
        Words.storePlain(words, record + DirectoryLayout.RING, ring);
        Words.storePlain(words, record + DirectoryLayout.RAILS, rails.size());
        byte[] name = host.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(name.length, DirectoryLayout.HOST_TEXT_MAX);
        Words.storePlain(words, record + DirectoryLayout.HOST, length);
        MemorySegment.copy(name, 0, words, ValueLayout.JAVA_BYTE, record + DirectoryLayout.HOST_TEXT, length);
        int number = 0;
        for (int rail = 0; rail < rails.size(); rail++) {
            for (InetSocketAddress address : rails.get(rail)) {
                write(rank, number++, rail, address);
            }
        }
        Words.storePlain(words, record + DirectoryLayout.ADDRESSES, number);
    }

    private void write(int rank, int number, int rail, InetSocketAddress place) {
        byte[] address = place.getAddress().getAddress();
        Words.storePlain(words, DirectoryLayout.addressLength(rank, number), address.length);
        Words.storePlain(words, DirectoryLayout.railAndPort(rank, number), (long) rail << PORT_BITS | place.getPort());
        MemorySegment.copy(address, 0, words, ValueLayout.JAVA_BYTE, DirectoryLayout.address(rank, number),
                address.length);
    }

    /** Counts one more rank with a record. */
    public void addKnown() {
        Words.add(words, DirectoryLayout.KNOWN, 1);
    }

    /** Returns the number of ranks that have a record here. */
    public int known() {
        return (int) Words.load(words, DirectoryLayout.KNOWN);
    }

    /** Returns the number of other nodes that have got the directory from this node. */
    public int fetched() {
        return (int) Words.load(words, DirectoryLayout.FETCHED);
    }

    /** Records that the directory has the records of all ranks. */
    public void complete() {
        Words.store(words, DirectoryLayout.COMPLETE, 1);
    }

    /** Returns whether the directory has the records of all ranks. */
    public boolean isComplete() {
        return Words.load(words, DirectoryLayout.COMPLETE) == 1;
    }

    /** Returns whether the directory has the record of a rank. */
    public boolean has(int rank) {
        return field(rank, DirectoryLayout.RAILS) > 0;
    }

    /** Returns the number of a rank's node, from the rank's environment. */
    public int node(int rank) {
        return (int) field(rank, DirectoryLayout.NODE);
    }

    /** Returns the first rank of a rank's process. */
    public int firstRankOfProcess(int rank) {
        return (int) field(rank, DirectoryLayout.FIRST_RANK_OF_PROCESS);
    }

    long processIdentifier(int rank) {
        return field(rank, DirectoryLayout.PROCESS_IDENTIFIER);
    }

    String host(int rank) {
        long length = Math.clamp(field(rank, DirectoryLayout.HOST), 0, DirectoryLayout.HOST_TEXT_MAX);
        return new String(words.asSlice(DirectoryLayout.record(rank) + DirectoryLayout.HOST_TEXT, length)
                .toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
    }

    /** Writes the kind of links between the nodes, from rank 0's environment, into the record of rank 0. */
    public void writeLinks(Links links) {
        Words.storePlain(words, DirectoryLayout.record(0) + DirectoryLayout.LINKS, links.ordinal());
    }

    /**
     * Returns the kind of links between the nodes. All ranks use the value from rank 0's environment, so that they
     * choose the same algorithms.
     */
    public Links links() {
        return field(0, DirectoryLayout.LINKS) == Links.SLOW.ordinal() ? Links.SLOW : Links.FAST;
    }

    /**
     * Returns the number of rails, the connections between two processes. All ranks use the number of rank 0's process,
     * so that they choose the same algorithms.
     */
    public int railsOfJob() {
        return Math.clamp(field(0, DirectoryLayout.RAILS), 1, RailAddresses.RAILS_MAX);
    }

    /** Returns the addresses at which the process of a rank listens, with one list for each rail. */
    public List<List<InetSocketAddress>> rails(int rank) {
        List<List<InetSocketAddress>> rails = new ArrayList<>();
        for (long rail = Math.clamp(field(rank, DirectoryLayout.RAILS), 0, RailAddresses.RAILS_MAX); rail > 0; rail--) {
            rails.add(new ArrayList<>());
        }
        int count = Math.clamp(field(rank, DirectoryLayout.ADDRESSES), 0, RailAddresses.ADDRESSES_MAX);
        for (int number = 0; number < count; number++) {
            int railAndPort = (int) Words.loadPlain(words, DirectoryLayout.railAndPort(rank, number));
            int rail = railAndPort >>> PORT_BITS;
            if (rail < rails.size()) {
                rails.get(rail).add(new InetSocketAddress(address(rank, number), railAndPort & PORT_MASK));
            }
        }
        return rails;
    }

    private InetAddress address(int rank, int number) {
        long length = Words.loadPlain(words, DirectoryLayout.addressLength(rank, number));
        byte[] address = words.asSlice(DirectoryLayout.address(rank, number),
                Math.clamp(length, 0, ADDRESS_BYTES_MAX)).toArray(ValueLayout.JAVA_BYTE);
        try {
            return InetAddress.getByAddress(address);
        } catch (UnknownHostException e) {
            throw new JobStartException("the directory has no usable address of rank " + rank + ": " + e);
        }
    }

    /** Returns the number of different nodes in the directory. */
    public int nodes() {
        return (int) IntStream.range(0, size).map(this::node).distinct().count();
    }

    /** Returns whether the ranks agree on the numbers of nodes and rails, so that they can form one job. */
    public boolean isAgreed() {
        return firstWithOther(DirectoryLayout.RAILS) < 0 && firstWithOther(DirectoryLayout.NODES) < 0
                && field(0, DirectoryLayout.NODES) == nodes();
    }

    private int firstWithOther(long field) {
        for (int rank = 1; rank < size; rank++) {
            if (field(rank, field) != field(0, field)) {
                return rank;
            }
        }
        return -1;
    }

    /**
     * Throws an exception if the ranks cannot form one job. One reason is that their environments name different
     * numbers of nodes, or a number that differs from the number of nodes in the directory. The other is that hosts
     * have different numbers of rails. A rail is a network that connects an address of each host, so all hosts must
     * have equally many.
     */
    public void requireAgreement() {
        int other = firstWithOther(DirectoryLayout.NODES);
        if (other > 0 || field(0, DirectoryLayout.NODES) != nodes()) {
            other = other > 0 ? other : size - 1;
            throw new JobStartException("rank 0 on host " + host(0) + " was told that the job is on "
                    + field(0, DirectoryLayout.NODES) + " nodes, rank " + other + " on host " + host(other) + " that it"
                    + " is on " + field(other, DirectoryLayout.NODES) + ", while their nodes have " + nodes()
                    + " different numbers; set the right " + JobEnvironment.NODES + " for all ranks, and a "
                    + JobEnvironment.NODE + " of its own for each node");
        }
        other = firstWithOther(DirectoryLayout.RAILS);
        if (other > 0) {
            throw new JobStartException("rank 0 on host " + host(0) + " has the rails " + describeRails(0)
                    + ", and rank " + other + " on host " + host(other) + " has " + describeRails(other)
                    + "; name as many on every host (--rails, " + JobEnvironment.RAILS + ")");
        }
    }

    private String describeRails(int rank) {
        return rails(rank).stream().map(rail -> rail.stream().map(address -> address.getAddress().getHostAddress())
                .collect(Collectors.joining("|"))).collect(Collectors.joining(","));
    }

    private long field(int rank, long field) {
        return Words.loadPlain(words, DirectoryLayout.record(rank) + field);
    }

    /**
     * Returns the topology of the job, which names the node of each rank. Nodes are numbered in the order of their
     * first ranks. The launcher's numbers may differ.
     */
    Topology topology() {
        Map<Integer, Integer> numbers = new HashMap<>();
        int[] nodeOfRank = new int[size];
        for (int rank = 0; rank < size; rank++) {
            numbers.putIfAbsent(node(rank), numbers.size());
            nodeOfRank[rank] = numbers.get(node(rank));
        }
        return new Topology(nodeOfRank);
    }

    /**
     * Returns for each rank the process and the handle with which other nodes address the shared memory of the rank's
     * node.
     */
    public EndpointTable endpoints() {
        int[] processes = new int[size];
        long[] rings = new long[size];
        for (int rank = 0; rank < size; rank++) {
            processes[rank] = firstRankOfProcess(rank);
            rings[rank] = field(rank, DirectoryLayout.RING);
        }
        return new EndpointTable(processes, rings);
    }
}
