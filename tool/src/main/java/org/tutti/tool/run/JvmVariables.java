/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The variables of the environment from which JVMs take options in addition to those of their command line. */
final class JvmVariables {
    private static final List<String> OF_JVM = List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");
    private static final List<String> OF_COMMAND = List.of("JDK_JAVA_OPTIONS");

    /** The names of all these variables. */
    static final List<String> NAMES = Stream.concat(OF_JVM.stream(), OF_COMMAND.stream()).toList();

    private JvmVariables() {}

    /** {@return the variables of an environment that every JVM reads} */
    static Map<String, String> ofJvm(Map<String, String> environment) {
        return only(OF_JVM, environment);
    }

    /** {@return the variables of an environment that only the command {@code java} reads} */
    static Map<String, String> ofCommand(Map<String, String> environment) {
        return only(OF_COMMAND, environment);
    }

    private static Map<String, String> only(List<String> names, Map<String, String> environment) {
        Map<String, String> found = new LinkedHashMap<>();
        names.stream().filter(environment::containsKey).forEach(name -> found.put(name, environment.get(name)));
        return found;
    }

    /** {@return the words of all these variables} */
    static List<String> options(Map<String, String> environment) {
        return NAMES.stream().map(environment::get).filter(Objects::nonNull)
                .flatMap(value -> Stream.of(value.strip().split("\\s+"))).toList();
    }
}
