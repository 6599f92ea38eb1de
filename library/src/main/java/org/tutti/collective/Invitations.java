/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.util.Arrays;

/**
 * The caller's memory that other nodes may reach while an operation lasts.
 */
final class Invitations {
    private final Machine machine;
    private long[] regions = new long[1];
    private int count;

    Invitations(Machine machine) {
        this.machine = machine;
    }

    void note(long region) {
        if (count == regions.length) {
            regions = Arrays.copyOf(regions, 2 * count);
        }
        regions[count++] = region;
    }

    void revokeAll() {
        while (count > 0) {
            machine.revoke(regions[--count]);
        }
    }
}
