/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Rule.Length;
import org.tutti.choice.Rule.Range;
import org.tutti.collective.Ported;

import static org.tutti.Collective.ALLGATHER;
import static org.tutti.Collective.ALLREDUCE;
import static org.tutti.Collective.ALL_TO_ALL;
import static org.tutti.Collective.BARRIER;
import static org.tutti.Collective.BROADCAST;
import static org.tutti.Collective.EXCLUSIVE_SCAN;
import static org.tutti.Collective.GATHER;
import static org.tutti.Collective.REDUCE;
import static org.tutti.Collective.REDUCE_SCATTER;
import static org.tutti.Collective.SCAN;
import static org.tutti.Collective.SCATTER;

/**
 * Chooses the algorithm by which a collective call runs. If the caller requested an algorithm, that one is used.
 * Otherwise a table of rules names the algorithm that was fastest on the machine on which Tutti was built
 * (docs/algorithms.md says why). On a node with levels, such as shared caches and sockets, the rules name the algorithm
 * that is predicted to be fastest.
 *
 * <p>A choice is immutable. It depends only on facts that are the same at all ranks, so all ranks choose the same
 * algorithm.
 */
public final class Choice {
    private static final boolean ANY = false;

    /**
     * The argument that makes a rule for nodes with levels, such as shared caches and sockets. Such rules are only for
     * communicators on a single node. The levels may differ between nodes, and ranks of several nodes would then choose
     * different algorithms.
     */
    private static final boolean LEVELS = true;

