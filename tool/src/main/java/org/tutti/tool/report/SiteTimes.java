/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

/**
 * The calls of a site.
 *
 * @param site the site
 * @param caller a line of the program that makes such calls, or an empty text
 * @param least the least length of a call in bytes
 * @param most the greatest length
 * @param calls the number of calls, of all ranks
 * @param nanos the sum of their times
 * @param waiting the sum of the times of waiting in them
 * @param streaks the number of calls that directly followed another one of the same site and rank ({@link
 *            Calls#isDirectlyAfter})
 */
record SiteTimes(Site site, String caller, long least, long most, long calls, long nanos, long waiting,
        long streaks) {}
