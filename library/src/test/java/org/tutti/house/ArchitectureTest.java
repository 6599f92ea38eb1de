/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.house;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.Collective;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.blocks.CarriedBlocksAlgorithm;
import org.tutti.collective.calls.RankRecord;
import org.tutti.collective.machine.LiveMachine;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Imports point one way, and every algorithm is in the catalogue. {@link PackagesTest} compares the picture of the
 * packages with the classes.
 */
@Execution(ExecutionMode.CONCURRENT) // it only computes
class ArchitectureTest {
    static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages("org.tutti");

    /** How many classes of a package may depend on each other. */
    private static final int CIRCLE_MAX = 6;

    /** What is loaded only where the module of the Vector API is present. */
    private static final String VECTOR_LOOPS = ".*\\.kernel\\.(VectorLoops|SegmentLoop)(\\$.*)?";

    private static final String KERNELS = "org.tutti.collective.kernel";

    /** What computes, and leaves waits, clocks and other nodes to a team. */
    private static final String[] ALGORITHMS = {"org.tutti.pattern", KERNELS, "org.tutti.collective.stage",
            "org.tutti.collective.blocks", "org.tutti.collective.barrier", "org.tutti.collective.broadcast",
            "org.tutti.collective.reduce", "org.tutti.collective.allreduce", "org.tutti.collective.allgather",
            "org.tutti.collective.alltoall", "org.tutti.collective.gather", "org.tutti.collective.scatter",
            "org.tutti.collective.reducescatter", "org.tutti.collective.scan"};

    private static void onlyDependsOn(String house, String... others) {
        String[] allowed = Arrays.copyOf(others, others.length + 3);
        allowed[others.length] = house;
        allowed[others.length + 1] = "java..";
        allowed[others.length + 2] = "org.tutti";
        classes().that().resideInAPackage(house).should().onlyDependOnClassesThat().resideInAnyPackage(allowed)
                .check(CLASSES);
    }

    @Test
    void shouldLookAtSomething() {
        assertThat(CLASSES.size()).isGreaterThan(50);
    }

    @Test
    void shouldPointOneWay() {
        classes().that().resideInAPackage("org.tutti").and().doNotHaveSimpleName("Tutti").should()
                .onlyDependOnClassesThat().resideInAnyPackage("org.tutti", "java..").check(CLASSES);
        onlyDependsOn("org.tutti.events", "jdk.jfr");
        onlyDependsOn("org.tutti.memory", "org.tutti.events");
        onlyDependsOn("org.tutti.pattern");
        onlyDependsOn("org.tutti.fabric", "org.tutti.memory");
        onlyDependsOn("org.tutti.fabric.tcp", "org.tutti.events", "org.tutti.fabric", "org.tutti.memory",
                "javax.crypto..",
                "jdk.net");
        onlyDependsOn("org.tutti.collective..", "org.tutti.events", "org.tutti.fabric", "org.tutti.memory",
                "org.tutti.pattern",
                "jdk.incubator.vector");
        onlyDependsOn("org.tutti.choice", "org.tutti.collective..", "org.tutti.memory");
        onlyDependsOn("org.tutti.onesided", "org.tutti.events", "org.tutti.collective.kernel",
                "org.tutti.collective.members",
                "org.tutti.fabric", "org.tutti.memory");
        onlyDependsOn("org.tutti.message", "org.tutti.events", "org.tutti.collective.machine",
                "org.tutti.collective.members",
                "org.tutti.fabric", "org.tutti.memory");
        onlyDependsOn("org.tutti.job.launch", "org.tutti.choice", "org.tutti.fabric", "org.tutti.fabric.tcp");
        onlyDependsOn("org.tutti.job.node", "org.tutti.events", "org.tutti.job.launch", "org.tutti.choice",
                "org.tutti.collective..",
                "org.tutti.fabric.tcp", "org.tutti.memory", "org.tutti.message", "javax.crypto..");
        onlyDependsOn("org.tutti.job.network", "org.tutti.job.node", "org.tutti.job.launch", "org.tutti.choice",
                "org.tutti.collective..", "org.tutti.fabric", "org.tutti.fabric.tcp", "org.tutti.memory");
        onlyDependsOn("org.tutti.job.diagnosis", "org.tutti.job.node", "org.tutti.memory");
        onlyDependsOn("org.tutti.job.requests", "org.tutti.events", "org.tutti.collective..", "org.tutti.memory");
        onlyDependsOn("org.tutti.job.communicators", "org.tutti.events", "org.tutti.job.diagnosis",
                "org.tutti.job.network",
                "org.tutti.job.node", "org.tutti.job.requests", "org.tutti.choice", "org.tutti.collective..",
                "org.tutti.fabric", "org.tutti.memory", "org.tutti.message", "org.tutti.onesided");
    }