    /** The rules of all collectives. For each collective, the first rule that fits is used. */
    private static final List<Rule> RULES = List.of(
            Rule.of(BARRIER, Range.ONE, Range.ANY, LEVELS, Length.ANY, "tree"),
            Rule.of(BARRIER, Range.ONE, Range.upTo(8), ANY, Length.ANY, "flat"),
            Rule.of(BARRIER, Range.ANY, Range.ANY, ANY, Length.ANY, "srm"),

            // a shorter message spends too much of its time on the way of its first chunk, 8 KiB, down the chain
            Rule.ofSlowLinks(BROADCAST, Range.from(3), Length.fromForEachNode(4 << 10), "chain"),
            Rule.of(BROADCAST, Range.from(3), Range.ANY, ANY, Length.fromForEachNode(256 << 10), "chain"),
            Rule.of(BROADCAST, Range.from(2), Range.ANY, ANY, Length.from(256 << 10), "srm@240k"),
            Rule.of(BROADCAST, Range.from(2), Range.ANY, ANY, Length.from(128 << 10), "srm"),
            Rule.of(BROADCAST, Range.ANY, Range.ANY, ANY, Length.ANY, "slot-ring"),

            // from this length on, several chunks of 32 KiB in flight are faster, although a single one is not
            Rule.ofSlowLinks(REDUCE, Range.from(3), Length.fromForEachNode(8 << 10), "chain"),
            // with long chunks, ranks that share cores take turns less often; a shorter message waits too long for its
            // first chunk
            Rule.of(REDUCE, Range.from(2), Range.ANY, ANY, Length.fromForEachNode(256 << 10), "srm@240k"),
            Rule.of(REDUCE, Range.from(2), Range.ANY, ANY, Length.ANY, "srm"),
            Rule.of(REDUCE, Range.from(2), Range.ANY, ANY, Length.ANY, "rank-order"),
            // srm's binomial tree nests over levels of powers of two
            Rule.of(REDUCE, Range.ONE, Range.ANY, LEVELS, Length.ANY, "srm"),
            Rule.of(REDUCE, Range.ONE, Range.ANY, ANY, Length.from(256 << 10), "index-range"),
            Rule.of(REDUCE, Range.ONE, Range.ANY, ANY, Length.from(64 << 10), "srm"),
            Rule.of(REDUCE, Range.ONE, Range.ANY, ANY, Length.ANY, "flat"),

            Rule.of(ALLREDUCE, Range.from(2), Range.ANY, ANY, Length.from(64 << 10), "index-range"),
            // rabenseifner sends fewer bytes than srm in twice as many steps, which is faster from this length on
            Rule.ofSlowLinks(ALLREDUCE, Range.from(3), Length.fromForEachNode(2 << 10), "rabenseifner"),
            Rule.of(ALLREDUCE, Range.from(2), Range.ANY, ANY, Length.ANY, "srm"),
            Rule.of(ALLREDUCE, Range.from(2), Range.ANY, ANY, Length.ANY, "rank-order"),
            Rule.of(ALLREDUCE, Range.ONE, Range.ANY, LEVELS, Length.from(512), "index-radix"),
            Rule.of(ALLREDUCE, Range.ONE, Range.ANY, LEVELS, Length.ANY, "srm"),
            Rule.of(ALLREDUCE, Range.ONE, Range.ANY, ANY, Length.from(8 << 10), "index-range"),
            Rule.of(ALLREDUCE, Range.ONE, Range.from(17), ANY, Length.ANY, "srm"),
            Rule.of(ALLREDUCE, Range.ONE, Range.ANY, ANY, Length.ANY, "flat"),

            Rule.of(GATHER, Range.ANY, Range.ANY, ANY, Length.ANY, "direct"),
            Rule.of(SCATTER, Range.ANY, Range.ANY, ANY, Length.ANY, "direct"),
            // a block that lands in its target is not copied
            Rule.ofOneOnEachNode(ALLGATHER, Length.from(128 << 10), "direct"),
            // blocks of any length need one operation; each block is copied once for each node, which takes too long
            // with many nodes
            Rule.of(ALLGATHER, Range.from(2), new Range(3, 8), ANY, Length.from(1 << 20), "blocks"),
            Rule.of(ALLGATHER, Range.from(3), Range.ANY, ANY, Length.from(1 << 10), "direct"),
            Rule.of(ALLGATHER, Range.from(3), Range.ANY, ANY, Length.ANY, "standard-exchange"),
            Rule.of(ALLGATHER, Range.ANY, Range.ANY, ANY, Length.ANY, "direct"),
            Rule.ofOneOnEachNode(ALL_TO_ALL, Length.from(128 << 10), "direct"),
            // blocks of any length need one operation, which has no room for more ranks
            Rule.of(ALL_TO_ALL, Range.from(2), Range.upTo(64), ANY, Length.from(256 << 10), "blocks"),
            // below this length, the bytes that bruck sends more than once cost little beside the latency
            Rule.of(ALL_TO_ALL, Range.from(3), Range.ANY, ANY, Length.from(128), "direct"),
            Rule.of(ALL_TO_ALL, Range.from(3), Range.ANY, ANY, Length.ANY, "bruck"),
            Rule.of(ALL_TO_ALL, Range.ANY, Range.ANY, ANY, Length.ANY, "direct"),
            // with halving, a link has one sender at a time; with three nodes, bytes would cross a link twice, and with
            // eight nodes, halving is no faster
            Rule.ofSlowLinks(REDUCE_SCATTER, Range.exactly(4), Length.from(64 << 10), "halving"),
            Rule.of(REDUCE_SCATTER, Range.ANY, Range.ANY, ANY, Length.ANY, "direct"),
            Rule.of(REDUCE_SCATTER, Range.ANY, Range.ANY, ANY, Length.ANY, "rank-order"),
            Rule.of(SCAN, Range.from(2), Range.ANY, ANY, Length.ANY, "binomial"),
            Rule.of(SCAN, Range.ANY, Range.ANY, ANY, Length.ANY, "direct"),
            Rule.of(EXCLUSIVE_SCAN, Range.from(2), Range.ANY, ANY, Length.ANY, "binomial"),
            Rule.of(EXCLUSIVE_SCAN, Range.ANY, Range.ANY, ANY, Length.ANY, "direct"));

    /** The rules of calls with blocks that may differ in length. A requested rule takes precedence. */
    private static final List<Rule> RULES_OF_BLOCKS = List.of(
            Rule.of(GATHER, Range.ANY, Range.ANY, ANY, Length.ANY, "blocks"),
            Rule.of(SCATTER, Range.ANY, Range.ANY, ANY, Length.ANY, "blocks"),
            Rule.of(ALLGATHER, Range.ANY, Range.ANY, ANY, Length.ANY, "blocks"),
            Rule.of(ALL_TO_ALL, Range.ANY, Range.ANY, ANY, Length.ANY, "blocks"),
            Rule.of(REDUCE_SCATTER, Range.ANY, Range.ANY, ANY, Length.ANY, "direct"),
            Rule.of(REDUCE_SCATTER, Range.ANY, Range.ANY, ANY, Length.ANY, "rank-order"));

