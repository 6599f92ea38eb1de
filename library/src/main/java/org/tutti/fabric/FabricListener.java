/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * What a fabric tells about the processes that it is connected with. It is called by whichever thread notices, perhaps
 * inside a call of the fabric, so it must be short and must not call the fabric.
 */
public interface FabricListener {
    /**
     * There is a connection with another process now, which has not been told of anything yet.
     *
     * @param process the first rank of the process
     */
    default void connected(int process) {
        // whoever tells no news need not care
    }

    /**
     * Another process has sent a piece of news ({@link NewsChannel#tell}).
     *
     * @param kind what it is about
     * @param index of what
     * @param value how it is now
     */
    void news(int kind, long index, long value);

    /**
     * This process says good-bye to another one.
     *
     * @param process the first rank of the other process
     * @return what it says besides
     */
    default Farewell farewell(int process) {
        return Farewell.NONE;
    }

    /**
     * Another process says good-bye; {@link #left} follows.
     *
     * @param process the first rank of the process
     * @param farewell what it says besides
     */
    default void hear(int process, Farewell farewell) {
        // a listener without calls has nothing to compare
    }

    /**
     * A process has said good-bye; all that it had put here before has arrived.
     *
     * @param process the first rank of the process
     */
    void left(int process);

    /**
     * A process cannot be reached any more, and has not said good-bye.
     *
     * @param process the first rank of the process
     * @param loss what was noticed
     * @param reason the same for a log, one clause
     */
    void lost(int process, Loss loss, String reason);

    /**
     * This process itself cannot go on, whatever becomes of the others: what it loses from now on is its own fault.
     *
     * @param cause why
     */
    default void failed(Throwable cause) {
        // whoever has no ranks need not care
    }
}
