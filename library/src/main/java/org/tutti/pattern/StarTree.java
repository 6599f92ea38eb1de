/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

/** The star, in which all other positions are children of the root. */
public final class StarTree implements Tree {
    /** The only instance; it has no state. */
    public static final StarTree INSTANCE = new StarTree();

    private StarTree() {}

    @Override
    public int parent(int position, int size) {
        return 0;
    }

    @Override
    public int children(int position, int size) {
        return position == 0 ? size - 1 : 0;
    }

    @Override
    public int child(int position, int index, int size) {
        return index + 1;
    }

    @Override
    public int indexAtParent(int position, int size) {
        return position - 1;
    }
}
