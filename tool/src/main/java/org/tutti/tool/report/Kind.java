/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

/** The kinds of recorded calls. */
enum Kind {
    COLLECTIVE, SEND, RECEIVE, ONE_SIDED, AWAIT
}
