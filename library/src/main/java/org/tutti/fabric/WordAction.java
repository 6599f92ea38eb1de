/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * The change that a put makes to a word of its target region, once the bytes of the put are visible there.
 */
public enum WordAction {
    /** No change, because the put names no word. */
    NONE,
    /**
     * Raises the word to a value, and writes a tag into the eight bytes after the word. If the word already has that
     * value or a greater one, neither changes. For a word that one writer at a time changes.
     */
    RAISE,
    /** Adds a number to the word. For a word that many writers change concurrently. */
    ADD
}
