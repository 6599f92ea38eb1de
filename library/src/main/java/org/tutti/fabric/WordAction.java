/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * What a put does to the word that it names, once its bytes are visible at the target.
 */
public enum WordAction {
    /** Nothing: the put names no word. */
    NONE,
    /**
     * Raises the word to a value, and lays a tag into the eight bytes after it; does nothing when the word has that
     * value or a greater one. For words with one writer.
     */
    RAISE,
    /** Adds to the word. For words with many writers. */
    ADD
}