    /**
     * Tables of rules by name. If a user requests a table by its name, its rules take precedence over all other rules.
     * The only table has the algorithms for several nodes that Qian and Afsahi, section 7, found best on their cluster.
     * Each limit is the shortest length at which they measured the other algorithm ahead.
     */
    private static final Map<String, List<Rule>> TABLES = Map.of("qian-afsahi", List.of(
            Rule.of(GATHER, Range.from(2), Range.ANY, ANY, Length.from(512), "direct"),
            Rule.of(GATHER, Range.from(2), Range.ANY, ANY, Length.ANY, "tree"),
            Rule.of(ALLGATHER, Range.from(2), Range.ANY, ANY, Length.from(16 << 10), "direct"),
            Rule.of(ALLGATHER, Range.from(2), Range.ANY, ANY, Length.from(512), "bruck"),
            Rule.of(ALLGATHER, Range.from(2), Range.ANY, ANY, Length.ANY, "gather-and-broadcast"),
            Rule.of(ALL_TO_ALL, Range.from(2), Range.ANY, ANY, Length.from(128), "direct"),
            Rule.of(ALL_TO_ALL, Range.from(2), Range.ANY, ANY, Length.ANY, "bruck")));

    /** The choice if no algorithm was requested. */
    public static final Choice DEFAULT = new Choice(List.of(), Links.FAST, 1);

    /** The requested rules of all collectives. */
    private final List<Rule> requested;

    /** The rules in effect of each collective, by its ordinal: for equal blocks or none, and for blocks. */
    private final List<List<Rule>> rules;
    private final List<List<Rule>> rulesOfBlocks;
    private final Links links;
    private final int rails;

    private Choice(List<Rule> requested, Links links, int rails) {
        this.requested = requested;
        this.rules = inEffect(RULES, _ -> true);
        this.rulesOfBlocks = inEffect(RULES_OF_BLOCKS,
                rule -> rule.algorithm().collective().combines() || rule.bytes().equals(Length.ANY));
        this.links = links;
        this.rails = rails;
    }

    /**
     * Returns the rules that choose the algorithm of a collective if the user has requested none.
     *
     * @param collective the collective
     * @return its rules, of which the first that fits a call is used
     */
    public static List<Rule> rules(Collective collective) {
        return of(collective, RULES).toList();
    }

    private static Stream<Rule> of(Collective collective, List<Rule> rules) {
        return rules.stream().filter(rule -> rule.algorithm().collective() == collective);
    }

    /**
     * Returns the tables of rules that a user may request by name. A table has rules of several collectives.
     *
     * @return the rules of each table, by its name; the rules of a requested table take precedence over all other rules
     */
    public static Map<String, List<Rule>> tables() {
        return TABLES;
    }

    /**
     * Returns a copy of this choice that uses the named algorithms for a collective.
     *
     * @param collective the collective
     * @param names the name of the algorithm, or a list of names with ranges, as in {@link #parse}
     * @return the new choice
     * @throws IllegalArgumentException if there is no such algorithm, or a range is malformed or empty or overlaps with
     *             another
     */
    public Choice with(Collective collective, String names) {
        return preferring(RequestedRules.parse(collective, names));
    }

    /**
     * Returns a copy of this choice with the rules that a text requests before its own.
     *
     * @param text the text, as in {@link #parse}
     * @return the new choice
     * @throws IllegalArgumentException as {@link #parse} does
     */
    public Choice with(String text) {
        Choice choice = this;
        for (List<Rule> rules : RequestedRules.parse(text)) {
            choice = choice.preferring(rules);
        }
        return choice;
    }

    /** Returns a copy of this choice with other rules before its own. */
    private Choice preferring(List<Rule> first) {
        return new Choice(Stream.concat(first.stream(), requested.stream()).toList(), links, rails);
    }

    /**
     * Returns the rules of a collective, including requested ones.
     *
     * @param collective the collective
     * @return its rules; the first rule that fits a call is used
     */
    public List<Rule> inEffect(Collective collective) {
        return rules.get(collective.ordinal());
    }

