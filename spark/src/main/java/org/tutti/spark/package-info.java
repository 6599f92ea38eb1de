/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/**
 * Ranks that are tasks of Apache Spark.
 */
package org.tutti.spark;
