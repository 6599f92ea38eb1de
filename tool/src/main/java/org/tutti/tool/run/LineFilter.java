/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

/** Keeps lines of a process's output from being passed on. */
@FunctionalInterface
interface LineFilter {
    /** {@return whether this line is not to be passed on} */
    boolean take(byte[] bytes, int from, int to);
}
