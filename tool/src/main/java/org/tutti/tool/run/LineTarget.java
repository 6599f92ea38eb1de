/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

/** Where lines of output go. */
@FunctionalInterface
interface LineTarget {
    /**
     * Takes bytes: whole lines, but for the last line of an output and pieces of an overlong one. May wait.
     *
     * @param writer whose they are
     * @param tag what each line is preceded by
     * @param bytes holds them
     * @param from the index of the first
     * @param to the index after the last
     */
    void write(Object writer, byte[] tag, byte[] bytes, int from, int to);
}
