/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * Carries news between processes, and knows which of them are there. News are short, and are told at once or not at
 * all; what arrives is told to the {@link FabricListener}. Safe for use by any number of threads.
 */
public interface NewsChannel {
    /**
     * Sends a piece of news, if that can be done at once; begins to connect if there is no connection. A process that
     * refuses to be connected with just for that has left.
     *
     * @param process the other process
     * @param kind what it is about
     * @param index of what
     * @param value how it is now
     * @return whether it was sent
     */
    boolean tell(int process, int kind, long index, long value);

    /**
     * Sends a piece of news to every process that there is a connection with, as far as that can be done at once.
     *
     * @param kind what it is about
     * @param index of what
     * @param value how it is now
     * @return whether all were told that are not gone
     */
    boolean tellAll(int kind, long index, long value);

    /**
     * Gives up a process that is known to have failed: nobody waits for it any longer.
     *
     * @param process the other process
     * @param reason how that is known, one clause
     */
    void abandon(int process, String reason);

    /**
     * Tells whether a connected process has not been heard of for so long that it may be lost; it answers every quarter
     * of the time that a host may be silent.
     *
     * @param process the other process
     * @return whether more than a third of that time has passed
     */
    boolean isSilent(int process);

    /**
     * Tells whether a process is known to be gone.
     *
     * @param process the other process
     * @return whether it has left, or cannot be reached any more
     */
    boolean isGone(int process);

    /**
     * {@return why another process is gone, in one clause; empty if it is not}
     *
     * @param process the other process
     */
    String whyLost(int process);
}
