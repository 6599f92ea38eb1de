/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/** The chain. Every position except the last has one child, the next position. The height is size − 1. */
public final class ChainTree implements Tree {
    /** The only instance; it has no state. */
    public static final ChainTree INSTANCE = new ChainTree();

    private ChainTree() {}

    @Override
    public int parent(int position, int size) {
        return position - 1;
    }

    @Override
    public int children(int position, int size) {
        return position + 1 < size ? 1 : 0;
    }

    @Override
    public int child(int position, int index, int size) {
        return position + 1;
    }

    @Override
    public int indexAtParent(int position, int size) {
        return 0;
    }
}
