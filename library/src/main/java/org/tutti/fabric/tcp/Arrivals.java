/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Finds the connections over which bytes have arrived, with one system call for all of them. Threads that poll use the
 * selector of this object. The service thread sleeps in a selector of its own, because only that one wakes it.
 *
 * <p>A thread that looks marks the connections that it finds. Any thread may then read a marked connection, so threads
 * read several connections at the same time, while one thread at a time looks. A thread clears a mark before it reads.
 * If it clears the mark of bytes that it does not read, the next look finds them again, because a selector reports a
 * connection as long as bytes are left to read.
 */
final class Arrivals {
    private static final System.Logger LOG = System.getLogger(Arrivals.class.getName());
    private static final Consumer<SelectionKey> MARK = key -> ((Runnable) key.attachment()).run();

    private final Selector selector;
    private final Lock lock = new ReentrantLock();

    /**
     * Creates an object without connections.
     *
     * @param selector an open selector, which {@link #close} closes
     */
    Arrivals(Selector selector) {
        this.selector = selector;
    }

    /**
     * Adds a connection. A look leaves it out once its channel is closed.
     *
     * @param mark marks the connection; called by the thread that looks, which must not wait in it
     */
    void add(SocketChannel channel, Runnable mark) throws ClosedChannelException {
        channel.register(selector, SelectionKey.OP_READ, mark);
    }

    /**
     * Marks the connections over which bytes have arrived, unless another thread is looking. A selector gives up the
     * descriptor of a closed channel when it looks, so the service thread calls this method at intervals, too.
     *
     * @return whether this method has looked; false if another thread is looking, or the selector has failed
     */
    boolean look() {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            selector.selectNow(MARK);
            return true;
        } catch (IOException | ClosedSelectorException e) {
            LOG.log(Level.DEBUG, "looking for arrivals failed", e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until bytes arrive over any connection, and marks the connections over which they came.
     *
     * @param millisMax the longest wait in milliseconds
     * @return whether the calling thread has waited; false if another thread is looking
     */
    boolean await(long millisMax) {
        if (!lock.tryLock()) {
            return false;
        }
        try {
            selector.select(MARK, millisMax);
            return true;
        } catch (IOException | ClosedSelectorException e) {
            LOG.log(Level.DEBUG, "waiting for arrivals failed", e);
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Closes the selector. Later calls find nothing. */
    void close() {
        try {
            selector.close();
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "the selector could not be closed", e);
        }
    }
}
