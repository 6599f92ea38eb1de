/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;

import org.tutti.JobStartException;

/** Carries the classes that the launcher has compiled to another host. */
final class ClassFiles {
    private static final int PIECE_BYTES = 1 << 16;
    private static final long BYTES_MAX = 1 << 28;
    private static final int FILES_MAX = 1 << 16;

    private final Path directory;
    private long bytes;
    private int files;

    /** @param directory takes the files that arrive */
    ClassFiles(Path directory) {
        this.directory = directory;
    }

    /** Sends all classes of a directory. */
    static void send(Path directory, Consumer<byte[]> send) throws IOException {
        try (var paths = Files.walk(directory)) {
            for (var path : paths.filter(file -> file.toString().endsWith(".class")).toList()) {
                var name = directory.relativize(path).toString();
                var content = Files.readAllBytes(path);
                for (int from = 0; from < content.length; from += PIECE_BYTES) {
                    send.accept(new SessionFrame.Builder(FrameKind.CLASS_FILE).text(name)
                            .piece(content, from, Math.min(content.length, from + PIECE_BYTES)).bytes());
                }
            }
        }
    }

    /** Writes a piece of a class file below the directory; a path that leads elsewhere is an error. */
    void take(SessionFrame frame) throws IOException {
        var name = frame.text();
        var piece = frame.piece();
        var file = directory.resolve(name).normalize();
        bytes += piece.length;
        if (!file.startsWith(directory) || !name.endsWith(".class") || name.indexOf('\0') >= 0) {
            throw new JobStartException("the launcher sent a class file called " + name);
        }
        if (bytes > BYTES_MAX) {
            throw new JobStartException("the compiled classes have more than " + BYTES_MAX
                    + " bytes; put them into a jar on every host");
        }
        Files.createDirectories(file.getParent());
        if (!Files.exists(file) && ++files > FILES_MAX) {
            throw new JobStartException("there are more than " + FILES_MAX
                    + " compiled classes; put them into a jar on every host");
        }
        Files.write(file, piece, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }
}
