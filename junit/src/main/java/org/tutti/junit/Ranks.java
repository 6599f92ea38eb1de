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
 * Runs a test method, or all those of a class, on so many ranks at once: threads of one job, as
 * {@link org.tutti.Tutti#runLocal} has them. Each has the instance of the test class in common with the others, and
 * parameters of type {@link org.tutti.Job} and {@link org.tutti.Communicator} of its own: the job, and its world.
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
 * {@code @ParameterizedTest}, but not with {@code @TestFactory}; what runs before and after each test does so once, on
 * JUnit's thread.
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
}
