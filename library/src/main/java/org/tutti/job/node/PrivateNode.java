/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.node;

import org.tutti.job.launch.NodeShape;
import org.tutti.memory.PrivateMemory;

/**
 * The memory of a node that has all its ranks in this process. No other process needs the memory, so it lies in no
 * file.
 */
public final class PrivateNode implements NodeAccess {
    private final PrivateMemory memory = new PrivateMemory();
    private final Node node;
    private boolean closed;

    /**
     * Creates the memory of a node.
     *
     * @param shape the name and size of the job, and this node's part of it
     * @param secret the secret that the job's processes share
     */
    public PrivateNode(NodeShape shape, Secret secret) {
        try {
            this.node = Node.create(memory, memory.claim(NodeLayout.bytes(shape.size()), "the ranks' states"), shape,
                    secret, false);
        } catch (RuntimeException e) {
            memory.close();
            throw e;
        }
    }

    @Override
    public Node node() {
        return node;
    }

    /** Returns true, because this process is the only one of the node. */
    @Override
    public boolean livesProcess(int firstRank) {
        return true;
    }

    @Override
    public boolean livesLauncher() {
        return false;
    }

    @Override
    public void unlink() {}

    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            memory.close();
        }
    }
}
