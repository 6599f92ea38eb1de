/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.util.List;
import java.util.Locale;

/**
 * The collective operations. Each has several algorithms, which {@code tutti info --algorithms} lists. {@link
 * Communicator#withAlgorithm} selects one by its name, or several for ranges of message bytes that do not overlap:
 * {@code srm:0-64k,index-range:64k-} is {@code srm} below 64 KiB and {@code index-range} from there on. Numbers are
 * bytes, KiB ({@code k}) or MiB ({@code m}), 0 or more; the end of a range is exclusive. They count the elements of a
 * call at a rank or, if the collective has blocks, those of one block. For other sizes the choice remains as it was.
 *
 * <p>In calls with {@link Blocks}, a reduce-scatter counts the bytes of the longest block. The other collectives do not
 * use algorithms for a range, because a rank does not know the lengths of all blocks. An algorithm without a range
 * moves the first 248 bytes of each block, and {@code blocks} moves the rest of longer blocks.
 */
public enum Collective {
    /** No rank leaves before all ranks have entered. */
    BARRIER,
    /** The root's elements reach every rank. */
    BROADCAST(Trait.ROOT, Trait.OTHERS_RECEIVE),
    /** The combination of every rank's elements reaches the root. */
    REDUCE(Trait.ROOT, Trait.ROOT_RECEIVES, Trait.COMBINES),
    /** The combination of every rank's elements reaches every rank. */
    ALLREDUCE(Trait.ROOT_RECEIVES, Trait.OTHERS_RECEIVE, Trait.COMBINES),
    /** The blocks of all ranks reach the root. */
    GATHER(Trait.ROOT, Trait.ROOT_RECEIVES, Trait.TARGET_HAS_BLOCKS),
    /** Each rank receives its own block of the root's elements. */
    SCATTER(Trait.ROOT, Trait.ROOT_RECEIVES, Trait.OTHERS_RECEIVE, Trait.SOURCE_HAS_BLOCKS),
    /** The blocks of all ranks reach every rank. */
    ALLGATHER(Trait.ROOT_RECEIVES, Trait.OTHERS_RECEIVE, Trait.TARGET_HAS_BLOCKS),
    /** Each rank receives its own block of every rank's elements. */
    ALL_TO_ALL(Trait.ROOT_RECEIVES, Trait.OTHERS_RECEIVE, Trait.SOURCE_HAS_BLOCKS, Trait.TARGET_HAS_BLOCKS),
    /** Each rank receives its own block of the combination of every rank's elements. */
    REDUCE_SCATTER(Trait.ROOT_RECEIVES, Trait.OTHERS_RECEIVE, Trait.COMBINES, Trait.SOURCE_HAS_BLOCKS),
    /** The combination of the elements of a rank and of all ranks before it reaches that rank. */
    SCAN(Trait.ROOT_RECEIVES, Trait.OTHERS_RECEIVE, Trait.COMBINES),
    /** The combination of the elements of all ranks before a rank reaches that rank. */
    EXCLUSIVE_SCAN(Trait.OTHERS_RECEIVE, Trait.COMBINES);

    /** The properties of a collective. If it has no root, rank 0 counts as the root. */
    private enum Trait {
        ROOT, ROOT_RECEIVES, OTHERS_RECEIVE, COMBINES, SOURCE_HAS_BLOCKS, TARGET_HAS_BLOCKS
    }

    private final String label;
    private final boolean hasRoot;
    private final boolean rootReceives;
    private final boolean othersReceive;
    private final boolean combines;
    private final boolean sourceHasBlocks;
    private final boolean targetHasBlocks;

    Collective(Trait... traits) {
        this.label = name().toLowerCase(Locale.ROOT).replace('_', '-');
        List<Trait> all = List.of(traits);
        this.hasRoot = all.contains(Trait.ROOT);
        this.rootReceives = all.contains(Trait.ROOT_RECEIVES);
        this.othersReceive = all.contains(Trait.OTHERS_RECEIVE);
        this.combines = all.contains(Trait.COMBINES);
        this.sourceHasBlocks = all.contains(Trait.SOURCE_HAS_BLOCKS);
        this.targetHasBlocks = all.contains(Trait.TARGET_HAS_BLOCKS);
    }

    /**
     * {@return the name in options, messages and environment variables: lower case, with hyphens}
     */
    public String label() {
        return label;
    }

    /**
     * {@return whether the operation moves or combines elements}
     */
    public boolean hasElements() {
        return rootReceives || othersReceive;
    }

    /**
     * {@return whether one of the ranks is the root}
     */
    public boolean hasRoot() {
        return hasRoot;
    }

    /**
     * {@return whether the operation combines elements with an operator}
     */
    public boolean combines() {
        return combines;
    }

    /**
     * {@return whether the source or the target of a rank has a block for each rank}
     */
    public boolean hasBlocks() {
        return sourceHasBlocks || targetHasBlocks;
    }

    /**
     * Returns whether the data that a rank sends consist of a block for each rank, as at the root of a scatter, rather
     * than of a single block.
     *
     * @param rank the rank that sends
     * @param root the root of the operation, 0 if the operation has none
     * @return whether the source has a block for each rank
     */
    public boolean sourceHasBlocks(int rank, int root) {
        return sourceHasBlocks && (!hasRoot || rank == root);
    }

    /**
     * Returns whether the data that a rank receives consist of a block from each rank, as at the root of a gather,
     * rather than of a single block.
     *
     * @param rank the rank that receives
     * @param root the root of the operation, 0 if the operation has none
     * @return whether the target has a block from each rank
     */
    public boolean targetHasBlocks(int rank, int root) {
        return targetHasBlocks && (!hasRoot || rank == root);
    }

    /**
     * Returns whether a rank receives a result of the operation, which is then written to the target that it has
     * passed.
     *
     * @param rank the rank
     * @param root the root of the operation, 0 if the operation has none
     * @return whether the rank receives a result
     */
    public boolean receives(int rank, int root) {
        return rank == root ? rootReceives : othersReceive;
    }
}
