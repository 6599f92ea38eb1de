/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;

/**
 * Connects a process with those that share no memory with it: moves bytes ({@link Transport}, {@link SectionTransport})
 * and carries news of failures ({@link NewsChannel}). A {@link FabricListener} is told what is heard of the others.
 */
public interface Fabric extends SectionTransport, NewsChannel, AutoCloseable {
    /** {@return where other processes reach this one: of each rail the addresses} */
    List<List<InetSocketAddress>> rails();

    /**
     * Finds out whether anything listens where another process should, without talking to it.
     *
     * @param there where the other process should listen: of each rail the addresses
     * @param millisMax how long to wait at each of them
     * @return every address, and why it cannot be reached; empty when one can
     */
    Optional<String> whyUnreachable(List<List<InetSocketAddress>> there, int millisMax);

    /**
     * Connects with no further process. When this returns, every process that takes itself for connected with this one
     * is, so that it can be told the last news, and hears the good-bye when the fabric is closed.
     */
    void retire();

    /**
     * Says good-bye to all processes, after what was put has arrived, and closes all connections.
     */
    @Override
    void close();
}
