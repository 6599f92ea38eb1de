/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Drops the lines in which JVMs of a job report options from their environment, except the first such line for each
 * variable. The launcher's own JVM may already have printed that line.
 */
final class PickedUpOptions implements LineFilter {
    private static final String SIGN = "Picked up ";
    private static final String SIGN_OF_COMMAND = "NOTE: " + SIGN; // printed by the command java, not by the JVM
    private static final int LINES_MAX = 1000;

    private final Set<String> said = new HashSet<>();

    /** Starts with the lines that this process's own JVM has printed. */
    PickedUpOptions() {
        this(System.getenv());
    }

    /** @param environment the environment of this process */
    PickedUpOptions(Map<String, String> environment) {
        JvmVariables.ofJvm(environment).forEach((name, value) -> said.add(line(SIGN, name, value)));
        JvmVariables.ofCommand(environment).forEach((name, value) -> said.add(line(SIGN_OF_COMMAND, name, value)));
    }

    private static String line(String sign, String name, String value) {
        var bytes = (sign + name + ": " + value + "\n").getBytes(SystemCharset.CHARSET);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    @Override
    public synchronized byte[] take(byte[] bytes, int from, int to) {
        if (bytes[from] != SIGN.charAt(0) && bytes[from] != SIGN_OF_COMMAND.charAt(0)) {
            return null;
        }
        var line = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
        boolean isOne = JvmVariables.NAMES.stream()
                .anyMatch(
                        name -> line.startsWith(SIGN + name + ": ") || line.startsWith(SIGN_OF_COMMAND + name + ": "));
        return isOne && (said.contains(line) || said.size() < LINES_MAX && !said.add(line)) ? NOTHING : null;
    }
}
