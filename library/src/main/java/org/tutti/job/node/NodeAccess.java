/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import java.io.IOException;

/**
 * A process's access to its node's memory: a file that the processes of the node share, or memory of its own when it is
 * the node's only one.
 */
public interface NodeAccess extends AutoCloseable {
    /** What the ranks of the node share. */
    Node node();

    /** Tells whether the process with a certain first rank lives. */
    boolean livesProcess(int firstRank) throws IOException;

    /** Tells whether the launcher lives. */
    boolean livesLauncher() throws IOException;

    /** Says that all ranks have the memory, so that nobody has to find it any more. */
    void unlink();

    /** Gives the memory back, in this process. Closing again has no effect. */
    @Override
    void close();
}
