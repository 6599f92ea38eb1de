/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

/**
 * The kinds of frames between the launcher and a {@link HostSession}. Each comment names the contents after a colon.
 */
enum FrameKind {
    // ---- to the host
    /** A job starts on this node: the {@link JobDescription}. */
    JOB,
    /** A piece of a class file: path, bytes. The pieces of one file follow each other. */
    CLASS_FILE,
    /** All classes have been sent: the host starts the processes. */
    START,
    /** The launcher has room for more output: process, stream, bytes. */
    ROOM_FOR_OUTPUT,
    /** Standard input of rank 0: bytes, none at its end. */
    INPUT,
    /** A rank has failed: rank, evidence. */
    MARK_FAILED,
    /** A process shall end: process, 0 for SIGTERM or 1 for SIGKILL. */
    END_PROCESS,
    /** The launcher asks where the ranks are: the number of the question. */
    ASK,
    /** The launcher asks for the records of the node's ranks: the number of the question. */
    ASK_RECORDS,
    /** The job is over. */
    GOODBYE,

    // ---- from the host
    /** The host cannot start anything: the reason, a clause. */
    REFUSED,
    /** The host ends everything that it has started, and reports no more about it: the reason, a clause. */
    GIVEN_UP,
    /** A process runs: process, process identifier. */
    STARTED,
    /** Output of a process: process, stream, bytes. */
    OUTPUT,
    /** A process has ended: process, exit status. */
    ENDED,
    /** A piece of the recording of a process that has ended: process, bytes, none at the end. */
    RECORDING,
    /** A process has ended, and all its output has been sent: process. */
    OUTPUT_ENDED,
    /** A rank has joined: rank. */
    JOINED,
    /** A rank has left: rank. */
    LEFT,
    /** A rank could not go on without another one, which has not failed: both ranks. */
    MISSED,
    /** A rank has failed first: rank, evidence. */
    FIRST_FAILURE,
    /** A rank has aborted the job: rank, status. */
    ABORTED,
    /** A process says where its ranks are: process, number of the question, text. */
    WHEREABOUTS,
    /** The record of a rank: rank, number of the question, bytes, none if the rank has not joined. */
    RECORD,
    /** The process of rank 0 has room for more standard input: bytes. */
    ROOM_FOR_INPUT,

    // ---- both ways
    /** Rank 0 listens at this address: text. */
    RENDEZVOUS,
    /** The sender lives, and has nothing new. */
    ALIVE;

    private static final FrameKind[] VALUES = values();

    /** {@return the kind with this number, or null} */
    static FrameKind of(int number) {
        return number >= 0 && number < VALUES.length ? VALUES[number] : null;
    }
}