    /**
     * Returns the rules of a collective for calls with blocks that may differ in length, including requested ones. If
     * the collective combines nothing, the ranks do not know the lengths of all blocks. Therefore rules for some
     * lengths only are left out.
     *
     * @param collective the collective
     * @return its rules; the first rule that fits a call is used
     */
    public List<Rule> inEffectForBlocks(Collective collective) {
        return rulesOfBlocks.get(collective.ordinal());
    }

    /**
     * Returns the rule that chooses the algorithm of a call.
     *
     * @param collective the collective that is called
     * @param topology the nodes on which the communicator's ranks run
     * @param bytes the length of the message, in bytes
     * @param operatorCommutes whether the operator commutes; true if nothing is combined
     * @return the first of the {@linkplain #inEffect(Collective) rules in effect} that fits; empty if the requested
     *         algorithm does not keep the order of ranks that the operator needs
     */
    public Optional<Rule> rule(Collective collective, Topology topology, long bytes, boolean operatorCommutes) {
        return inEffect(collective).stream()
                .filter(rule -> rule.fits(topology, links, operatorCommutes)
                        && bytes >= rule.bytes().least(topology.nodes()) && bytes < rule.bytes().end())
                .findFirst();
    }

    private List<List<Rule>> inEffect(List<Rule> table, Predicate<Rule> isUsable) {
        List<Rule> usable = requested.stream().filter(isUsable).toList();
        return Arrays.stream(Collective.values()).map(collective -> inEffect(collective, usable, table)).toList();
    }

    /** Returns the requested rules and those of a table; no rule follows the first requested one that fits all. */
    private static List<Rule> inEffect(Collective collective, List<Rule> requested, List<Rule> table) {
        List<Rule> own = of(collective, requested).toList();
        int last = IntStream.range(0, own.size()).filter(i -> own.get(i).fitsAll()).findFirst().orElse(-1);
        return last >= 0 ? own.subList(0, last + 1) : Stream.concat(own.stream(), of(collective, table)).toList();
    }

    /**
     * Returns a copy of this choice for links of a certain speed between the nodes.
     *
     * @param present the links
     * @return the new choice
     */
    public Choice over(Links present) {
        return new Choice(requested, present, rails);
    }

    /**
     * Returns a copy of this choice for a number of rails, the connections between two processes. A {@link Ported}
     * algorithm that is chosen without a number of ports has as many ports as there are rails.
     *
     * @param count the number of rails, 1 to {@link Ported#PORTS_MAX}
     * @return the new choice
     */
    public Choice withRails(int count) {
        return new Choice(requested, links, count);
    }

    /** {@return the links between nodes for which this choice is made} */
    public Links links() {
        return links;
    }

    /**
     * Returns the choice that a user requests by a text, such as {@code allreduce=srm:0-64k,index-range:64k-} or
     * {@code allreduce=flat,barrier=srm}. An entry names a collective and an algorithm.
     *
     * <ul>
     * <li>A range of message bytes may follow the algorithm. Its end is exclusive. Without a range the algorithm is for
     * all lengths. An entry with a range and without a collective is for the collective of the entry before; ranges of
     * such a list must not overlap.
     * <li>A layout may precede the collective: {@code 4x2:allreduce=srm} is for communicators of 8 ranks on 4 nodes.
     * <li>An entry may also be the name of a table of rules.
     * <li>Later entries take precedence over earlier ones. The rules of Tutti choose for all other calls, and for
     * operators for which an algorithm with a range or layout does not keep the order of the ranks.
     * </ul>
     *
     * @param text the value of an environment variable; it may be empty
     * @return the choice
     * @throws IllegalArgumentException if the text cannot be parsed, or names an unknown collective, algorithm or table
     */
    public static Choice parse(String text) {
        return DEFAULT.with(text);
    }

    /**
     * Returns the rules that can apply to calls on a communicator, which depend on the nodes of its ranks.
     *
     * @param topology the nodes on which the communicator's ranks run
     * @return the rules from which the calls on the communicator choose
     */
    public Shortlist shortlist(Topology topology) {
        return new Shortlist(topology, links, rails, this);
    }
}
