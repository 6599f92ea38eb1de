/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.house;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import org.tutti.collective.Algorithm;

/**
 * Which packages of the library use which, as its classes tell. Packages are named without {@code org.tutti}. Those
 * that have an {@link Algorithm} of their own count as one, {@value #ALGORITHMS}. The face, {@code org.tutti}, is left
 * out, because every package may use it.
 */
final class PackageDependencies {
    /** The packages of all algorithms. */
    static final String ALGORITHMS = "algorithms";

    private static final String FACE = "org.tutti";

    private final Set<String> packagesOfAlgorithms;
    private final Map<String, Set<String>> direct = new TreeMap<>();

    PackageDependencies(JavaClasses classes) {
        packagesOfAlgorithms = classes.stream()
                .filter(type -> type.isAssignableTo(Algorithm.class) && !type.isInterface())
                .map(JavaClass::getPackageName).filter(name -> name.matches("org\\.tutti\\.collective\\.\\w+"))
                .collect(Collectors.toSet());
        packagesOfAlgorithms.remove("org.tutti.collective.blocks"); // what several of them have in common
        classes.stream().filter(type -> isPart(type)).forEach(type -> {
            Set<String> used = direct.computeIfAbsent(name(type), _ -> new TreeSet<>());
            type.getDirectDependenciesFromSelf().stream().map(Dependency::getTargetClass)
                    .map(JavaClass::getBaseComponentType).filter(PackageDependencies::isPart).map(this::name)
                    .filter(name -> !name.equals(name(type))).forEach(used::add);
        });
    }

    private static boolean isPart(JavaClass type) {
        return type.getPackageName().startsWith(FACE + ".");
    }

    private String name(JavaClass type) {
        String name = type.getPackageName();
        return packagesOfAlgorithms.contains(name) ? ALGORITHMS : name.substring(FACE.length() + 1);
    }

    /** Every package, with those that it uses and that do not follow from others which it uses. */
    Map<String, Set<String>> reduced() {
        Map<String, Set<String>> reduced = new TreeMap<>();
        direct.forEach((name, used) -> reduced.put(name, used.stream()
                .filter(each -> used.stream().noneMatch(other -> !other.equals(each) && reached(other).contains(each)))
                .collect(Collectors.toCollection(TreeSet::new))));
        return reduced;
    }

    private Set<String> reached(String from) {
        Set<String> reached = new TreeSet<>(direct.get(from));
        direct.get(from).forEach(each -> reached.addAll(reached(each)));
        return reached;
    }
}
