/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

/** Replaces or drops lines of a process's output. */
interface LineFilter {
    /** The replacement of a line that is dropped. */
    byte[] NOTHING = {};

    /** {@return the replacement of a line, or null to pass the line on as it is} */
    byte[] take(byte[] bytes, int from, int to);

    /**
     * {@return a filter that gives lines to another filter unless this one replaces them; this filter holds no lines
     * back}
     */
    default LineFilter or(LineFilter other) {
        return new LineFilter() {
            @Override
            public byte[] take(byte[] bytes, int from, int to) {
                var instead = LineFilter.this.take(bytes, from, to);
                return instead != null ? instead : other.take(bytes, from, to);
            }

            @Override
            public byte[] end() {
                LineFilter.this.end();
                return other.end();
            }
        };
    }

    /** {@return the bytes to pass on after the last line} */
    default byte[] end() {
        return NOTHING;
    }
}
