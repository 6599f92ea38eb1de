/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Chunked;
import org.tutti.collective.Ported;
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
import org.tutti.collective.barrier.ChengBarrier;
import org.tutti.collective.barrier.FlatBarrier;
import org.tutti.collective.barrier.HalvingBarrier;
import org.tutti.collective.barrier.SrmBarrier;
import org.tutti.collective.barrier.TreeBarrier;
import org.tutti.collective.blocks.AnyBlocksAlgorithm;
import org.tutti.collective.blocks.SubtreeAlgorithm.Shape;
import org.tutti.collective.broadcast.ChainBroadcast;
import org.tutti.collective.broadcast.ChengBroadcast;
import org.tutti.collective.broadcast.ScatterAllgatherBroadcast;
import org.tutti.collective.broadcast.SlotRingBroadcast;
import org.tutti.collective.broadcast.SrmBroadcast;
import org.tutti.collective.gather.DirectGather;
import org.tutti.collective.gather.TreeGather;
import org.tutti.collective.reduce.ChainReduce;
import org.tutti.collective.reduce.ChengReduce;
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
import org.tutti.collective.stage.ChengMasters;

/** The list of all algorithms. A new algorithm must be added here. The tests run every algorithm of this list. */
public final class Catalogue {
    private static final Map<Collective, List<Algorithm>> ALGORITHMS = Stream.of(
            new SrmBarrier(), new FlatBarrier(), new TreeBarrier(), new HalvingBarrier(),
            new ChengBarrier(ChengMasters.FIXED), new ChengBarrier(ChengMasters.DRAWN),
            SrmBroadcast.BINOMIAL, SrmBroadcast.BINOMIAL_IN_NODES, SrmBroadcast.BINARY, SrmBroadcast.FIBONACCI,
            SrmBroadcast.HALVING,
            new ChainBroadcast(), new SlotRingBroadcast(), new ScatterAllgatherBroadcast(),
            new ChengBroadcast(ChengMasters.FIXED), new ChengBroadcast(ChengMasters.DRAWN),
            new FlatReduce(), SrmReduce.BINOMIAL, SrmReduce.BINARY, SrmReduce.FIBONACCI, SrmReduce.HALVING,
            new ChainReduce(), new IndexRangeReduce(),
            new ChengReduce(ChengMasters.FIXED), new ChengReduce(ChengMasters.DRAWN), new RankOrderReduce(),
            new FlatAllreduce(), SrmAllreduce.BINOMIAL, SrmAllreduce.BINARY, SrmAllreduce.FIBONACCI,
            SrmAllreduce.HALVING, new ChengAllreduce(ChengMasters.FIXED), new ChengAllreduce(ChengMasters.DRAWN),
            new RecursiveDoublingAllreduce(), new RabenseifnerAllreduce(), new RingAllreduce(),
            new IndexRangeAllreduce(), new IndexRadixAllreduce(), new RankOrderAllreduce(),
            new DirectGather(), new TreeGather(Shape.BINOMIAL), new TreeGather(Shape.nomial(3)),
            new TreeGather(Shape.HALVING),
            new AnyBlocksAlgorithm(Collective.GATHER),
            new DirectScatter(), new TreeScatter(Shape.BINOMIAL), new TreeScatter(Shape.nomial(3)),
            new TreeScatter(Shape.HALVING),
            new AnyBlocksAlgorithm(Collective.SCATTER), new DirectAllgather(),
            new RingAllgather(), new BruckAllgather(), new BruckAllgather(3), new StandardExchangeAllgather(),
            new StandardExchangeAllgather(3), GatherBroadcastAllgather.HALVING,
            new GatherBroadcastAllgather(), new GatherBroadcastAllgather(3), GatherBroadcastAllgather.DIRECT,
            new AnyBlocksAlgorithm(Collective.ALLGATHER),
            new DirectAllToAll(), new BruckAllToAll(), new BruckAllToAll(3), new StandardExchangeAllToAll(),
            new StandardExchangeAllToAll(3), new AggregatedAllToAll(), new AnyBlocksAlgorithm(Collective.ALL_TO_ALL),
            new DirectReduceScatter(), new PairwiseReduceScatter(), new HalvingReduceScatter(),
            new HalvingReduceScatter(3), new RankOrderReduceScatter(), new DirectScan(false), new DirectScan(true),
            new DoublingScan(false), new DoublingScan(true), new BinomialScan(false), new BinomialScan(true))
            .collect(Collectors.groupingBy(Algorithm::collective));

