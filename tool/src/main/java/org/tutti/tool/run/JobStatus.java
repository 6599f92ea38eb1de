/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;

/**
 * The state of a job, for {@code tutti status}. The names of the components are the fields of the JSON that
 * docs/status.md describes. A component that is not known is null, and the JSON has no such field.
 *
 * @param job the name of the job
 * @param state {@link #RUNNING} or {@link #NO_ANSWER}
 * @param elapsedSeconds the time since the start of the job
 * @param size the number of ranks
 * @param nodes the number of nodes
 * @param ranks the ranks in ascending order
 * @param text the lines of the report for people
 * @param message the reason why the launcher gave no answer
 */
record JobStatus(String job, String state, Double elapsedSeconds, Integer size, Integer nodes, List<RankStatus> ranks,
        List<String> text, String message) {
    /** The state of a job whose launcher answers. */
    static final String RUNNING = "running";

    /** The state of a job whose launcher does not answer. */
    static final String NO_ANSWER = "no-answer";

    private static final Gson JSON = new GsonBuilder().disableHtmlEscaping().create();

    /** {@return the status of a job whose launcher does not answer, given the reason} */
    static JobStatus unknown(String job, String message) {
        return new JobStatus(job, NO_ANSWER, null, null, null, null, null, message);
    }

    /** {@return a value as JSON, on one line} */
    static String json(Object value) {
        return JSON.toJson(value);
    }

    /** {@return a value as JSON} */
    static JsonElement tree(Object value) {
        return JSON.toJsonTree(value);
    }
}
