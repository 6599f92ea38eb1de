/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.tutti.job.NodeFile;

/**
 * The library as the ranks load it, and the AOT cache beside it that lets them start in half the time: classes that
 * were loaded and linked in a training run ({@link PrepareCommand}). The JVM takes it only for class paths that begin
 * with the library's very jar, and starts as ever, and silently, when it does not fit.
 */
public final class RankCache {
    private static final String SILENCE = "-Xlog:aot*=off,cds*=off";

    private RankCache() {}

    /** {@return the jar of the library, or its directory of classes} */
    static Path library() {
        return codeOf(NodeFile.class);
    }

    /** {@return the jar of a class, or its directory} */
    public static Path codeOf(Class<?> type) {
        return Path.of(URI.create(type.getProtectionDomain().getCodeSource().getLocation().toString()));
    }

    /** {@return where the cache is, if it has been made} */
    static Path file() {
        return library().resolveSibling("rank.aot");
    }

    /** {@return the JVM options that use the cache, none if there is no cache of a jar or the user asks for another} */
    static List<String> options(List<String> userOptions) {
        boolean other = userOptions.stream().anyMatch(option -> option.matches("-XX:(AOT|.*Archive).*|-Xshare:.*"));
        boolean isJar = Files.isRegularFile(library()); // a directory's classes may be newer than the cache
        return other || !isJar || !Files.isReadable(file()) ? List.of() : List.of("-XX:AOTCache=" + file(), SILENCE);
    }

    /** {@return the JVM options of the run that makes a cache at its end} */
    static List<String> trainingOptions(Path cache) {
        return List.of("-XX:AOTCacheOutput=" + cache, SILENCE);
    }
}
