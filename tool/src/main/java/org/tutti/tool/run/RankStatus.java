/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.regex.Pattern;

import org.tutti.job.diagnosis.RankLocation;
import org.tutti.memory.WaitingCall;

/**
 * The state of a rank, for {@link JobStatus}. A component that is not known, or that does not apply, is null.
 *
 * @param rank the rank in the job
 * @param state a word of docs/status.md
 * @param node the number of the rank's node
 * @param host the name of the rank's host
 * @param processId the identifier of the rank's process on its host
 * @param exitStatus the exit status of the process, if it has ended
 * @param call the call that the rank is in
 * @param through the method that the program called, if it awaits or runs the call, such as "await"
 * @param details details of the call, such as "tag 3"
 * @param communicator the communicator of the call, as messages name it
 * @param operation the number of the call on the communicator, from 1
 * @param algorithm the algorithm of the call
 * @param bytes the length of the call's vector, or of one block, in bytes
 * @param line the line of the program
 * @param waitedSeconds the time that the rank has waited in the call
 * @param awaited the rank for which it waits
 * @param awaitsAny true if any rank may end the wait
 */
record RankStatus(int rank, String state, int node, String host, Long processId, Integer exitStatus, String call,
        String through, String details, String communicator, Long operation, String algorithm, Long bytes,
        String line, Double waitedSeconds, Integer awaited, Boolean awaitsAny) {
    private static final Pattern CALL = Pattern.compile("(?:(\\w+) of )?([^ (]+)(?: \\((.*)\\))?");
    private static final double MILLIS_A_SECOND = 1000;

    /**
     * Makes the status of a rank.
     *
     * @param at the location of the rank
     * @param node the number of its node
     * @param host the name of its host
     * @param process its process; null if it was not started
     */
    static RankStatus of(RankLocation at, int node, String host, StartedProcess process) {
        var call = CALL.matcher(at.call());
        boolean isKnown = call.matches();
        boolean hasStatus = process != null && !process.isAlive() && process.lost().isEmpty();
        return new RankStatus(at.rank(), state(at), node, host,
                process == null || process.pid() == 0 ? null : process.pid(),
                hasStatus ? process.exitStatus() : null,
                isKnown ? call.group(2) : text(at.call()), isKnown ? call.group(1) : null,
                isKnown ? call.group(3) : null, text(at.communicator()), at.number() == 0 ? null : at.number(),
                text(at.algorithm()), at.bytes() < 0 ? null : at.bytes(), text(at.line()),
                at.waitedMillis() == 0 ? null : at.waitedMillis() / MILLIS_A_SECOND,
                at.awaited() < 0 ? null : at.awaited(), at.awaited() == WaitingCall.ANYBODY ? true : null);
    }

    private static String state(RankLocation at) {
        return switch (at.state()) {
            case JOINED -> !at.isInCall() ? "computing" : at.waitedMillis() == 0 ? "in-call" : "waiting";
            case ABSENT -> "starting";
            case SILENT -> "no-answer";
            case FAILED -> "failed";
            case LEFT -> "left";
            case ENDED -> "ended";
        };
    }

    private static String text(String text) {
        return text.isEmpty() ? null : text;
    }
}
