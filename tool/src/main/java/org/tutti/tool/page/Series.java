/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.util.List;

import org.tutti.Nullable;

/**
 * The figures of a chart that belong together. A series has the same colour in all charts of a page.
 *
 * @param name the name in the legend
 * @param values a figure for each group or place of the chart; null where there is none
 */
public record Series(String name, List<@Nullable Double> values) {}
