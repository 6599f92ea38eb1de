/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.tutti.TuttiException;
import org.tutti.lab.compare.Contender.Kind;

/**
 * Knows the other implementations: their packages, how to compile their programs, and the fastest ways to start them.
 */
final class PeerPrograms {
    /** The names of the peers that have collectives. */
    static final List<String> NAMES = List.of("openmpi", "mpich", "mpjexpress", PeerPrograms.OPENMPI_JAVA);

    /** The peer that needs the path of its classes. */
    static final String OPENMPI_JAVA = "openmpi-java";

    /** The peers with a program in C, which can make groups of ranks, time single calls and send messages. */
    static final List<String> C_NAMES = List.of("openmpi", "mpich");

    /** The names of the peers that have one-sided operations. */
    static final List<String> ONE_SIDED_NAMES = List.of("openmpi", "mpich", "raw");

    private static final Path MPJ = Path.of("/usr/share/mpj");
    private static final Path LOG4J = Path.of("/usr/share/java/log4j-1.2.jar");

    private final Place place;
    private final Path mpiJar;

    /**
     * @param place the files of the comparison
     * @param mpiJar the classes of Open MPI's Java bindings, or null
     */
    PeerPrograms(Place place, Path mpiJar) {
        this.place = place;
        this.mpiJar = mpiJar;
    }

    /** {@return how to install a peer and the compiler of its program} */
    static String installLine(String peer) {
        return "apt-get install " + switch (peer) {
            case "openmpi" -> "openmpi-bin libopenmpi-dev gcc";
            case OPENMPI_JAVA -> "openmpi-bin libopenmpi3 default-jdk-headless, and name its mpi.jar by --mpi-jar";
            case "mpich" -> "mpich libmpich-dev gcc";
            case "raw" -> "gcc libc6-dev";
            default -> "libmpj-java default-jdk-headless";
        };
    }

    static boolean isInstalled(String peer, Path mpiJar) {
        return switch (peer) {
            case OPENMPI_JAVA -> mpiJar != null && Place.hasCommand("mpirun.openmpi") && Place.hasCommand("java")
                    && Place.hasCommand("javac");
            case "openmpi", "mpich" -> Place.hasCommand("mpirun." + peer) && Place.hasCommand("mpicc." + peer)
                    && hasHeader("mpicc." + peer);
            case "raw" -> Place.hasCommand("gcc");
            default -> Files.isRegularFile(MPJ.resolve("lib/starter.jar")) && Files.isRegularFile(LOG4J)
                    && Place.hasCommand("java") && Place.hasCommand("javac");
        };
    }

    /** Whether a compiler finds MPI's header, which may be in a separate package. */
    private static boolean hasHeader(String compiler) {
        try {
            return new ProcessBuilder(compiler, "-E", "-x", "c", "-include", "mpi.h", "-o", "/dev/null", "/dev/null")
                    .redirectErrorStream(true).redirectOutput(Redirect.DISCARD).start().waitFor() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new TuttiException("interrupted while " + compiler + " was asked whether it has mpi.h", e);
        }
    }

    /** {@return the contenders of an installed peer for a loop; this method compiles the peer's program} */
    List<Contender> contenders(String peer, Loop measured) throws IOException, InterruptedException {
        return switch (peer) {
            case "openmpi" -> openMpi(peer, Kind.NATIVE,
                    List.of(compileC(peer, measured, "mpicc.openmpi").toString()),
                    measured instanceof CollectiveLoop ? List.of(false, true) : List.of(false));
            case OPENMPI_JAVA -> openMpiJava();
            case "mpich" -> mpich(compileC(peer, measured, "mpicc.mpich"));
            case "raw" -> raw(compileC(peer, measured, "gcc", "-DRAW"));
            default -> mpjExpress();
        };
    }

    /** The variants of Open MPI; the best one counts. */
    private List<Contender> openMpi(String peer, Kind kind, List<String> program, List<Boolean> hierarchies) {
        List<Contender> contenders = new ArrayList<>();
        for (int yields = 1; yields >= 0; yields--) {
            for (boolean hierarchical : hierarchies) {
                var options = List.of("--mca", "mpi_yield_when_idle", String.valueOf(yields), "--mca",
                        "coll_han_priority", hierarchical ? "100" : "0");
                var name = peer + (yields == 1 ? " yield" : " spin") + (hierarchical ? " han" : "");
                contenders.add(new Contender(name, kind, 0, layout -> !hierarchical || layout.nodes() > 1,
                        (layout, loop, gates) -> openMpiCommand(program, options, layout, loop, gates)));
            }
        }
        return contenders;
    }

    private List<Contender> openMpiJava() throws IOException, InterruptedException {
        var classes = compileJava("OpenMpiCollectives", mpiJar.toAbsolutePath().toString());
        return openMpi(OPENMPI_JAVA, Kind.JAVA, List.of("java", "-cp", classes + ":" + mpiJar.toAbsolutePath(),
                "OpenMpiCollectives"), List.of(false));
    }

    private static List<String> both(List<String> some, List<String> others) {
        return Stream.concat(some.stream(), others.stream()).toList();
    }

    /** The beginning of a command that sets these variables and those of the loop. */
    private static List<String> environment(Loop loop, String... variables) {
        var all = both(List.of(variables), loop.environment());
        return all.isEmpty() ? List.of() : both(List.of("env"), all);
    }

