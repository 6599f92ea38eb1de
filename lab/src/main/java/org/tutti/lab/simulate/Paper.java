/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import org.tutti.lab.simulate.PaperFigures.Contender;
import org.tutti.lab.simulate.PaperFigures.Layout;
import org.tutti.tool.UsageException;

import static org.tutti.Collective.ALLGATHER;
import static org.tutti.Collective.ALLREDUCE;
import static org.tutti.Collective.ALL_TO_ALL;
import static org.tutti.Collective.BARRIER;
import static org.tutti.Collective.BROADCAST;
import static org.tutti.Collective.GATHER;
import static org.tutti.Collective.REDUCE;
import static org.tutti.Collective.SCATTER;

/**
 * The papers whose experiments are predicted: for each experiment the paper's algorithm, beside the paper's baseline,
 * on a model of the paper's cluster.
 *
 * <p>Baselines of messages are algorithms in which each rank counts as a node, so ranks of one host send each other
 * messages, too. A message costs as much as one of Tutti's puts. Message passing costs more, because it matches tags
 * and copies early messages, so the time of a baseline is a lower bound.
 */
enum Paper {
    /**
     * Tipparaju, Nieplocha and Panda 2003, figures 6 to 12: 16 to 256 processors on nodes of 16, 8 B to 8 MB. The
     * baseline is MPI over binomial trees of messages, as MPICH had it; its allreduce is a reduce and a broadcast.
     */
    SRM("colony") {
        private static final List<Long> SIZES = sizes(8, 8 << 20, 4);

        @Override
        void predict(PaperFigures figures) {
            Contender srm = Contender.ofNodes("SRM", "srm");
            Contender tree = Contender.ofRanks("messages", "srm");
            Contender halving = Contender.ofRanks("messages", "halving");
            List<Layout> layouts = layouts(16, 16, 32, 64, 128, 256);
            Layout all = layouts.getLast();
            figures.overBytes(BROADCAST, all, SIZES, List.of(srm, tree));
            figures.overBytes(REDUCE, all, SIZES, List.of(srm, tree));
            figures.overBytes(ALLREDUCE, all, SIZES, List.of(srm, halving));
            figures.endRow();
            figures.percentOverBytes(BROADCAST, layouts, SIZES, srm, tree);
            figures.percentOverBytes(REDUCE, layouts, SIZES, srm, tree);
            figures.percentOverBytes(ALLREDUCE, layouts, SIZES, srm, halving);
            figures.endRow();
            figures.overRanks(BARRIER, 0, layouts, List.of(srm, tree));
        }
    },

    /**
     * Cheng, figure 1: the global sum of one element on up to 256 processors of hypernodes of 16. The baseline is MPI
     * over trees of messages that know no nodes.
     */
    CHENG("exemplar") {
        @Override
        void predict(PaperFigures figures) {
            figures.overRanks(ALLREDUCE, Double.BYTES, layouts(16, 2, 4, 8, 16, 32, 64, 128, 256), List.of(
                    Contender.ofNodes("Cheng", "cheng"),
                    Contender.ofRanks("binary message tree", "srm-binary"),
                    Contender.ofRanks("binomial message tree", "halving"),
                    Contender.ofNodes("SRM", "srm")));
        }
    },

