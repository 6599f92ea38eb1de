/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Explains why a file or directory cannot be used, without the names of Java's exception classes. */
public final class FileReason {
    private FileReason() {}

    /**
     * Returns the reason of a failure in plain words.
     *
     * @param failure the exception
     * @return a clause that does not repeat the path
     */
    public static String of(IOException failure) {
        return switch (failure) {
            case AccessDeniedException _ -> "permission denied";
            case NoSuchFileException _ -> "no such file or directory";
            case FileSystemException failed when failed.getReason() != null -> failed.getReason();
            default -> failure.getMessage();
        };
    }
}
