/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.tool.UsageException;
import org.tutti.tool.recording.RecordingFiles;

/**
 * Reads the recordings of a job, event by event. The number of calls that it keeps has a limit, which all ranks share.
 * It knows the events by the names of their fields, because recordings may come from another machine.
 */
final class RecordingReader {
    /** The number of calls of all ranks that a report has, some 60 bytes each. */
    static final int CALLS_MAX = 4_000_000;

    private static final int SITES_MAX = 10_000;
    private static final int EVENTS_MAX = 20;
    private static final int TEXT_LENGTH_MAX = 200;
    private static final long SECOND_NANOS = 1_000_000_000;
    private static final Set<String> WAITS = Set.of("lock", "await"); // one-sided calls that wait for another rank
    private static final Pattern CONTROL = Pattern.compile("\\p{Cntrl}");
    private static final Pattern NAME = Pattern.compile("ranks?-(\\d{1,7})(?:-(\\d{1,7}))?\\.jfr");

    private final Path directory;
    private final int callsOfRankMax;
    private final Calls calls = new Calls();
    private final Map<Site, Integer> sites = new LinkedHashMap<>();
    private final Map<Integer, CallerLines> callers = new HashMap<>(); // by site
    private final Map<Long, Integer> communicators = new HashMap<>();
    private final Map<Integer, Found> ranks = new TreeMap<>();
    private final List<String> events = new ArrayList<>();
    private final List<Pauses> pauses = new ArrayList<>();
    private String job = "";
    private Path fileOfJob;
    private int size;
    private int nodes = 1;
    private int clock;
    private String jobOfFile;
    private long endOfFile;

    /** The facts about a rank, as far as they have been read. */
    private static final class Found {
        private int node = -1;
        private String host = "";
        private int process;
        private int clock;
        private long begin = Long.MAX_VALUE;
        private long end;
        private long calls;
        private boolean hasJoined;
    }

    private RecordingReader(Path directory, int ranksOfFiles) {
        this.directory = directory;
        this.callsOfRankMax = CALLS_MAX / Math.max(1, ranksOfFiles);
    }

    /**
     * Reads all recordings of a directory.
     *
     * @param directory a directory that {@code tutti run --record} has made
     * @return the recordings
     * @throws UsageException if there is none, or one that cannot be read or is of another job; the message names it
     */
    static JobRecording read(Path directory) {
        List<Path> files = files(directory);
        RecordingReader reader = new RecordingReader(directory,
                files.stream().mapToInt(RecordingReader::ranks).sum());
        for (Path file : files) {
            reader.readFile(file);
        }
        return reader.recording();
    }

    private static List<Path> files(Path directory) {
        try (Stream<Path> all = Files.list(directory)) {
            List<Path> files = all.filter(file -> file.toString().endsWith(RecordingFiles.SUFFIX))
                    .sorted(Comparator.comparingInt(RecordingReader::firstRank).thenComparing(Path::toString)).toList();
            if (files.isEmpty()) {
                throw new UsageException(directory + " has no recordings; make some with tutti run --record "
                        + directory + ", in a directory of their own");
            }
            return files;
        } catch (IOException e) {
            throw new UsageException("there is no directory " + directory + " that can be read; name the directory of "
                    + "tutti run --record");
        }
    }

    private static int firstRank(Path file) {
        Matcher name = NAME.matcher(file.getFileName().toString());
        return name.matches() ? Integer.parseInt(name.group(1)) : Integer.MAX_VALUE;
    }

    private static int ranks(Path file) {
        Matcher name = NAME.matcher(file.getFileName().toString());
        return name.matches() && name.group(2) != null
                ? Math.max(1, Integer.parseInt(name.group(2)) - Integer.parseInt(name.group(1)) + 1) : 1;
    }

    private void readFile(Path file) {
        jobOfFile = "";
        endOfFile = 0;
        pauses.add(Pauses.NONE);
        try {
            RecordingFiles.requireWhole(file);
            try (RecordingFile events = new RecordingFile(file)) {
                while (events.hasMoreEvents()) {
                    read(events.readEvent());
                }
            }
        } catch (IOException | RuntimeException | OutOfMemoryError | InternalError e) { // JFR throws any of them
            boolean isKnown = (e instanceof IOException || e instanceof IllegalArgumentException)
                    && e.getMessage() != null;
            throw new UsageException(file + " cannot be read: "
                    + (isKnown ? CONTROL.matcher(e.getMessage()).replaceAll("?")
                            : "it is damaged (" + e.getClass().getSimpleName() + ")")
                    + "; remove it from the directory, or record the job again");
        }
        checkJob(file);
        ranks.values().stream().filter(rank -> rank.clock == clock)
                .forEach(rank -> rank.end = Math.max(rank.end, endOfFile));
        clock++;
    }

    private void checkJob(Path file) {
        if (jobOfFile.isEmpty()) {
            throw new UsageException(file + " is no recording of tutti run --record; remove it from the directory");
        }
        if (fileOfJob != null && !job.equals(jobOfFile)) {
            throw new UsageException(file + " is a recording of job " + jobOfFile + ", and " + fileOfJob + " is one of "
                    + "job " + job + "; have one job in a directory");
        }
        job = jobOfFile;
        fileOfJob = file;
    }

