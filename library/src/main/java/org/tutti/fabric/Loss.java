/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * The reason why another process was lost. A process that was lost can neither receive from this process nor send to
 * it.
 */
public enum Loss {
    /** The connection was closed without a good-bye, as the kernel does when a process ends. */
    ENDED,
    /** The process is silent, and its host does not answer. The process, the host or the network is down. */
    SILENT,
    /** The host answers, but the process has been silent for as long as a process may stand still. */
    STOOD_STILL,
    /** No connection with the process could be made. */
    UNREACHABLE,
    /** The process sent invalid bytes. */
    NONSENSE
}
