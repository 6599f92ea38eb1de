/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.launch;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

import org.tutti.JobOptions;
import org.tutti.JobStartException;
import org.tutti.Topology;
import org.tutti.choice.Choice;
import org.tutti.choice.Links;
import org.tutti.fabric.Service;
import org.tutti.fabric.Striping;
import org.tutti.fabric.tcp.PortRange;

/**
 * The description of a process's part in its job. It comes from environment variables that {@code tutti run} or another
 * launcher sets, and that {@link EnvironmentReader} reads.
 *
 * @param shape the name and size of the job, and this node's part of it
 * @param firstRank the first rank of this process
 * @param ranks the number of ranks of this process
 * @param memory the directory for the file with the memory that the ranks of a node share
 * @param joinTimeoutMillis the time to wait for the other ranks to join
 * @param heartbeatMillis the time for which a host may be silent before its ranks count as failed
 * @param standstillMillis the time for which a process may stand still before its ranks count as failed
 * @param cores the number of cores that the ranks of this node may use together
 * @param service whether the service thread, which serves the connections while no rank does, sleeps or polls
 * @param striping the way in which messages are distributed over several rails, the networks between two hosts
 * @param choice the requested algorithms, and the kind of links between nodes
 * @param rails the addresses, interfaces or subnets to other nodes, one for each rail; empty if Tutti is to choose
 * @param ports the ports at which the process may listen
 * @param rendezvous the address of rank 0's process; empty if the node's memory tells it
 * @param secretFile the file of the secret; empty if the node's memory has the secret
 */
