/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.SectionTransport;
import org.tutti.fabric.Service;
import org.tutti.fabric.Striping;

/** The fabrics of two processes with two rails and real sockets, of which one rail goes through a cable. */
public final class RelayedFabrics implements AutoCloseable {
    private final List<TcpFabric> fabrics = new ArrayList<>();
    private final CableRelay relay;

    /**
     * Begins to listen.
     *
     * @param size the number of ranks; rank 0 is the first one of process 0, and rank 1 of process 1
     */
    public RelayedFabrics(int size) {
        for (int process = 0; process < 2; process++) {
            fabrics.add(new TcpFabric(new LocalProcess(process, new byte[32],
                    Collections.nCopies(2, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), this::addresses,
                    2000, 20_000, Striping.EVEN), size, new Deaf(), false, Service.SLEEP));
        }
        relay = new CableRelay(fabrics.get(1).addresses().get(1));
    }

    /** Ignores news. */
    private static final class Deaf implements FabricListener {
        @Override
        public void news(int kind, long index, long value) {
            throw new IllegalStateException("no process sends news");
        }

        @Override
        public void left(int process) {
            // the fabrics are closed one after the other
        }

        @Override
        public void lost(int process, Loss loss, String reason) {
            // the fabrics are closed one after the other
        }
    }

    private List<InetSocketAddress> addresses(int process) {
        List<InetSocketAddress> addresses = fabrics.get(process).addresses();
        return process == 0 ? addresses : List.of(addresses.get(0), relay.address());
    }

    /**
     * Returns the fabric of a process.
     *
     * @param process the process, 0 or 1
     */
    public SectionTransport fabric(int process) {
        return fabrics.get(process);
    }

    /** Returns the number of bytes that have passed through the cable. */
    public long bytes() {
        return relay.bytes();
    }

    /** Cuts the cable. */
    public void cut() {
        relay.cut();
    }

    @Override
    public void close() {
        fabrics.forEach(TcpFabric::close);
        try {
            relay.close();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
