/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test method, or all test methods of a class, on several ranks of one job at the same time. Each rank gets its
 * own arguments for parameters of type {@link org.tutti.Job} and {@link org.tutti.Communicator}: the job, and its
 * world.
 *
 * <pre>{@code
 * @Test
 * @Ranks(4)
 * void shouldAddUpOnAllRanks(Communicator world) {
 *     assertEquals(6, world.allreduce((long) world.rank(), Reduction.SUM));
 * }
 * }</pre>
 *
 * <p>If a rank fails, the calls of the other ranks end, and the test fails with an {@link AssertionError}. Its message
 * begins with the number of the rank that failed first, and its cause is that rank's exception. The annotation of a
 * method overrides the annotation of its class. The annotation of a {@code @Nested} class overrides the annotation of
 * the class around it. The annotation works with any kind of test that is a method, such as {@code @RepeatedTest} and
 * {@code @ParameterizedTest}, but not with {@code @TestFactory}.
 *
 * <p><b>Threads</b> are the default, as in {@link org.tutti.Tutti#runLocal}. They share the instance of the test class.
 * Methods such as {@code @BeforeEach} and {@code @AfterEach} run once, on JUnit's thread.
 *
 * <p><b>Processes</b>, {@code @Ranks(value = 4, processes = true)}, are JVMs of this host with the class path, the
 * options and the system properties of JUnit's own process, except its debugger. In each of them JUnit runs only that
 * test, with all its surroundings: an instance of its own, {@code @BeforeAll}, {@code @BeforeEach}, extensions and
 * other parameters. All of that also runs in JUnit's own process, except the test method. The output of ranks is passed
 * on. A rank that exits or is killed has failed. A rank has also failed if a method before or after the test method
 * fails. Failures that cannot be serialized arrive as copies, with their texts and stack traces. When a rank has
 * failed, or JUnit's thread is interrupted, for example by {@code @Timeout}, the other ranks have five seconds to end
 * before they are killed. After an interrupt, the failures of all ranks are suppressed exceptions. Afterwards no
 * process and no file remains, even when JUnit's own process is killed. Processes need Linux.
 *
 * <p>The extension calls the test method itself. Therefore it must be the last registered, and so innermost, of the
 * extensions that intercept test methods. Extensions inside it would not be called.
 */
@Documented
@Inherited
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RanksExtension.class)
public @interface Ranks {
    /** {@return the number of ranks, 1 to 4,096} */
    int value();

    /** {@return whether each rank is a process of its own; by default it is a thread} */
    boolean processes() default false;
}
