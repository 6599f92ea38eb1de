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
 * Runs a test method, or all those of a class, on so many ranks of one job at once. Each has parameters of type
 * {@link org.tutti.Job} and {@link org.tutti.Communicator} of its own: the job, and its world.
 *
 * <pre>{@code
 * @Test
 * @Ranks(4)
 * void shouldAddUpOnAllRanks(Communicator world) {
 *     assertEquals(6, world.allreduce((long) world.rank(), Reduction.SUM));
 * }
 * }</pre>
 *
 * <p>The test fails with what the rank threw that failed first, as an {@link AssertionError} that begins with its
 * number; the others' calls end. A method's annotation goes before its class', and that before one of the class around
 * a {@code @Nested} class. It works with any kind of test that is a method, such as {@code @RepeatedTest} and
 * {@code @ParameterizedTest}, but not with {@code @TestFactory}.
 *
 * <p><b>Threads</b>, as {@link org.tutti.Tutti#runLocal} has them, have the instance of the test class in common. What
 * runs before and after each test does so once, on JUnit's thread.
 *
 * <p><b>Processes</b>, {@code @Ranks(value = 4, processes = true)}, are JVMs of this host with the class path, the
 * options and the system properties of JUnit's own one, but its debugger. In each of them JUnit runs that test alone,
 * with all that is around it: an instance of its own, {@code @BeforeAll}, {@code @BeforeEach}, extensions, other
 * parameters. In JUnit's own process all of that runs, too, but not the method. What ranks print is passed on. A rank
 * that exits or is killed has failed, and so has one in which something fails before or after the method. Failures that
 * cannot be serialized come as copies, with their texts and frames. When a rank has failed, or JUnit's thread is
 * interrupted as by {@code @Timeout}, the others have five seconds to end before they are killed; after an interrupt
 * the failures of all ranks are there, as suppressed ones. Whatever happens, no process and no file is left, also when
 * JUnit's own process is killed. Processes need Linux.
 *
 * <p>It calls the method itself. So of the extensions that intercept test methods it must be the innermost one, that is
 * the last to be registered: those inside it would not be called.
 */
@Documented
@Inherited
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.ANNOTATION_TYPE})
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(RanksExtension.class)
public @interface Ranks {
    /**
     * {@return how many, 1 to 4,096}
     */
    int value();

    /**
     * {@return whether each rank is a process of its own; a thread unless set}
     */
    boolean processes() default false;
}