    /** Two processes without a library between them; the second one enters the other host by itself. */
    private List<Contender> raw(Path program) {
        return List.of(new Contender("raw", Kind.RAW, 0, layout -> layout.ranks() == 2, (layout, loop, gates) -> {
            List<String> words = new ArrayList<>(environment(loop));
            words.add(program.toString());
            words.addAll(loop.arguments(layout, gates));
            if (layout.nodes() > 1) {
                words.add(place.cluster() + "-2");
            }
            return place.onFirstHost(layout, words);
        }));
    }

    /** {@return the command that starts a program under Open MPI with these options and those of the layout} */
    List<String> openMpiCommand(List<String> program, List<String> options, Layout layout, Loop loop,
            Path gates) {
        List<String> words = new ArrayList<>(environment(loop, "OMPI_ALLOW_RUN_AS_ROOT=1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"));
        words.addAll(List.of("mpirun.openmpi", "--oversubscribe", "--bind-to", "none", "--mca",
                "btl_vader_backing_directory", place.scratch().toString(), "-n", String.valueOf(layout.ranks())));
        words.addAll(options);
        if (layout.nodes() == 1) {
            words.addAll(List.of("--mca", "btl", "self,vader"));
        } else {
            words.addAll(List.of("--mca", "btl", "self,vader,tcp", "--mca", "osc", "pt2pt", "--mca",
                    "btl_tcp_if_include", String.join(",", place.rails()), "--mca",
                    "oob_tcp_if_include", place.rails().getFirst(), "--mca", "plm_rsh_agent", place.agent().toString(),
                    "--leave-session-attached",
                    "--host", place.hosts(layout)));
        }
        words.addAll(program);
        words.addAll(loop.arguments(layout, gates));
        return place.onFirstHost(layout, words);
    }

    private List<Contender> mpich(Path program) {
        return List.of(new Contender("mpich", Kind.NATIVE, 0, layout -> true, (layout, loop, gates) -> {
            List<String> words = new ArrayList<>(layout.nodes() == 1 ? environment(loop)
                    : environment(loop, "UCX_TLS=tcp,self", // UCX would find shared memory across namespaces
                            "UCX_NET_DEVICES=" + String.join(",", place.rails())));
            words.addAll(List.of("mpirun.mpich", "-n", String.valueOf(layout.ranks())));
            if (layout.nodes() > 1) {
                words.addAll(List.of("-launcher", "ssh", "-launcher-exec", place.agent().toString(), "-iface",
                        place.rails().getFirst(), "-hosts",
                        place.hosts(layout)));
            }
            words.add(program.toString());
            words.addAll(loop.arguments(layout, gates));
            return place.onFirstHost(layout, words);
        }));
    }

    /** MPJ Express with its ranks as threads of one process, and so on one node, because other ways need daemons. */
    private List<Contender> mpjExpress() throws IOException, InterruptedException {
        var home = place.cache().resolve("mpj");
        copy(MPJ, home);
        Files.copy(LOG4J, home.resolve("lib/log4j-1.2.jar"), StandardCopyOption.REPLACE_EXISTING);
        var classes = compileJava("MpjCollectives", home.resolve("lib/mpj.jar") + ":" + home.resolve("lib/mpi.jar"));
        return List
                .of(new Contender("mpjexpress", Kind.JAVA, 0, layout -> layout.nodes() == 1, (layout, loop, gates) -> {
                    List<String> words = new ArrayList<>(List.of("env", "MPJ_HOME=" + home, "java", "-jar",
                            home.resolve("lib/starter.jar").toString(), "-np", String.valueOf(layout.ranks()), "-cp",
                            classes.toString(), "MpjCollectives"));
                    words.addAll(loop.arguments(layout, gates));
                    return words;
                }));
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (var file : files.toList()) {
                var target = to.resolve(from.relativize(file).toString());
                if (Files.isDirectory(file)) {
                    Files.createDirectories(target);
                } else {
                    Files.copy(file, target, StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
    }

    /** Compiles the Java program that calls an MPI, and its loop. */
    private Path compileJava(String program, String classPath) throws IOException, InterruptedException {
        var classes = place.cache().resolve(program);
        Files.createDirectories(classes);
        var sources = place.home().resolve("bench/peers");
        compile(program, List.of("javac", "-nowarn", "-cp", classPath, "-d", classes.toString(),
                sources.resolve("PeerLoop.java").toString(), sources.resolve(program + ".java").toString()));
        return classes;
    }

    private Path compileC(String peer, Loop measured, String... compiler) throws IOException, InterruptedException {
        var program = place.cache().resolve(measured.program() + "." + peer);
        var fresh = place.cache().resolve(measured.program() + "." + peer + "." + ProcessHandle.current().pid());
        try {
            compile(peer, both(List.of(compiler), List.of("-O3", "-march=native", "-o", fresh.toString(),
                    place.home().resolve("bench/peers/" + measured.program() + ".c").toString())));
            return Files.move(fresh, program, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static void compile(String peer, List<String> command) throws IOException, InterruptedException {
        var compiler = new ProcessBuilder(command).redirectErrorStream(true).start();
        var said = new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (compiler.waitFor() != 0) {
            throw new TuttiException("the program of " + peer + " cannot be compiled by " + String.join(" ", command)
                    + "; install what is missing (" + installLine(peer) + ") or leave the peer out with --contenders:\n"
                    + said);
        }
    }
}
