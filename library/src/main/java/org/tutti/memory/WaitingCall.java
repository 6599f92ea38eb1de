/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

/**
 * A call that waits, as it is told to whoever asks where a rank is stuck.
 *
 * @param job which job of the process; jobs are compared by identity
 * @param rank whose call it is, a rank of the job
 * @param name the call, such as "allreduce"
 * @param communicator the communicator that it is of, as messages name it
 * @param number which operation of that communicator it is in, from 1; 0 where they are not numbered
 * @param awaited for whom it waits, a rank of the job; {@link #ANYBODY}, or {@link #UNKNOWN}
 */
public record WaitingCall(Object job, int rank, String name, String communicator, long number, int awaited) {
    /** Any rank may end the wait. */
    public static final int ANYBODY = -1;

    /** It is not known who ends the wait. */
    public static final int UNKNOWN = -2;
}
