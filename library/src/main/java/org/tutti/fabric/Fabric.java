/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * Connects a process with the processes that share no memory with it: moves bytes ({@link Transport}, {@link
 * SectionTransport}) and carries news of failures ({@link NewsChannel}). A {@link FabricListener} receives the events
 * of the other processes.
 */
public interface Fabric extends SectionTransport, NewsChannel, AutoCloseable {
    /** {@return the addresses at which other processes reach this one, by rail} */
    List<List<InetSocketAddress>> rails();

    /**
     * Tests whether another process can be reached: opens a connection without sending anything.
     *
     * @param there the addresses at which the other process should listen, by rail
     * @param millisMax the longest wait for each address, in milliseconds
     * @return every address, with the reason why it cannot be reached; empty if one of them can be
     */
    Optional<String> whyUnreachable(List<List<InetSocketAddress>> there, int millisMax);

    /**
     * Connects with no further process. Every process that considers itself connected with this one is connected when
     * this method returns, unless a timeout expires. This process can then send it the last news, and it hears the
     * good-bye when the fabric is closed.
     */
    void retire();

    /**
     * Says good-bye to all processes, waits until all puts have arrived or a timeout expires, and closes all
     * connections.
     */
    @Override
    void close();
}
