/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * Receives the events of a fabric, which are connections, news, good-byes and losses of other processes. The thread
 * that notices an event calls the listener, perhaps inside a call of the fabric. The listener must therefore return
 * quickly and must not call the fabric.
 */
public interface FabricListener {
    /**
     * Called when another process is connected, before this process has sent it any news.
     *
     * @param process the first rank of the process
     */
    default void connected(int process) {
        // a listener that sends no news ignores connections
    }

    /**
     * Called when a piece of news from another process arrives ({@link NewsChannel#tell}).
     *
     * @param kind the kind of news
     * @param index the index of the subject of the news
     * @param value the new value
     */
    void news(int kind, long index, long value);

    /**
     * Called before this process says good-bye to another one.
     *
     * @param process the first rank of the other process
     * @return the numbers to send with the good-bye
     */
    default Farewell farewell(int process) {
        return Farewell.NONE;
    }

    /**
     * Called when another process says good-bye. A call of {@link #left} follows.
     *
     * @param process the first rank of the process
     * @param farewell the numbers that came with the good-bye
     */
    default void hear(int process, Farewell farewell) {
        // a listener without calls has nothing to compare
    }

    /**
     * Called when a process has said good-bye and all its puts to this process have arrived.
     *
     * @param process the first rank of the process
     */
    void left(int process);

    /**
     * Called when a process can no longer be reached and has not said good-bye.
     *
     * @param process the first rank of the process
     * @param loss the kind of loss
     * @param reason the details for a log, one clause
     */
    void lost(int process, Loss loss, String reason);

    /**
     * Called when this process itself cannot go on, for example because it has no memory for a connection. If it loses
     * connections afterwards, this process is the cause, and not the other processes.
     *
     * @param cause the reason
     */
    default void failed(Throwable cause) {
        // a listener without ranks ignores failures
    }
}
