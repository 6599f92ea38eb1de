/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.tutti.job.node.NodeFile;

/**
 * The library as the ranks load it, and the archive of classes beside it (class data sharing). With the archive, ranks
 * start in half the time. It holds the classes that a training run loaded, and the classes of its lambda expressions
 * ({@link PrepareCommand}). An AOT cache would hold fewer, because a JVM with an incubator module, such as the Vector
 * API, links no classes ahead of time.
 *
 * <p>The JVM accepts the archive only for class paths that begin with this very jar of the library. A JVM with an
 * archive that does not fit would also do without the JDK's own archive. The name of the archive therefore identifies
 * its jar and its JVM, and this class ignores archives with other names.
 */
public final class RankCache {
    private static final String JAR = "jar:";
    private static final String SUFFIX = ".jsa";

    /** Options that ask for another archive, or for another layout of objects than the archive's. */
    private static final Pattern OTHER = Pattern.compile("-XX:(AOT|\\w*Archive).*|-Xshare:.*"
            + "|-XX:[+](UseZGC|UseCompactObjectHeaders)|-XX:-UseCompressed\\w+");

    /** The largest heap with references as short as the archive's. */
    private static final long COMPRESSED_HEAP_BYTES_MAX = 31L << 30;

    private static final String SILENCE = "-Xlog:aot*=off,cds*=off";

    private RankCache() {}

    /** {@return the jar of the library, or its directory of classes} */
    static Path library() {
        return codeOf(NodeFile.class);
    }

    /**
     * {@return the jar of a class, or its directory}
     *
     * <p>This method takes it from the class path. The code source of the class would be wrong, because an AOT cache
     * keeps the path that the jar had in the training run.
     */
    public static Path codeOf(Class<?> type) {
        var classPath = System.getProperty("java.class.path");
        if (!classPath.isEmpty() && !classPath.contains(File.pathSeparator)) {
            return Path.of(classPath).toAbsolutePath().normalize(); // the jar of the command line, without opening it
        }
        var file = "/" + type.getName().replace('.', '/') + ".class";
        var place = type.getResource(file).toString();
        var code = place.substring(0, place.length() - file.length());
        return Path.of(URI.create(code.startsWith(JAR) ? code.substring(JAR.length(), code.length() - 1) : code));
    }

    /** {@return the path of the archive, whether it exists or not} */
    static Path file() {
        try {
            var jar = Files.readAttributes(library(), BasicFileAttributes.class);
            return library().resolveSibling(prefix() + Runtime.version() + "-" + jar.size() + "-"
                    + jar.lastModifiedTime().toMillis() + SUFFIX);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** {@return the archives of every library that is or was at this path, for any JVM} */
    static List<Path> files() throws IOException {
        try (var files = Files.list(library().getParent())) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix())
                    && file.toString().endsWith(SUFFIX)).toList();
        }
    }

    private static String prefix() {
        return library().getFileName() + "-ranks-";
    }

    /**
     * {@return the JVM options that use the archive; empty if there is no archive of a jar or the user asks for
     * another}
     *
     * @param userOptions options of the user, from the command line and from the environment
     * @param heapBytes how large the heap may become
     */
    static List<String> options(List<String> userOptions, long heapBytes) {
        boolean isOther = heapBytes > COMPRESSED_HEAP_BYTES_MAX
                || userOptions.stream().anyMatch(option -> OTHER.matcher(option).matches());
        boolean isJar = Files.isRegularFile(library()); // a directory's classes may be newer than the archive
        return isOther || !isJar || !Files.isReadable(file()) ? List.of()
                : List.of("-XX:SharedArchiveFile=" + file(), SILENCE);
    }

    /** {@return the JVM options of the training run, which lists the classes of the archive} */
    static List<String> trainingOptions(Path classes) {
        return List.of("-XX:DumpLoadedClassList=" + classes, SILENCE);
    }

    /** {@return the command that makes an archive} */
    static List<String> dumpCommand(Path classes, Path archive) {
        List<String> command = new ArrayList<>(List.of(RankCommand.java(), "-XX:+UseSerialGC", "-Xshare:dump", SILENCE,
                "-XX:SharedClassListFile=" + classes, "-XX:SharedArchiveFile=" + archive));
        command.addAll(RankCommand.modules());
        command.addAll(List.of("-cp", library().toString()));
        return command;
    }
}
