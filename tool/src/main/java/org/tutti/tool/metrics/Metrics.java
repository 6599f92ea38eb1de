/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.metrics;

import java.util.concurrent.Callable;
import java.util.function.Consumer;

/** Publishes the figures of a job. */
public interface Metrics extends AutoCloseable {
    /**
     * Begins to publish.
     *
     * @param figures gives the figures; it is called by one thread at a time, and not after {@link #close}
     * @param say takes sentences for the user
     */
    void start(Callable<Figures> figures, Consumer<String> say);

    /** Ends publishing, and releases the port or completes the file. Closing again has no effect. */
    @Override
    void close();
}
