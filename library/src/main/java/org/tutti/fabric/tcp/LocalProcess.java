/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.IntFunction;

import org.tutti.fabric.Striping;

/**
 * What the connections of a process have to know of it.
 *
 * @param rank its first rank in the job
 * @param secret what opens connections, 32 bytes
 * @param rails its addresses to listen on and to connect from, a rail each, with the port to listen at, or 0 for any
 * @param directory finds where another process listens, by its first rank; throws when it has told no usable address
 * @param silenceMillisMax how long a host may be silent
 * @param standstillMillisMax how long a process may be silent whose host answers, at least as long
 * @param striping how messages are dealt to several rails
 */
public record LocalProcess(int rank, byte[] secret, List<InetSocketAddress> rails,
        IntFunction<List<InetSocketAddress>> directory, long silenceMillisMax, long standstillMillisMax,
        Striping striping) {
    private static final long NANOS_PER_MILLI = 1_000_000;

    /** Keeps the secret and the addresses for itself. */
    public LocalProcess {
        secret = secret.clone();
        rails = List.copyOf(rails);
        standstillMillisMax = Math.max(silenceMillisMax, standstillMillisMax);
    }

    /** As by the other one, and messages are striped by speed. */
    public LocalProcess(int rank, byte[] secret, List<InetSocketAddress> rails,
            IntFunction<List<InetSocketAddress>> directory, long silenceMillisMax, long standstillMillisMax) {
        this(rank, secret, rails, directory, silenceMillisMax, standstillMillisMax, Striping.SPEED);
    }

    long silenceNanosMax() {
        return silenceMillisMax * NANOS_PER_MILLI;
    }

    long standstillNanosMax() {
        return standstillMillisMax * NANOS_PER_MILLI;
    }

    /** Its address on a rail, with any port. */
    InetSocketAddress source(int rail) {
        return new InetSocketAddress(rails.get(rail).getAddress(), 0);
    }

    /** Where another process listens, a rail each. */
    List<InetSocketAddress> addresses(int process) {
        return directory.apply(process);
    }

    /** Where a rail of another process is, in words. */
    String place(int process, int rail) {
        try {
            InetSocketAddress address = addresses(process).get(rail);
            return address.getHostString() + ":" + address.getPort();
        } catch (RuntimeException _) { // it has told no usable address
            return "an unknown address";
        }
    }

    /** What asks the host of another process whether it is there, when it has been silent for a part of a time. */
    HostProbe probe(int process, long limitNanos) {
        return new HostProbe(rails.stream().map(InetSocketAddress::getAddress).toList(), addresses(process),
                limitNanos);
    }
}
