/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * The change that a put makes to its word, once its bytes are visible at the target.
 */
public enum WordAction {
    /** No change, because the put names no word. */
    NONE,
    /**
     * Raises the word to a value, and writes a tag into the eight bytes after the word. If the word already has that
     * value or a greater one, neither changes. For words with one writer.
     */
    RAISE,
    /** Adds to the word. For words with many writers. */
    ADD
}
