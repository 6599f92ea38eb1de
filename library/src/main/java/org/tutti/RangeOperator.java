/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.foreign.MemorySegment;

/**
 * A user-defined operator on ranges of elements. Collectives such as an allreduce use it to combine the elements of all
 * ranks. It must be associative, because Tutti may combine neighbouring results in any grouping. Unless it was declared
 * commutative, its left operand always comes from lower ranks than its right operand.
 */
@FunctionalInterface
public interface RangeOperator {
    /**
     * Combines two ranges element by element: {@code result[i] = left[i] op right[i]}. The three ranges have the same
     * length. {@code result} is the same memory as {@code left} or {@code right}, or overlaps neither. The ranges may
     * have any alignment, so the operator must use unaligned layouts.
     *
     * @param left the elements that come from lower ranks
     * @param right the elements that come from higher ranks
     * @param result the memory to which the combined elements are written
     * @param count the number of elements of each range. If several elements form a unit, for example a complex number,
     *            each of them counts.
     */
    void combine(MemorySegment left, MemorySegment right, MemorySegment result, long count);
}
