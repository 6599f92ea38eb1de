/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

/** Keeps lines of a process's output from being passed on as they are. */
interface LineFilter {
    /** What is passed on instead of a line that is left out. */
    byte[] NOTHING = {};

    /** {@return what is to be passed on instead of a line; null for the line as it is} */
    byte[] take(byte[] bytes, int from, int to);

    /** {@return what is to be passed on when there are no more lines} */
    default byte[] end() {
        return NOTHING;
    }
}
