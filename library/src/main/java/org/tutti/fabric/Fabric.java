/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * Connects a process with other processes of its job. Those of its own node share memory with it, and it connects with
 * them only for communicators in which each rank counts as a node of its own. A fabric moves bytes between the
 * processes ({@link Transport}, {@link SectionTransport}) and carries news of failures ({@link NewsChannel}). A {@link
 * FabricListener} receives the events of the other processes, such as their good-byes and losses.
 */
public interface Fabric extends SectionTransport, NewsChannel, AutoCloseable {
    /**
     * {@return the addresses at which other processes reach this one, a list for each rail (one of the parallel
     * connections between two processes)}
     */
    List<List<InetSocketAddress>> rails();

    /**
     * Tests whether another process can be reached. This method opens a connection, sends nothing, and closes it.
     *
     * @param there the addresses at which the other process should listen, a list for each {@linkplain #rails rail}
     * @param millisMax the longest wait for each address, in milliseconds
     * @return the addresses, each with the reason why it cannot be reached; empty if one of them can be reached
     */
    Optional<String> whyUnreachable(List<List<InetSocketAddress>> there, int millisMax);

    /**
     * Stops making connections, because this process is about to leave its job. Another process may already consider
     * itself connected with this process while the connection is not yet complete here. This method waits until each
     * such connection is complete or a timeout expires. This process can then send the last news over it, and the
     * good-bye when the fabric is closed.
     */
    void retire();

    /**
     * Says good-bye to all connected processes, waits until all puts of this process have arrived there or a timeout
     * expires, and closes all connections.
     */
    @Override
    void close();
}
