/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

/** The scale of an axis. */
public enum Scale {
    /** Equal distances are equal differences. */
    LINEAR,
    /** Equal distances are equal ratios. */
    LOGARITHMIC
}
