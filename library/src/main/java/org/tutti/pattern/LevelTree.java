/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/**
 * A tree that follows the levels of a node, such as shared caches and sockets. Consecutive positions form groups, and
 * groups form greater groups, up to one group of all positions. Each group has a leader. The leader is the root if the
 * root is in the group, otherwise the group's first position. The parent of a position is the leader of the smallest
 * group that the position does not lead.
 *
 * <pre>
 *  12 positions, groups of 2 in groups of 4, root 5:
 *     5 → 4       its group of 2
 *     5 → 6       its group of 4      6 → 7
 *     5 → 8, 0    the top             8 → 9, 10   10 → 11   0 → 1, 2   2 → 3
 * </pre>
 *
 * <p>Without levels, every other position is a child of the root.
 *
 * <p>The children of a position are listed from the smallest group to the greatest. In each group the positions above
 * come first, in ascending order, and then the positions below, in descending order. The subtree of every child covers
 * consecutive positions next to those of the children before it. Therefore a position keeps the order of positions, for
 * every root, if it combines with its children one after the other, each on its side.
 */
public final class LevelTree implements RootedTree {
    private final int[] groups;

    /**
     * Creates a tree over groups of consecutive positions, for example of ranks that share a cache.
     *
     * @param groups the number of positions of a group, for each level from the smallest groups to the greatest. Each
     *            number is a multiple of the one before. If there are no numbers, all other positions are children of
     *            the root.
     */
    public LevelTree(int... groups) {
        this.groups = groups.clone();
    }

    /** {@return whether the only group is the group of all positions} */
    public boolean isFlat() {
        return groups.length == 0;
    }

    @Override
    public int parent(int position, int root, int size) {
        for (int group : groups) {
            int leader = leader(position, group, root);
            if (leader != position) {
                return leader;
            }
        }
        return root;
    }

    @Override
    public int children(int position, int root, int size) {
        if (isFlat()) {
            return position == root ? size - 1 : 0;
        }
        int children = 0;
        for (int level = 0; level <= groups.length && leads(position, level, root); level++) {
            children += members(position, level, size) - 1;
        }
        return children;
    }

    @Override
    public int child(int position, int index, int root, int size) {
        if (isFlat()) { // a short cut without divisions, because short reductions come here
            return index < size - 1 - position ? position + 1 + index : size - 2 - index;
        }
        int level = 0;
        int left = index;
        for (int others = members(position, 0, size) - 1; left >= others; others = members(position, level, size) - 1) {
            left -= others;
            level++;
        }
        int inner = inner(level);
        int own = position / inner;
        int first = start(position, level, size) / inner;
        int above = first + members(position, level, size) - 1 - own;
        int group = left < above ? own + 1 + left : own - 1 - (left - above);
        return leader(group * inner, inner, root);
    }

    private boolean leads(int position, int level, int root) {
        return (level == groups.length ? root : leader(position, groups[level], root)) == position;
    }

    /** Returns the number of groups of the level below that are in a position's group of a level. */
    private int members(int position, int level, int size) {
        int inner = inner(level);
        int start = start(position, level, size);
        int end = (int) Math.min(size, (long) start + outer(level, size));
        return (end - start + inner - 1) / inner;
    }

    private int start(int position, int level, int size) {
        int outer = outer(level, size);
        return position / outer * outer;
    }

    private int inner(int level) {
        return level == 0 ? 1 : groups[level - 1];
    }

    private int outer(int level, int size) {
        return level == groups.length ? size : groups[level];
    }

    private static int leader(int position, int group, int root) {
        int start = position / group * group;
        return root >= start && root < start + group ? root : start;
    }
}
