/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.IntFunction;

/**
 * What the connections of a process have to know of it.
 *
 * @param rank its first rank
 * @param secret what opens connections
 * @param rails its addresses to listen on and to connect from, a rail each, with the port to listen at, or 0 for any
 * @param directory finds where another process listens, by its first rank; throws when it has told no usable address
 * @param silenceNanosMax how long a host may be silent
 * @param standstillNanosMax how long a process may be silent whose host answers, at least as long
 */
record LocalProcess(int rank, byte[] secret, List<InetSocketAddress> rails,
        IntFunction<List<InetSocketAddress>> directory, long silenceNanosMax, long standstillNanosMax) {

    /** Its address on a rail, with any port. */
    InetSocketAddress source(int rail) {
        return new InetSocketAddress(rails.get(rail).getAddress(), 0);
    }

    /** Where another process listens, a rail each. */
    List<InetSocketAddress> addresses(int process) {
        return directory.apply(process);
    }

    /** What asks the host of another process whether it is there, when it has been silent for a part of a time. */
    HostProbe probe(int process, long limitNanos) {
        return new HostProbe(rails.stream().map(InetSocketAddress::getAddress).toList(), addresses(process),
                limitNanos);
    }
}
