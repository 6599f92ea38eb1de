/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import java.io.IOException;

/**
 * A process's access to its node's memory. The memory is a file that the processes of the node share, or private memory
 * if the process is the only one of the node.
 */
public interface NodeAccess extends AutoCloseable {
    /** Returns the state that the ranks of the node share. */
    Node node();

    /** Returns whether the process with a certain first rank lives. */
    boolean livesProcess(int firstRank) throws IOException;

    /** Returns whether the launcher lives. */
    boolean livesLauncher() throws IOException;

    /** Returns whether a launcher made the memory, and is gone: nothing then removes the memory's name later. */
    default boolean isOrphaned() throws IOException {
        return node().hasLauncher() && !livesLauncher();
    }

    /** Removes the memory's name. All ranks have opened the memory, so no process has to find it any more. */
    void unlink();

    /** Releases the memory in this process. Closing again has no effect. */
    @Override
    void close();
}
