/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

/**
 * The memory that the ranks of a node share could not be had: the file system that holds it is full or too small, or
 * the file cannot be used. The message says how much was needed and how much was left.
 */
public final class NodeMemoryException extends TuttiException {
    private static final long serialVersionUID = 1L;

    /**
     * @param message one sentence: what happened, where, with which values, and what to do
     * @param cause what the operating system said, or null
     */
    public NodeMemoryException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
