/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

/** Takes lines of output. */
@FunctionalInterface
interface LineTarget {
    /**
     * Takes bytes: whole lines, except the last line of an output and pieces of an overlong line. May wait.
     *
     * @param writer identifies the writer of the bytes
     * @param tag precedes each line
     * @param bytes holds the lines
     * @param from the index of the first byte
     * @param to the index after the last byte
     */
    void write(Object writer, byte[] tag, byte[] bytes, int from, int to);
}
