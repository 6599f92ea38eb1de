/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Chunked;
import org.tutti.collective.allgather.BruckAllgather;
import org.tutti.collective.allgather.DirectAllgather;
import org.tutti.collective.allgather.GatherBroadcastAllgather;
import org.tutti.collective.allgather.RingAllgather;
import org.tutti.collective.allgather.StandardExchangeAllgather;
import org.tutti.collective.allreduce.ChengAllreduce;
import org.tutti.collective.allreduce.FlatAllreduce;
import org.tutti.collective.allreduce.IndexRadixAllreduce;
import org.tutti.collective.allreduce.IndexRangeAllreduce;
import org.tutti.collective.allreduce.RabenseifnerAllreduce;
import org.tutti.collective.allreduce.RankOrderAllreduce;
import org.tutti.collective.allreduce.RecursiveDoublingAllreduce;
import org.tutti.collective.allreduce.RingAllreduce;
import org.tutti.collective.allreduce.SrmAllreduce;
import org.tutti.collective.alltoall.AggregatedAllToAll;
import org.tutti.collective.alltoall.BruckAllToAll;
import org.tutti.collective.alltoall.DirectAllToAll;
import org.tutti.collective.alltoall.StandardExchangeAllToAll;
import org.tutti.collective.barrier.FlatBarrier;
import org.tutti.collective.barrier.HalvingBarrier;
import org.tutti.collective.barrier.SrmBarrier;
import org.tutti.collective.barrier.TreeBarrier;
import org.tutti.collective.blocks.AnyBlocksAlgorithm;
import org.tutti.collective.blocks.SubtreeAlgorithm.Shape;
import org.tutti.collective.broadcast.ChainBroadcast;
import org.tutti.collective.broadcast.ScatterAllgatherBroadcast;
import org.tutti.collective.broadcast.SlotRingBroadcast;
import org.tutti.collective.broadcast.SrmBroadcast;
import org.tutti.collective.gather.DirectGather;
import org.tutti.collective.gather.TreeGather;
import org.tutti.collective.reduce.ChainReduce;
import org.tutti.collective.reduce.FlatReduce;
import org.tutti.collective.reduce.IndexRangeReduce;
import org.tutti.collective.reduce.RankOrderReduce;
import org.tutti.collective.reduce.SrmReduce;
import org.tutti.collective.reducescatter.DirectReduceScatter;
import org.tutti.collective.reducescatter.HalvingReduceScatter;
import org.tutti.collective.reducescatter.PairwiseReduceScatter;
import org.tutti.collective.reducescatter.RankOrderReduceScatter;
import org.tutti.collective.scan.BinomialScan;
import org.tutti.collective.scan.DirectScan;
import org.tutti.collective.scan.DoublingScan;
import org.tutti.collective.scatter.DirectScatter;
import org.tutti.collective.scatter.TreeScatter;

/** The list of all algorithms. A new algorithm must be added here. The tests run every algorithm of this list. */
public final class Catalogue {
    private static final Map<Collective, List<Algorithm>> ALGORITHMS = Stream.of(
            new SrmBarrier(), new FlatBarrier(), new TreeBarrier(), new HalvingBarrier(),
            SrmBroadcast.BINOMIAL, SrmBroadcast.BINARY, SrmBroadcast.FIBONACCI, SrmBroadcast.HALVING,
            new ChainBroadcast(), new SlotRingBroadcast(), new ScatterAllgatherBroadcast(),
            new FlatReduce(), SrmReduce.BINOMIAL, SrmReduce.HALVING, new ChainReduce(), new IndexRangeReduce(),
            new RankOrderReduce(),
            new FlatAllreduce(), SrmAllreduce.BINOMIAL, SrmAllreduce.HALVING, new ChengAllreduce(false),
            new ChengAllreduce(true),
            new RecursiveDoublingAllreduce(), new RabenseifnerAllreduce(), new RingAllreduce(),
            new IndexRangeAllreduce(), new IndexRadixAllreduce(), new RankOrderAllreduce(),
            new DirectGather(1), new TreeGather(Shape.nomial(1)), new TreeGather(Shape.nomial(3)),
            new TreeGather(Shape.HALVING),
            new AnyBlocksAlgorithm(Collective.GATHER),
            new DirectScatter(1), new TreeScatter(Shape.nomial(1)), new TreeScatter(Shape.nomial(3)),
            new TreeScatter(Shape.HALVING),
            new AnyBlocksAlgorithm(Collective.SCATTER), new DirectAllgather(1),
            new RingAllgather(), new BruckAllgather(1), new BruckAllgather(3), new StandardExchangeAllgather(1),
            new StandardExchangeAllgather(3), GatherBroadcastAllgather.HALVING,
            new GatherBroadcastAllgather(1), new GatherBroadcastAllgather(3), GatherBroadcastAllgather.DIRECT,
            new AnyBlocksAlgorithm(Collective.ALLGATHER),
            new DirectAllToAll(1), new BruckAllToAll(1), new BruckAllToAll(3), new StandardExchangeAllToAll(1),
            new StandardExchangeAllToAll(3), new AggregatedAllToAll(), new AnyBlocksAlgorithm(Collective.ALL_TO_ALL),
            new DirectReduceScatter(), new PairwiseReduceScatter(), new HalvingReduceScatter(1),
            new HalvingReduceScatter(3), new RankOrderReduceScatter(), new DirectScan(false), new DirectScan(true),
            new DoublingScan(false), new DoublingScan(true), new BinomialScan(false), new BinomialScan(true))
            .collect(Collectors.groupingBy(Algorithm::collective));