public record JobEnvironment(NodeShape shape, int firstRank, int ranks, Path memory, long joinTimeoutMillis,
        long heartbeatMillis, long standstillMillis, int cores, Service service,
        Striping striping, Choice choice, String rails, PortRange ports, Optional<String> rendezvous,
        Optional<Path> secretFile) {
    /** The job's name: 1 to 64 letters, digits, dots, hyphens and underscores. */
    public static final String JOB = "TUTTI_JOB";
    /** The first rank of the process. */
    public static final String RANK = "TUTTI_RANK";
    /** The number of ranks of the job. */
    public static final String SIZE = "TUTTI_SIZE";
    /** The number of ranks of a process; 1 unless set. */
    public static final String RANKS_PER_PROCESS = "TUTTI_RANKS_PER_PROCESS";
    /** The directory for the memory file; /dev/shm unless set. */
    public static final String MEMORY = "TUTTI_MEMORY";
    /** The time to wait for other ranks to join, in milliseconds; 60,000 unless set. */
    public static final String JOIN_TIMEOUT_MILLIS = "TUTTI_JOIN_TIMEOUT_MILLIS";
    /** The unique number of this process's node; 0 unless set. */
    public static final String NODE = "TUTTI_NODE";
    /** The number of nodes of the job; 1 unless set. */
    public static final String NODES = "TUTTI_NODES";
    /** The number of ranks on this process's node; all ranks of the job unless set. */
    public static final String NODE_RANKS = "TUTTI_NODE_RANKS";
    /** With several nodes: the address of rank 0's process, as {@code address:port}. */
    public static final String RENDEZVOUS = "TUTTI_RENDEZVOUS";
    /**
     * With several nodes: a file of 32 bytes or more, the same on every node. It belongs to you, and only you can read
     * it; or it belongs to root, and a group can also read it.
     */
    public static final String SECRET_FILE = "TUTTI_SECRET_FILE";
    /**
     * With several nodes: this node's addresses, interfaces or subnets to other nodes, separated by commas; Tutti's
     * choice unless set.
     */
    public static final String RAILS = "TUTTI_RAILS";
    /** With several nodes: the ports to listen at, such as {@code 20000-20100}; any unless set. */
    public static final String PORTS = "TUTTI_PORTS";
    /** The time for which a host may be silent before its ranks count as failed, in milliseconds; 10,000 unless set. */
    public static final String HEARTBEAT_MILLIS = "TUTTI_HEARTBEAT_MILLIS";
    /**
     * The time for which a process may stand still, in a garbage collection or a debugger, before its ranks count as
     * failed, in milliseconds; 300,000 unless set.
     */
    public static final String STANDSTILL_MILLIS = "TUTTI_STANDSTILL_MILLIS";
    /** The number of cores that the ranks of this node may use together; all cores of the machine unless set. */
    public static final String CORES = "TUTTI_CORES";
    /** The service thread's behaviour while no rank polls: {@code sleep} or {@code poll}; {@code sleep} unless set. */
    public static final String SERVICE = "TUTTI_SERVICE";
    /**
     * The way in which messages are distributed over several rails: {@code speed}, {@code even} or {@code whole};
     * {@code speed} unless set.
     */
    public static final String STRIPING = "TUTTI_STRIPING";
    /**
     * Algorithms to use, such as {@code allreduce=srm:0-64k,index-range:64k-,reduce=srm}, as {@link Choice#parse} reads
     * them; Tutti's choice unless set.
     */
    public static final String ALGORITHM = "TUTTI_ALGORITHM";
    /** A {@linkplain TuningFile file} of algorithms to use, over which {@link #ALGORITHM} has precedence. */
    public static final String TUNING = "TUTTI_TUNING";

    /**
     * The kind of links between nodes: {@code fast} or {@code slow}; {@code fast} unless set. The value of rank 0's
     * process counts for all.
     */
    public static final String LINKS = "TUTTI_LINKS";

    /** The levels inside a node, such as {@code 4,8}: groups of 4 ranks inside groups of 8; none unless set. */
    public static final String LEVELS = "TUTTI_LEVELS";

    /** Whether each call keeps its line of the program: 1, or 0, which is the default. */
    public static final String CALL_SITES = "TUTTI_CALL_SITES";

    /** The greatest number of ranks of a job. */
    public static final int SIZE_MAX = 4096;

    /**
     * The greatest number of a node. It may exceed the number of nodes, because a launcher may count hosts without
     * ranks.
     */
    private static final int NODE_MAX = 999_999;

    private static final Pattern JOB_NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final long JOIN_TIMEOUT_MILLIS_DEFAULT = 60_000;
    private static final long JOIN_TIMEOUT_MILLIS_MAX = 86_400_000;
    private static final long HEARTBEAT_MILLIS_DEFAULT = 10_000;
    private static final long HEARTBEAT_MILLIS_MIN = 1000;
    private static final long STANDSTILL_MILLIS_DEFAULT = 300_000;

    /**
     * Returns the part that a process of an engine, such as Spark, has in a job. The engine determines the job and the
     * ranks, and the environment variables determine how the job runs. If the engine is itself part of a job, for
     * example of Slurm, the variables of that job are ignored.
     */
    public static JobEnvironment ofEngine(NodeShape shape, int firstRank, int ranks) {
        Map<String, String> environment = new HashMap<>();
        for (String name : new String[]{MEMORY, JOIN_TIMEOUT_MILLIS, HEARTBEAT_MILLIS, STANDSTILL_MILLIS, CORES, RAILS,
                PORTS,
                SERVICE, STRIPING, ALGORITHM, TUNING, LINKS}) {
            Optional.ofNullable(System.getenv(name)).ifPresent(value -> environment.put(name, value));
        }
        environment.put(JOB, shape.job());
        environment.put(RANK, String.valueOf(firstRank));
        environment.put(SIZE, String.valueOf(shape.size()));
        environment.put(RANKS_PER_PROCESS, String.valueOf(ranks));
        environment.put(NODE, String.valueOf(shape.node()));
        environment.put(NODES, String.valueOf(shape.nodes()));
        environment.put(NODE_RANKS, String.valueOf(shape.nodeRanks()));
        return parse(environment).orElseThrow();
    }

    /**
     * Reads Tutti's own variables.
     *
     * @param environment the variables
     * @return the process's part in its job; empty if the variables name no job
     * @throws JobStartException if something is wrong or missing; the message names the variable and its value
     */
    static Optional<JobEnvironment> parse(Map<String, String> environment) {
        boolean job = environment.containsKey(JOB);
        if (!job && !environment.containsKey(RANK) && !environment.containsKey(SIZE)) {
            return Optional.empty();
        }
        for (String name : new String[]{JOB, RANK, SIZE}) {
            if (!environment.containsKey(name)) {
                throw new JobStartException("the environment variable " + name
                        + " is missing, while others of this job are set; set " + JOB + ", " + RANK + " and " + SIZE
                        + " for every rank, or none of them for a job of one");
            }
        }
        String name = environment.get(JOB);
        if (!JOB_NAME.matcher(name).matches()) {
            throw new JobStartException(JOB + "=\"" + name
                    + "\" is no name of a job; use 1 to 64 letters, digits, dots, hyphens and underscores");
        }
        int size = (int) number(environment, SIZE, 1, SIZE_MAX, -1);
        int rank = (int) number(environment, RANK, 0, size - 1, -1);
        int perProcess = (int) number(environment, RANKS_PER_PROCESS, 1, size, 1);
        Path memory = Path.of(environment.getOrDefault(MEMORY, "/dev/shm"));
        long timeout =
                number(environment, JOIN_TIMEOUT_MILLIS, 1, JOIN_TIMEOUT_MILLIS_MAX, JOIN_TIMEOUT_MILLIS_DEFAULT);
        long heartbeat = number(environment, HEARTBEAT_MILLIS, HEARTBEAT_MILLIS_MIN, JOIN_TIMEOUT_MILLIS_MAX,
                HEARTBEAT_MILLIS_DEFAULT);
        long standstill = number(environment, STANDSTILL_MILLIS, HEARTBEAT_MILLIS_MIN, JOIN_TIMEOUT_MILLIS_MAX,
                STANDSTILL_MILLIS_DEFAULT);
        int cores = (int) number(environment, CORES, 1, SIZE_MAX, 0);
        return Optional.of(new JobEnvironment(shape(environment, name, size), rank, Math.min(perProcess, size - rank),
                memory, timeout, heartbeat, standstill, cores > 0 ? cores : Runtime.getRuntime().availableProcessors(),
                service(environment), striping(environment), choice(environment), environment.getOrDefault(RAILS, ""),
                ports(environment), Optional.ofNullable(environment.get(RENDEZVOUS)),
                Optional.ofNullable(environment.get(SECRET_FILE)).map(Path::of)));
    }

    private static NodeShape shape(Map<String, String> environment, String job, int size) {
        int nodes = (int) number(environment, NODES, 1, size, 1);
        if (nodes > 1) {
            for (String name : new String[]{NODE, NODE_RANKS}) {
                if (!environment.containsKey(name)) {
                    throw new JobStartException("the environment variable " + name + " is missing, while " + NODES + "="
                            + nodes + "; set " + NODE + " to the number of the process's node, from 0, and "
                            + NODE_RANKS + " to the number of ranks on that node");
                }
            }
        }
        return new NodeShape(job, size, (int) number(environment, NODE, 0, NODE_MAX, 0), nodes,
                (int) number(environment, NODE_RANKS, 1, size, size));
    }

    private static PortRange ports(Map<String, String> environment) {
        try {
            return PortRange.parse(environment.getOrDefault(PORTS, ""));
        } catch (IllegalArgumentException e) {
            throw new JobStartException(PORTS + " cannot be used: " + e.getMessage());
        }
    }

    private static Service service(Map<String, String> environment) {
        try {
            return Service.parse(environment.getOrDefault(SERVICE, Service.SLEEP.toString()));
        } catch (IllegalArgumentException e) {
            throw new JobStartException(SERVICE + " cannot be used: " + e.getMessage());
        }
    }

    private static Striping striping(Map<String, String> environment) {
        try {
            return Striping.parse(environment.getOrDefault(STRIPING, Striping.SPEED.toString()));
        } catch (IllegalArgumentException e) {
            throw new JobStartException(STRIPING + " cannot be used: " + e.getMessage());
        }
    }

    /**
     * Reads the requested algorithms and the kind of links between nodes. The variables have an effect in a job of any
     * kind.
     *
     * @param environment the variables
     * @return the choice
     * @throws JobStartException if an algorithm or the kind of links is unknown, or the tuning file cannot be used
     */
    public static Choice choice(Map<String, String> environment) {
        Choice tuned = Choice.parse(tuning(environment));
        String text = environment.getOrDefault(ALGORITHM, "");
        try {
            return tuned.with(text).over(links(environment));
        } catch (IllegalArgumentException e) {
            throw new JobStartException(ALGORITHM + "=\"" + text + "\" cannot be used: " + e.getMessage());
        }
    }

    private static String tuning(Map<String, String> environment) {
        String file = environment.getOrDefault(TUNING, "");
        try {
            return file.isEmpty() ? "" : TuningFile.read(file);
        } catch (IllegalArgumentException e) {
            throw new JobStartException(TUNING + "=" + e.getMessage());
        }
    }

    private static Links links(Map<String, String> environment) {
        try {
            return Links.parse(environment.getOrDefault(LINKS, Links.FAST.toString()));
        } catch (IllegalArgumentException e) {
            throw new JobStartException(LINKS + " cannot be used: " + e.getMessage());
        }
    }

    /**
     * Returns the levels, the sizes of groups of ranks inside a node, for a job of any kind. They are the program's
     * levels, or the environment's if the program sets none.
     */
    public static int[] levels(Map<String, String> environment, JobOptions options) {
        if (!options.levels().isEmpty()) {
            return options.levels().stream().mapToInt(Integer::intValue).toArray();
        }
        String text = environment.getOrDefault(LEVELS, "");
        try {
            return parseLevels(text);
        } catch (IllegalArgumentException e) {
            throw new JobStartException(LEVELS + "=\"" + text + "\" cannot be used: " + e.getMessage());
        }
    }

    /**
     * Returns whether each call keeps the line of the program that has made it, in a job of any kind.
     *
     * @param environment the variables
     * @return true if the calls keep their lines
     * @throws JobStartException if the variable is neither 0 nor 1
     */
    public static boolean callSites(Map<String, String> environment) {
        return number(environment, CALL_SITES, 0, 1, 0) == 1;
    }

    /**
     * Reads levels, the sizes of groups of ranks inside a node, as they stand in the environment variable or the
     * command line.
     *
     * @param text the sizes, separated by commas, from the smallest to the greatest; may be empty
     * @return the sizes
     * @throws IllegalArgumentException if they cannot be read or do not nest; the message says why
     */
    public static int[] parseLevels(String text) {
        int[] levels;
        try {
            levels = Arrays.stream(text.split(",")).filter(part -> !part.isBlank())
                    .mapToInt(part -> Integer.parseInt(part.strip())).toArray();
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("\"" + text + "\" is no list of numbers such as 4,8", e);
        }
        return new Topology(new int[1], levels).levels();
    }

    /** Returns the job's name. */
    public String job() {
        return shape.job();
    }

    /**
     * Returns whether every thread of this node that may poll has a core of its own. These threads are the ranks, and
     * the service threads if they poll.
     */
    public boolean hasCoreForEach() {
        int polling = service == Service.POLL ? (shape.nodeRanks() + ranks - 1) / ranks : 0;
        return shape.nodeRanks() + polling <= cores;
    }

    /** Returns the number of ranks of the job. */
    public int size() {
        return shape.size();
    }

    static long number(Map<String, String> environment, String name, long least, long most, long otherwise) {
        String text = environment.get(name);
        if (text == null) {
            return otherwise;
        }
        long value;
        try {
            value = Long.parseLong(text);
        } catch (NumberFormatException _) {
            throw new JobStartException(name + "=\"" + text + "\" is no number; set it to one from " + least + " to "
                    + most);
        }
        if (value < least || value > most) {
            throw new JobStartException(name + "=\"" + text + "\" is not a number from " + least + " to " + most);
        }
        return value;
    }
}