    private void read(RecordedEvent event) {
        switch (event.getEventType().getName()) {
            case "jdk.ActiveRecording" -> {
                String named = RecordingFiles.job(text(event, "name"));
                jobOfFile = named.isEmpty() ? jobOfFile : named;
            }
            case "jdk.GCPhasePause" -> pauses.set(clock, pauses.get(clock).plus(event.getDuration().toNanos()));
            case "tutti.Join" -> join(event);
            case "tutti.Collective" -> addCall(event, Kind.COLLECTIVE, text(event, "collective"),
                    text(event, "algorithm"), event.getBoolean("nonBlocking"), event.getInt("awaited"),
                    event.getLong("waiting"), event.getBoolean("failed") ? 0 : event.getLong("operation"),
                    event.getLong("bytes")); // a failed call may have ended before others have begun it
            case "tutti.Send" -> addCall(event, Kind.SEND, "send", "", event.getBoolean("nonBlocking"),
                    event.getInt("peer"), 0, event.getInt("tag"), event.getLong("bytes"));
            case "tutti.Receive" -> addCall(event, Kind.RECEIVE, "receive", "", event.getBoolean("nonBlocking"),
                    event.getInt("peer"), event.getBoolean("nonBlocking") ? 0 : event.getDuration().toNanos(),
                    event.getInt("tag"), event.getLong("bytes"));
            case "tutti.OneSided" -> addCall(event, Kind.ONE_SIDED, text(event, "operation"), "",
                    event.getBoolean("nonBlocking"), event.getInt("target"),
                    WAITS.contains(text(event, "operation")) ? event.getDuration().toNanos() : 0, 0,
                    event.getLong("bytes"));
            case "tutti.Await" -> addCall(event, Kind.AWAIT, "await " + text(event, "request"), "", false, -1,
                    event.getDuration().toNanos(), 0, 0);
            case "tutti.RankFailure" -> addEvent("rank " + event.getInt("failed") + " failed: "
                    + text(event, "reason"));
            case "tutti.Rail" -> addEvent("rail " + event.getInt("rail") + " to the process of rank "
                    + event.getInt("process") + ": " + text(event, "state"));
            default -> {
            }
        }
        endOfFile = Math.max(endOfFile, nanos(event.getEndTime()));
    }

    private void addEvent(String text) {
        if (events.size() < EVENTS_MAX && !events.contains(text)) {
            events.add(text);
        }
    }

    private static String text(RecordedEvent event, String field) {
        String text = event.getString(field);
        return text == null ? "" : text.substring(0, Math.min(text.length(), TEXT_LENGTH_MAX));
    }

    private static long nanos(Instant time) {
        return time.getEpochSecond() * SECOND_NANOS + time.getNano();
    }

    private void join(RecordedEvent event) {
        Found rank = rank(event.getInt("rank"));
        rank.hasJoined = true;
        rank.node = event.getInt("node");
        rank.host = text(event, "host");
        rank.process = event.getInt("process");
        rank.begin = nanos(event.getEndTime());
        size = Math.max(size, event.getInt("size"));
        nodes = Math.max(nodes, event.getInt("nodes"));
    }

    private Found rank(int number) {
        if (number < 0 || number >= JobEnvironment.SIZE_MAX) {
            throw new IllegalArgumentException("it has events of rank " + number);
        }
        Found rank = ranks.computeIfAbsent(number, _ -> new Found());
        if (rank.begin == Long.MAX_VALUE && rank.calls == 0 && !rank.hasJoined) {
            rank.clock = clock;
            rank.process = number;
        } else if (rank.clock != clock) {
            throw new IllegalArgumentException("it has events of rank " + number + ", which another file has, too");
        }
        size = Math.max(size, number + 1);
        return rank;
    }

    private void addCall(RecordedEvent event, Kind kind, String name, String algorithm, boolean nonBlocking, int peer,
            long waiting, long number, long bytes) {
        Found rank = rank(event.getInt("rank"));
        if (rank.calls++ >= callsOfRankMax) {
            return;
        }
        boolean hasCommunicator = event.hasField("communicator");
        int site = site(new Site(kind, name, hasCommunicator ? text(event, "communicator") : "", algorithm, nonBlocking,
                Site.bits(bytes)));
        int communicator = communicators.computeIfAbsent(
                hasCommunicator ? event.getLong("communicatorNumber") : -1L, _ -> communicators.size());
        if (kind == Kind.COLLECTIVE && !text(event, "caller").isEmpty()) {
            callers.computeIfAbsent(site, _ -> new CallerLines()).add(text(event, "caller"), waiting);
        }
        long begin = nanos(event.getStartTime());
        long end = nanos(event.getEndTime());
        if (!rank.hasJoined) {
            rank.begin = Math.min(rank.begin, begin);
        }
        calls.add(event.getInt("rank"), site, communicator, peer, begin, end, Math.clamp(waiting, 0, end - begin),
                number, bytes);
    }

    /** {@return the number of a site; beyond a limit, sites of a kind count together} */
    private int site(Site site) {
        boolean isFull = sites.size() >= SITES_MAX && !sites.containsKey(site);
        Site counted = isFull ? new Site(site.kind(), site.name(), "others", "", site.nonBlocking(), 0) : site;
        return sites.computeIfAbsent(counted, _ -> sites.size());
    }

    private JobRecording recording() {
        if (ranks.isEmpty()) {
            throw new UsageException("no rank of job " + job + " in " + directory + " has joined the job, so there is "
                    + "nothing to report; call Tutti.join() in the program");
        }
        List<RecordedRank> found = new ArrayList<>();
        ranks.forEach((number, rank) -> found.add(new RecordedRank(number, rank.node, rank.host, rank.process,
                rank.clock, Math.min(rank.begin, rank.end), rank.end, Math.max(0, rank.calls - callsOfRankMax))));
        List<String> lines = new ArrayList<>();
        for (int site = 0; site < sites.size(); site++) {
            lines.add(callers.containsKey(site) ? callers.get(site).describe() : "");
        }
        return new JobRecording(job, size, nodes, found, calls, List.copyOf(sites.keySet()), lines,
                communicators.size(), events, pauses);
    }
}
