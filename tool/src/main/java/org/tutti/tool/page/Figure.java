/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

/**
 * A figure of a page: a record with the data of the figure. The page writes the record's components as JSON, and the
 * script that has called {@code tutti.kind} with the same kind draws them.
 */
public interface Figure {
    /** {@return the name by which a script draws such figures} */
    String kind();

    /** {@return the text above the figure} */
    String title();

    /** {@return whether the figure is as wide as the page; two other figures stand beside each other} */
    default boolean isWide() {
        return false;
    }
}
