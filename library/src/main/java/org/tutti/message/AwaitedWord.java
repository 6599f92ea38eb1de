/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;

/**
 * A word for which a message waits.
 *
 * @param memory the memory that contains the word
 * @param word the offset of the word in that memory, in bytes
 * @param value the least value that ends the wait
 */
record AwaitedWord(MemorySegment memory, long word, long value) {}
