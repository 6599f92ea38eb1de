/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

/** What a frame between the launcher and the process that stands for it on another host says, and what it holds. */
enum FrameKind {
    // ---- to the host
    /** The {@link JobDescription}. */
    JOB,
    /** A piece of a class file: path, bytes; pieces of a file follow each other. */
    CLASS_FILE,
    /** Everything is there: start the processes. */
    START,
    /** Room for output: process, stream, bytes. */
    ROOM_FOR_OUTPUT,
    /** Standard input of rank 0: bytes, none at its end. */
    INPUT,
    /** Rank that has failed, and how that is known. */
    MARK_FAILED,
    /** Process to end, and whether by SIGKILL. */
    END_PROCESS,
    /** Question where the ranks are: its number. */
    ASK,
    /** All is over. */
    GOODBYE,

    // ---- from the host
    /** Why the host cannot start anything: a clause. */
    REFUSED,
    /** Why the host ends all that it has started, of which it says no more: a clause. */
    GIVEN_UP,
    /** Process, process identifier. */
    STARTED,
    /** Process, stream, bytes. */
    OUTPUT,
    /** Process, exit status. */
    ENDED,
    /** Process that has ended, and whose output has all been sent. */
    OUTPUT_ENDED,
    /** Rank that has joined. */
    JOINED,
    /** Rank that has left. */
    LEFT,
    /** Rank that could not go on without another one, which has not failed: both. */
    MISSED,
    /** Rank that failed first, and how that is known. */
    FIRST_FAILURE,
    /** Rank that aborted the job, status. */
    ABORTED,
    /** Process, number of the question, where its ranks are: text. */
    WHEREABOUTS,
    /** Room for standard input: bytes. */
    ROOM_FOR_INPUT,

    // ---- both ways
    /** Where rank 0 listens: text. */
    RENDEZVOUS,
    /** Nothing new. */
    ALIVE;

    private static final FrameKind[] VALUES = values();

    /** {@return the kind with this number, or null} */
    static FrameKind of(int number) {
        return number >= 0 && number < VALUES.length ? VALUES[number] : null;
    }
}