    /** Algorithms of {@link #ALGORITHMS} with other numbers of ports. */
    private static final List<Algorithm> UNLISTED = Arrays.stream(Collective.values())
            .flatMap(collective -> of(collective).stream()).filter(Catalogue::hasPortsByName)
            .flatMap(algorithm -> IntStream.rangeClosed(2, Ported.PORTS_MAX).mapToObj(((Ported) algorithm)::withPorts))
            .filter(algorithm -> !names(algorithm.collective(), Algorithm.class)
                    .contains(algorithm.description().name()))
            .toList();

    /** The number of ports, which follows the @ in an algorithm's name. */
    private static final Pattern PORTS = Pattern.compile("([1-" + Ported.PORTS_MAX + "])-ports");

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
     *            follow, as in {@code srm@32k}. If it is {@link Ported}, the number of ports may follow, as in {@code
     *            bruck@2-ports}.
     * @return the algorithm
     * @throws IllegalArgumentException if there is no such algorithm; the message lists the names
     */
    public static Algorithm find(Collective collective, String name) {
        return search(collective, name).orElseThrow(() -> new IllegalArgumentException("there is no algorithm \""
                + name + "\" for " + collective.label()
                + Suggestion.withAll(name, names(collective, Algorithm.class))
                + (name.contains("@") ? variants(collective) : "")));
    }

    private static String variants(Collective collective) {
        List<String> chunked = names(collective, Chunked.class);
        List<String> ported = of(collective).stream().filter(Catalogue::hasPortsByName)
                .map(algorithm -> algorithm.description().name()).toList();
        return (chunked.isEmpty() ? "" : "; those with chunks of 4k to 1024k, as in srm@32k, are "
                + String.join(", ", chunked))
                + (ported.isEmpty() ? "" : "; those with 1 to " + Ported.PORTS_MAX + " ports, as in "
                        + ported.getFirst() + "@2-ports, are " + String.join(", ", ported));
    }

    private static boolean hasPortsByName(Algorithm algorithm) {
        String name = algorithm.description().name();
        return algorithm instanceof Ported ported && !name.contains("@")
                && !ported.withPorts(1).description().name().equals(name);
    }

    /**
     * Returns the algorithm of a collective that has a given name, if there is one.
     *
     * @param collective the collective
     * @param name the algorithm's name, which may contain a length of chunks or a number of ports
     * @return the algorithm, or empty if there is none
     */
    public static Optional<Algorithm> search(Collective collective, String name) {
        Optional<Algorithm> named = listed(collective, name);
        String[] sides = name.split("@", 2);
        return named.isPresent() || sides.length < 2 ? named
                : listed(collective, sides[0]).flatMap(algorithm -> withPorts(algorithm, sides[1])
                        .or(() -> withChunk(algorithm, sides[1])));
    }

    private static Optional<Algorithm> listed(Collective collective, String name) {
        return of(collective).stream().filter(algorithm -> algorithm.description().name().equals(name)).findFirst();
    }

    private static Optional<Algorithm> withPorts(Algorithm algorithm, String text) {
        Matcher ports = PORTS.matcher(text);
        return ports.matches() && hasPortsByName(algorithm)
                ? Optional.of(withPorts(algorithm, Integer.parseInt(ports.group(1))))
                : Optional.empty();
    }

    /**
     * Returns the variant of an algorithm with a number of ports.
     *
     * @return the variant; the algorithm itself if it is not {@link Ported} or its name has a number of ports
     */
    static Algorithm withPorts(Algorithm algorithm, int ports) {
        if (!hasPortsByName(algorithm)) {
            return algorithm;
        }
        Algorithm found = ((Ported) algorithm).withPorts(ports);
        return Stream.concat(of(found.collective()).stream(), UNLISTED.stream())
                .filter(each -> each.collective() == found.collective()
                        && each.description().name().equals(found.description().name()))
                .findFirst().orElse(found);
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
