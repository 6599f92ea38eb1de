/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * Carries news between processes, for example of failed ranks, and knows which processes are connected or gone. A piece
 * of news consists of three numbers: a kind, an index and a value. It is sent immediately or not at all, and the {@link
 * FabricListener} of the other process receives it. Safe for use by any number of threads.
 */
public interface NewsChannel {
    /**
     * Sends a piece of news to another process if that is possible without waiting. If there is no connection, this
     * method begins to connect and returns false. If a connection that only news needs cannot be made, the other
     * process is not reported as lost.
     *
     * @param process the first rank of the other process
     * @param kind the kind of news, a number that the listeners of both processes understand
     * @param index the index of the subject of the news, for example a rank
     * @param value the new value of the subject
     * @return whether the news was sent
     */
    boolean tell(int process, int kind, long index, long value);

    /**
     * Sends a piece of news to all connected processes, except those to which it cannot be sent without waiting.
     *
     * @param kind the kind of news, a number that the listeners of both processes understand
     * @param index the index of the subject of the news, for example a rank
     * @param value the new value of the subject
     * @return whether the news was sent to all connected processes that are not gone
     */
    boolean tellAll(int kind, long index, long value);

    /**
     * Abandons a process that is known to have failed, so that no call waits for it any longer.
     *
     * @param process the first rank of the other process
     * @param reason how the failure is known, one clause
     */
    void abandon(int process, String reason);

    /**
     * Returns whether a connected process has been silent for so long that it may be lost. The limit is a third of the
     * longest time for which a host may be silent. A live process answers at least every quarter of that time.
     *
     * @param process the first rank of the other process
     * @return whether nothing has been heard from the process for longer than the limit
     */
    boolean isSilent(int process);

    /**
     * Returns whether a process is known to be gone.
     *
     * @param process the first rank of the other process
     * @return whether the process has left, or can no longer be reached
     */
    boolean isGone(int process);

    /**
     * {@return why another process is gone, in one clause; empty if the process is not gone}
     *
     * @param process the first rank of the other process
     */
    String whyLost(int process);
}
