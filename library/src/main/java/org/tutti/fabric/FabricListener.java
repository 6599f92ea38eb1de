/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

import java.lang.foreign.MemorySegment;

/**
 * Receives the events of a {@link Fabric}, the object that connects this process with the other processes of its job.
 * An event is a new connection, a piece of news, the good-bye of a process that leaves the job, or the loss of a
 * process. The thread that notices an event calls the listener, perhaps inside a call of the fabric. The listener must
 * therefore return quickly and must not call the fabric.
 */
public interface FabricListener {
    /**
     * Called when a connection with another process is open, before this process has sent any news over it.
     *
     * @param process the first rank of the process
     */
    default void connected(int process) {
        // a listener that sends no news ignores connections
    }

    /**
     * Called when a piece of news arrives, three numbers that another process has sent with {@link NewsChannel#tell}.
     *
     * @param kind the kind of news, as the sender has passed it
     * @param index the index of the subject of the news, for example a rank
     * @param value the new value of the subject
     */
    void news(int kind, long index, long value);

    /**
     * Called before this process, which leaves the job, says good-bye to another one. The good-bye carries numbers
     * about the calls of this process. The other process compares the numbers with its own.
     *
     * @param process the first rank of the other process
     * @return the numbers to send with the good-bye
     */
    default Farewell farewell(int process) {
        return Farewell.NONE;
    }

    /**
     * Called when the good-bye of another process arrives, which announces that the process leaves the job. A call of
     * {@link #left} follows.
     *
     * @param process the first rank of the process
     * @param farewell the numbers about the calls of that process, which came with the good-bye
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
     * Called when one of several connections with another process is lost, and the others carry on. It is not called
     * when the process ends.
     *
     * @param process the first rank of the other process
     * @param rail the number of the connection, from 0
     */
    default void railLost(int process, int rail) {
        // a listener that counts nothing ignores rails
    }

    /**
     * Called when a lost connection is used again.
     *
     * @param process the first rank of the other process
     * @param rail the number of the connection, from 0
     */
    default void railRestored(int process, int rail) {
        // a listener that counts nothing ignores rails
    }

    /**
     * Called when a put of another process has raised a word in memory of this process. A thread may wait for the word,
     * in this process or another one that shares the memory.
     *
     * @param memory the memory that contains the word
     * @param offset the offset of the word in that memory, in bytes
     */
    default void raised(MemorySegment memory, long offset) {
        // a listener without sleeping threads wakes none
    }

    /**
     * Called when this process itself cannot continue, for example because it has no memory for a connection. It may
     * then lose its connections. This process is the cause of such losses, and the other processes are not.
     *
     * @param cause the reason
     */
    default void failed(Throwable cause) {
        // a listener without ranks ignores failures
    }
}
