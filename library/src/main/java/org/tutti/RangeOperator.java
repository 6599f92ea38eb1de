/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;

/**
 * A user's operator over ranges of elements. It must be associative: Tutti may combine neighbouring results in any
 * grouping. Unless it was declared commutative, its left operand always comes from lower ranks than its right one.
 */
@FunctionalInterface
public interface RangeOperator {
    /**
     * Combines two ranges element by element: {@code result[i] = left[i] op right[i]}. The three ranges have the same
     * length; {@code result} may be the same memory as {@code left} or as {@code right}, and otherwise does not overlap
     * them. Nothing is promised about alignment: use unaligned layouts.
     *
     * @param left the elements that come from lower ranks
     * @param right the elements that come from higher ranks
     * @param result where the combination goes
     * @param count how many elements (of the data type, not units) the ranges have
     */
    void combine(MemorySegment left, MemorySegment right, MemorySegment result, long count);
}
