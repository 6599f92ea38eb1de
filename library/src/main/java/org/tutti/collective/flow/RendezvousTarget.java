/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.machine.Area;

/**
 * Memory of a rank on another node into which this rank may put during the current operation. The other rank's
 * {@linkplain Inflow#invite invitation} names the memory. A flow has one such object. Like an {@link Area}, it is set
 * again for each invitation.
 */
final class RendezvousTarget {
    int process;
    long region;
    long offset;

    /** The number of bytes that the sender may use, from which the sender computes the number of places. */
    long bytes;
}
