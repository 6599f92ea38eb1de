/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/**
 * Tests that run on several ranks, threads or processes, for JUnit.
 */
package org.tutti.junit;
