/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

/**
 * Memory of a rank on another node that this rank may put into and get from while the current operation lasts, as that
 * rank has {@linkplain Team#invite told}. Moved rather than made anew, as an {@link Area} is.
 */
public final class Target {
    private int process;
    private long region;
    private long offset;
    private long bytes;

    void set(int newProcess, long newRegion, long newOffset, long newBytes) {
        process = newProcess;
        region = newRegion;
        offset = newOffset;
        bytes = newBytes;
    }

    /**
     * {@return how many bytes of it may be used: so who puts a long message into a short window knows where to begin
     * again}
     */
    public long bytes() {
        return bytes;
    }

    int process() {
        return process;
    }

    long region() {
        return region;
    }

    long offset() {
        return offset;
    }
}
