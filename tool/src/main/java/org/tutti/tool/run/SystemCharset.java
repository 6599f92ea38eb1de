/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

import org.tutti.tool.UsageException;

/**
 * The charset of the locale in which this JVM was started. The JVM reads and writes arguments, variables of the
 * environment and paths in this charset, and silently loses characters that the charset does not have: in the locale C,
 * all except ASCII.
 */
public final class SystemCharset {
    /** The charset. */
    static final Charset CHARSET = Charset.forName(System.getProperty("sun.jnu.encoding"));

    private static final Path ARGUMENTS = Path.of("/proc/self/cmdline");
    private static final Path DIRECTORY = Path.of("/proc/self/cwd");

    private SystemCharset() {}

    /**
     * Checks that this JVM has understood the arguments of its command line.
     *
     * @param arguments the arguments as this JVM has understood them
     * @throws UsageException if an argument is no text in the charset of the locale
     */
    public static void requireArguments(String... arguments) {
        byte[] line;
        try {
            line = Files.readAllBytes(ARGUMENTS);
        } catch (IOException _) {
            return; // not Linux
        }
        var given = new String(line, StandardCharsets.ISO_8859_1).split("\0", -1); // plus an empty last part
        int first = given.length - 1 - arguments.length;
        for (int index = 0; index < arguments.length && first >= 0; index++) {
            if (!isText(given[first + index].getBytes(StandardCharsets.ISO_8859_1))) {
                throw new UsageException("argument " + (index + 1) + ", \"" + arguments[index] + "\", is no text in "
                        + inForce());
            }
        }
    }

    private static boolean isText(byte[] bytes) {
        try {
            CHARSET.newDecoder().decode(ByteBuffer.wrap(bytes)); // throws if the bytes are no text
            return true;
        } catch (CharacterCodingException _) {
            return false;
        }
    }

    /** Checks that this JVM knows its working directory. */
    static void requireDirectory() {
        var directory = Path.of("").toAbsolutePath();
        try {
            if (Files.exists(DIRECTORY) && !Files.isSameFile(directory, DIRECTORY)) {
                throw new UsageException("the working directory is taken for " + directory
                        + ", as its path is no text in " + inForce());
            }
        } catch (IOException _) {
            throw new UsageException("the working directory cannot be used: it is taken for " + directory
                    + "; change to another one if that has been deleted, else its path is no text in " + inForce());
        }
    }

    /**
     * {@return a text for an argument, a variable or a path on this host, after checking that the charset has its
     * characters}
     */
    static String require(String text) {
        if (!CHARSET.newEncoder().canEncode(text)) {
            throw new UsageException("\"" + text + "\" cannot be written in " + inForce());
        }
        return text;
    }

    private static String inForce() {
        var variable = Stream.of("LC_ALL", "LC_CTYPE", "LANG")
                .filter(name -> !Optional.ofNullable(System.getenv(name)).orElse("").isEmpty()).findFirst();
        return CHARSET.name() + ", the charset of the locale in force ("
                + variable.map(name -> name + "=" + System.getenv(name)).orElse("C, as neither LC_ALL nor LANG is set")
                + "); set LC_ALL=C.UTF-8, or another locale that is installed here and has the right charset";
    }
}