    @Test
    void shouldHaveNoCircles() {
        // the face knows nobody but through its door, Tutti, which opens org.tutti.job
        SlicesRuleDefinition.slices().matching("org.tutti.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void shouldHaveSmallCirclesOfClassesOnly() {
        Map<String, List<JavaClass>> packages = CLASSES.stream().filter(type -> !type.isNestedClass())
                .collect(Collectors.groupingBy(JavaClass::getPackageName));
        packages.forEach((name, types) -> largestCircle(types).ifPresent(circle -> assertThat(circle)
                .as("a circle of classes in %s", name).hasSizeLessThanOrEqualTo(CIRCLE_MAX)));
    }

    /** Classes that all depend on each other, by way of others, as many as do; nested ones count as their outermost. */
    private static Optional<Set<String>> largestCircle(List<JavaClass> types) {
        Map<String, Set<String>> reached = new TreeMap<>();
        types.forEach(type -> reached.put(type.getName(), new TreeSet<>()));
        CLASSES.stream().filter(type -> reached.containsKey(outermost(type)))
                .forEach(type -> type.getDirectDependenciesFromSelf().stream()
                        .map(dependency -> outermost(dependency.getTargetClass())).filter(reached::containsKey)
                        .forEach(reached.get(outermost(type))::add));
        reached.keySet().forEach(by -> reached.values().stream().filter(targets -> targets.contains(by))
                .forEach(targets -> targets.addAll(reached.get(by))));
        return reached.keySet().stream().map(from -> reached.get(from).stream()
                .filter(to -> reached.get(to).contains(from)).collect(Collectors.<String>toSet()))
                .max(Comparator.comparingInt(Set::size));
    }

    private static String outermost(JavaClass type) {
        return type.getBaseComponentType().getName().replaceFirst("\\$.*", "");
    }

    @Test
    void shouldKeepFilesSocketsAndClocksOutOfAlgorithms() {
        noClasses().that().resideInAnyPackage(ALGORITHMS).and()
                .haveNameNotMatching(VECTOR_LOOPS) // they read a class file of the library, and name a byte order
                .should().dependOnClassesThat()
                .resideInAnyPackage("org.tutti.fabric..", "java.io", "java.nio..", "java.net", "java.time",
                        "java.util.concurrent..")
                .orShould().callMethod(System.class, "nanoTime").orShould()
                .callMethod(System.class, "currentTimeMillis")
                .check(CLASSES);
    }

    /** Or the simulator would not see it; its predictions have no bytes behind their addresses. */
    @Test
    void shouldReachWordsThroughTheMachineOnly() {
        DescribedPredicate<JavaMethodCall> reachesBytes = DescribedPredicate.describe("reach bytes", call -> {
            String owner = call.getTargetOwner().getName();
            return owner.equals("org.tutti.memory.Words")
                    || owner.equals("java.lang.foreign.MemorySegment") && call.getName().matches("copy|fill|get|set");
        });
        noClasses().that().resideInAPackage("org.tutti.collective..").and().resideOutsideOfPackage(KERNELS).and()
                .areNotAssignableTo(LiveMachine.class).and()
                .resideOutsideOfPackage(RankRecord.class.getPackageName()) // a record, on which no rank waits
                .should()
                .callMethodWhere(reachesBytes).check(CLASSES);
    }

    @Test
    void shouldLinkToTheIncubatorModuleInVectorLoopsOnly() {
        noClasses().that().haveNameNotMatching(VECTOR_LOOPS).should()
                .dependOnClassesThat().resideInAPackage("jdk.incubator.vector").check(CLASSES);
        noClasses().that().haveNameNotMatching(VECTOR_LOOPS).and().doNotHaveSimpleName("VectorKernel").and()
                .doNotHaveSimpleName("Kernels").should().dependOnClassesThat().haveNameMatching(VECTOR_LOOPS)
                .check(CLASSES);
    }

    @Test
    void shouldGiveAlgorithmsNoRawMemory() {
        noClasses().that().areAssignableTo(Algorithm.class).and().doNotHaveSimpleName("Algorithm").should()
                .dependOnClassesThat().resideInAnyPackage("java.lang.foreign", "org.tutti.memory").check(CLASSES);
    }

    @Test
    void shouldListEveryAlgorithmInTheCatalogue() {
        TreeSet<String> written = new TreeSet<>();
        CLASSES.stream().filter(type -> type.isAssignableTo(Algorithm.class))
                .filter(type -> !type.getModifiers().contains(JavaModifier.ABSTRACT))
                .forEach(type -> written.add(type.getName()));
        TreeSet<String> listed = new TreeSet<>();
        for (Collective collective : Collective.values()) {
            Catalogue.of(collective).forEach(algorithm -> listed.add(algorithm.getClass().getName()));
        }
        listed.add(CarriedBlocksAlgorithm.class.getName()); // runs a listed one on other memory
        assertThat(listed).isEqualTo(written);
    }
}
