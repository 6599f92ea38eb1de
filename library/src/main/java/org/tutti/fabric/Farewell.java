/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric;

/**
 * The numbers that a process sends with its good-bye, when it leaves the job. They describe the collective calls that
 * the ranks of the process have made, and the receiver compares them with its own calls. The fabric only carries the
 * numbers.
 *
 * @param state two bits. One is set if {@code calls} and {@code history} are valid, and the other if {@code groups} is
 *            valid
 * @param calls the number of calls on the communicator of all ranks
 * @param history a fingerprint of these calls
 * @param groups a fingerprint of the calls on all groups in which both processes have ranks
 */
public record Farewell(int state, long calls, long history, long groups) {
    /** No numbers. */
    public static final Farewell NONE = new Farewell(0, 0, 0, 0);
}