    /** Algorithms of {@link #ALGORITHMS} with other numbers of ports. */
    private static final List<Algorithm> UNLISTED = List.of(
            new DirectGather(2), new DirectGather(3), new DirectGather(4),
            new DirectScatter(2), new DirectScatter(3), new DirectScatter(4),
            new DirectAllgather(2), new DirectAllgather(3), new DirectAllgather(4),
            new DirectAllToAll(2), new DirectAllToAll(3), new DirectAllToAll(4),
            new TreeGather(Shape.nomial(2)), new TreeGather(Shape.nomial(4)),
            new TreeScatter(Shape.nomial(2)), new TreeScatter(Shape.nomial(4)),
            new BruckAllgather(2), new BruckAllgather(4),
            new StandardExchangeAllgather(2), new StandardExchangeAllgather(4),
            new GatherBroadcastAllgather(2), new GatherBroadcastAllgather(4),
            new BruckAllToAll(2), new BruckAllToAll(4),
            new StandardExchangeAllToAll(2), new StandardExchangeAllToAll(4),
            new HalvingReduceScatter(2), new HalvingReduceScatter(4));

    /** The length of chunks in KiB, which follows the @ in an algorithm's name. */
    private static final Pattern CHUNK = Pattern.compile("([1-9]\\d{0,3})k");

    private static final int KIBIBYTE = 1 << 10;

    private Catalogue() {}

    /**
     * Returns the algorithms of a collective.
     *
     * @param collective the collective
     * @return its algorithms, at least one
     */
    public static List<Algorithm> of(Collective collective) {
        return ALGORITHMS.get(collective);
    }

    /**
     * Returns the algorithms that {@link #of} does not list, because they differ from listed ones only in the number of
     * ports, the messages that a rank sends at the same time. {@link #find} finds them by name, such as
     * {@code bruck@2-ports}.
     *
     * @return the algorithms of all collectives that are not listed
     */
    public static List<Algorithm> unlisted() {
        return UNLISTED;
    }

    /**
     * Returns the algorithm of a collective that has a given name.
     *
     * @param collective the collective
     * @param name the algorithm's name. If the algorithm is {@link Chunked}, the length of its chunks in KiB may
     *            follow, as in {@code srm@32k}.
     * @return the algorithm
     * @throws IllegalArgumentException if there is no such algorithm; the message lists the names
     */
    public static Algorithm find(Collective collective, String name) {
        return search(collective, name).orElseThrow(() -> new IllegalArgumentException("there is no algorithm \""
                + name + "\" for " + collective.label()
                + Suggestion.withAll(name, names(collective, Algorithm.class))
                + (name.contains("@") ? "; those with chunks of 4k to 1024k, as in srm@32k, are "
                        + String.join(", ", names(collective, Chunked.class)) : "")));
    }

    /**
     * Returns the algorithm of a collective that has a given name, if there is one.
     *
     * @param collective the collective
     * @param name the algorithm's name, which may contain a length of chunks, as in {@code srm@32k}
     * @return the algorithm, or empty if there is none
     */
    public static Optional<Algorithm> search(Collective collective, String name) {
        Optional<Algorithm> named = Stream.concat(of(collective).stream(), UNLISTED.stream())
                .filter(algorithm -> algorithm.collective() == collective
                        && algorithm.description().name().equals(name))
                .findFirst();
        if (named.isPresent()) {
            return named;
        }
        String[] sides = name.split("@", 2);
        for (Algorithm algorithm : of(collective)) {
            if (sides.length == 2 && algorithm.description().name().equals(sides[0])) {
                return withChunk(algorithm, sides[1]);
            }
        }
        return Optional.empty();
    }

    private static Optional<Algorithm> withChunk(Algorithm algorithm, String text) {
        Matcher length = CHUNK.matcher(text);
        if (algorithm instanceof Chunked chunked && length.matches()) {
            long bytes = Long.parseLong(length.group(1)) * KIBIBYTE;
            if (bytes >= Chunked.CHUNK_BYTES_MIN && bytes <= Chunked.CHUNK_BYTES_MAX) {
                return Optional.of(chunked.withChunk(bytes));
            }
        }
        return Optional.empty();
    }

    private static List<String> names(Collective collective, Class<?> kind) {
        return of(collective).stream().filter(kind::isInstance).map(algorithm -> algorithm.description().name())
                .toList();
    }
}
