/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * What a process has noticed of another one that it can neither send to nor hear from any more.
 */
public enum Loss {
    /** The connection was closed without a good-bye, as the kernel does when a process ends. */
    ENDED,
    /** Nothing was heard of the process, and its host does not answer either: one of them, or the network, is down. */
    SILENT,
    /** Its host answers, but the process has said nothing for as long as one may stand still. */
    STOOD_STILL,
    /** No connection with it could be made. */
    UNREACHABLE,
    /** It has sent what makes no sense. */
    NONSENSE
}