    /**
     * Schutt and Brightwell 2007: all collectives of the library on 128 nodes with one rank each. The baselines are the
     * algorithms of MPICH 1.2.6 for short and for long messages.
     */
    PORTALS("redstorm") {
        private static final List<Long> SIZES = sizes(8, 1 << 20, 4);
        private static final List<Long> BLOCKS = sizes(8, 32 << 10, 4);

        @Override
        void predict(PaperFigures figures) {
            Layout all = new Layout(128, 1);
            Contender portals = Contender.ofNodes("Portals", "halving");
            figures.overRanks(BARRIER, 0, layouts(1, 2, 4, 8, 16, 32, 64, 128),
                    List.of(portals, Contender.ofNodes("MPICH in pairs", "srm")));
            figures.overBytes(BROADCAST, all, SIZES, List.of(portals, Contender.ofNodes("MPICH binomial", "srm"),
                    Contender.ofNodes("MPICH long", "scatter-allgather")));
            figures.overBytes(REDUCE, all, SIZES, List.of(portals, Contender.ofNodes("MPICH binomial", "srm")));
            figures.endRow();
            figures.overBytes(ALLREDUCE, all, SIZES, List.of(portals,
                    Contender.ofNodes("MPICH doubling", "recursive-doubling"),
                    Contender.ofNodes("MPICH long", "rabenseifner")));
            figures.overBytes(ALLGATHER, all, BLOCKS, List.of(portals,
                    Contender.ofNodes("MPICH doubling", "standard-exchange@1-ports"),
                    Contender.ofNodes("MPICH long", "ring")));
            List<Contender> ofRoots = List.of(portals, Contender.ofNodes("MPICH binomial", "tree@1-ports"),
                    Contender.ofNodes("direct", "direct"));
            figures.overBytes(GATHER, all, BLOCKS, ofRoots);
            figures.endRow();
            figures.overBytes(SCATTER, all, BLOCKS, ofRoots);
            figures.endRow();
        }
    },

    /**
     * Qian and Afsahi 2008, figures 9 to 11: 16 processors on four nodes with two rails, traditional and SMP-aware
     * algorithms with one port and, dashed, with two. The baselines are the algorithms of the native library, which
     * have one port and use one rail (section 3.1): a tree or an exchange of all processes for medium messages, and of
     * nodes for short ones.
     */
    QIAN_AFSAHI("qsnet2") {
        private static final List<Long> SIZES = sizes(8, 32 << 10, 2);

        @Override
        void predict(PaperFigures figures) {
            Layout all = new Layout(4, 4);
            figures.overBytes(GATHER, all, SIZES, contenders("tree", List.of("tree", "direct"), List.of("direct")));
            figures.overBytes(ALL_TO_ALL, all, SIZES,
                    contenders("direct", List.of("bruck", "direct"), List.of("direct")));
            figures.overBytes(ALLGATHER, all, SIZES, contenders("gather-and-broadcast", List.of("direct"),
                    List.of("gather-and-broadcast", "bruck", "direct")));
            figures.endRow();
        }

        private static List<Contender> contenders(String nativeOne, List<String> flat, List<String> ofNodes) {
            List<Contender> contenders = new ArrayList<>(List.of(
                    Contender.ofRanks("native of processes", nativeOne + "@1-ports"),
                    Contender.ofNodes("native of nodes", nativeOne + "@1-ports")));
            flat.forEach(name -> forPorts(ports -> Contender.ofRanks("flat " + name + " k=" + ports,
                    name + "@" + ports + "-ports"), contenders));
            ofNodes.forEach(name -> forPorts(ports -> Contender.ofNodes(name.replace("-and-", "+") + " k=" + ports,
                    name + "@" + ports + "-ports"), contenders));
            return contenders;
        }

        private static void forPorts(IntFunction<Contender> contender, List<Contender> contenders) {
            contenders.add(contender.apply(1).over(2));
            contenders.add(contender.apply(2).over(2).dashed());
        }
    };

    private final String model;

    Paper(String model) {
        this.model = model;
    }

    /**
     * Finds a paper.
     *
     * @param label its name on the command line
     * @return the paper
     */
    static Paper of(String label) {
        return Stream.of(values()).filter(each -> each.label().equals(label)).findFirst()
                .orElseThrow(() -> new UsageException("there are no experiments of \"" + label + "\"; name one of "
                        + Stream.of(values()).map(Paper::label).collect(Collectors.joining(", "))));
    }

    /** Predicts the experiments. */
    abstract void predict(PaperFigures figures);

    /** {@return the name on the command line} */
    String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the name of the model of the paper's cluster} */
    String model() {
        return model;
    }

    private static List<Long> sizes(long least, long most, long factor) {
        return LongStream.iterate(least, size -> size <= most, size -> size * factor).boxed().toList();
    }

    private static List<Layout> layouts(int ranksPerHost, Integer... ranks) {
        return Stream.of(ranks).map(all -> Layout.of(all, ranksPerHost)).toList();
    }
}
