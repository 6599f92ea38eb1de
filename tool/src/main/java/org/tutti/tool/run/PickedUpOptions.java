/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Leaves out what each JVM of a job says of options that it has found in its environment, but for the first one that
 * says it, which may be the launcher's own.
 */
final class PickedUpOptions implements LineFilter {
    private static final String SIGN = "Picked up ";
    private static final String SIGN_OF_COMMAND = "NOTE: " + SIGN; // the command java says so, not the JVM
    private static final int LINES_MAX = 1000;

    private final Set<String> said = new HashSet<>();

    /** Of all that JVMs have said, this process has seen what its own has. */
    PickedUpOptions() {
        this(System.getenv());
    }

    /** @param environment of this process */
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
