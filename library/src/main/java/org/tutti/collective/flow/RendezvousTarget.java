/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.tutti.collective.machine.Area;

/**
 * Memory of a rank on another node that this rank may put into while the current operation lasts, as that
 * rank has {@linkplain Inflow#invite told}. Moved rather than made anew, as an {@link Area} is.
 */
final class RendezvousTarget {
    int process;
    long region;
    long offset;

    /** How many bytes of it may be used: so who puts a long message into a short window knows where to begin again. */
    long bytes;
}
