/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import org.tutti.Section;

/**
 * Walks over two sections of the same length at once, in pieces that lie in one run of each. Used again and again, so
 * that transfers allocate nothing.
 */
final class SectionPieces {
    private Section part;
    private Section other;
    private long partRun;
    private long otherRun;
    private long partDone;
    private long otherDone;
    private long partOffset;
    private long otherOffset;
    private long length;

    void begin(Section ofPart, Section ofOther) {
        part = ofPart;
        other = ofOther;
        partRun = 0;
        otherRun = 0;
        partDone = 0;
        otherDone = 0;
        length = 0;
    }

    /** Goes to the next piece; returns whether there is one. */
    boolean next() {
        partDone += length;
        otherDone += length;
        while (partRun < part.runs() && partDone == part.bytesOf(partRun)) {
            partRun++;
            partDone = 0;
        }
        while (otherRun < other.runs() && otherDone == other.bytesOf(otherRun)) {
            otherRun++;
            otherDone = 0;
        }
        if (partRun == part.runs()) {
            return false;
        }
        partOffset = part.offsetOf(partRun) + partDone;
        otherOffset = other.offsetOf(otherRun) + otherDone;
        length = Math.min(part.bytesOf(partRun) - partDone, other.bytesOf(otherRun) - otherDone);
        return true;
    }

    /** Where the piece lies in the part. */
    long partOffset() {
        return partOffset;
    }

    /** Where it lies in the caller's memory. */
    long otherOffset() {
        return otherOffset;
    }

    long length() {
        return length;
    }
}
