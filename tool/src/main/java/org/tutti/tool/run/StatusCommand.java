/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonSyntaxException;
import org.tutti.tool.Progress;
import org.tutti.tool.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code tutti status}: makes running jobs say where their ranks are. */
@Command(name = "status", mixinStandardHelpOptions = true,
        description = "Says where the ranks of a running job are: in which call, in which line, waiting for whom.",
        footer = {"", "It asks the launchers of this host that belong to you, through their files in the temporary "
                + "directory. docs/status.md describes the JSON.", "", "Examples:", "  tutti status",
                "  tutti status 9372-mwu3fnk6", "  tutti status 9372 --json --watch 10"})
public final class StatusCommand implements Callable<Integer> {
    private static final int SCHEMA = 1;
    private static final int STATUS_NO_ANSWER = 1;
    private static final Duration PATIENCE = Duration.ofSeconds(8); // a launcher takes up to 2.5 s for a client
    private static final int STANDARD_OUTPUT = 1;
    private static final String CLEAR = "\033[H\033[2J";
    private static final String NO_JOB = "no job of yours is running on this host";

    @Parameters(index = "0", arity = "0..1", paramLabel = "job", defaultValue = "",
            description = "The name of a job, or the process number of its tutti run. Default: all of yours here.")
    private String job;

    @Option(names = "--json", description = "Prints JSON, one line for each answer.")
    private boolean json;

    @Option(names = "--watch", arity = "0..1", paramLabel = "seconds", fallbackValue = "2",
            converter = WatchConverter.class, description = "Asks again and again, until the named job ends or "
                    + "Ctrl-C. Without a number: every 2 seconds.")
    private Optional<Duration> watch = Optional.empty();

    /** {@return the status to exit with} */
    @Override
    public Integer call() throws InterruptedException {
        var answers = ask();
        if (answers.isEmpty() && !job.isEmpty()) {
            throw new UsageException("no job " + job
                    + " of yours is running on this host; tutti status without a name shows all that are");
        }
        if (watch.isPresent()) {
            watch(answers, watch.get());
            return 0;
        }
        print(answers);
        boolean all = answers.stream().allMatch(StatusCommand::isAnswered);
        return all && !answers.isEmpty() ? 0 : STATUS_NO_ANSWER;
    }

    /** Prints answers until the named job has ended, or the reader of the output has. */
    private void watch(List<JsonObject> first, Duration interval) throws InterruptedException {
        boolean repaints = !json && Progress.isTerminal(STANDARD_OUTPUT);
        for (var answers = first; job.isEmpty() || !answers.isEmpty(); answers = ask()) {
            if (!json) {
                System.out.println((repaints ? CLEAR : "") + now() + ", every " + interval.toSeconds() + " s:");
            }
            print(answers);
            if (System.out.checkError()) {
                return;
            }
            Thread.sleep(interval);
        }
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    private void print(List<JsonObject> answers) {
        if (json) {
            var all = new JsonObject();
            all.addProperty("version", SCHEMA);
            all.addProperty("time", now().toString());
            all.add("jobs", JobStatus.tree(answers));
            System.out.println(JobStatus.json(all));
        } else if (answers.isEmpty()) {
            System.out.println(NO_JOB);
        } else {
            answers.stream().filter(StatusCommand::isAnswered)
                    .flatMap(answer -> answer.getAsJsonArray("text").asList().stream()).map(JsonElement::getAsString)
                    .forEach(System.out::println);
        }
        answers.stream().filter(answer -> !isAnswered(answer)).forEach(answer -> System.err.println("tutti: job "
                + answer.get("job").getAsString() + ": " + answer.get("message").getAsString()));
    }

    private static boolean isAnswered(JsonObject answer) {
        return answer.has("text");
    }

    /** {@return an answer for each job that is asked for and runs} */
    private List<JsonObject> ask() {
        List<JsonObject> answers = new ArrayList<>();
        for (var directory : JobDirectory.own(Path.of(System.getProperty("java.io.tmpdir")))) {
            var name = JobDirectory.job(directory);
            if (job.isEmpty() || name.equals(job) || name.startsWith(job + "-")) {
                ask(directory, name).ifPresent(answers::add);
            }
        }
        return answers;
    }

    /** {@return the answer of a launcher; empty if there is no launcher} */
    private static Optional<JsonObject> ask(Path directory, String name) {
        try {
            var answer = parse(StatusSocket.ask(JobDirectory.socket(directory), PATIENCE));
            if (answer.isEmpty()) { // perhaps the launcher has just ended; then nobody answers the next question
                answer = parse(StatusSocket.ask(JobDirectory.socket(directory), PATIENCE));
            }
            return answer.isPresent() ? answer
                    : unanswered(name, "its launcher gives no answer that this version of tutti understands; see "
                            + "whether it has the same version");
        } catch (TimeoutException _) {
            return unanswered(name, "its launcher does not answer within " + PATIENCE.toSeconds()
                    + " seconds; it may have been stopped, by Ctrl-Z: fg or kill -CONT lets it go on");
        } catch (IOException _) {
            return Optional.empty(); // the directory has no launcher, or its launcher has just ended
        }
    }

    private static Optional<JsonObject> unanswered(String name, String message) {
        return Optional.of(JobStatus.tree(JobStatus.unknown(name, message)).getAsJsonObject());
    }

    private static Optional<JsonObject> parse(String answer) {
        try {
            var parsed = JsonParser.parseString(answer);
            return parsed.isJsonObject() && parsed.getAsJsonObject().get("text") instanceof JsonArray
                    ? Optional.of(parsed.getAsJsonObject())
                    : Optional.empty();
        } catch (JsonSyntaxException _) {
            return Optional.empty(); // cut off, or of another version
        }
    }
}
