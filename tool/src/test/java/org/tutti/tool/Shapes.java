/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * The options of a test that starts jobs, with further values after {@code |}. The usual run has the last ones, the
 * thorough run has all, and continuous integration has a part of them ({@code -Drows.every}, {@code -Drows.from}).
 */
@Tag("sampled")
@ArgumentsSource(Shapes.Sample.class)
@Retention(RetentionPolicy.RUNTIME)
public @interface Shapes {
    /** The options, the richest last. */
    String[] value();

    /** Chooses among them. */
    final class Sample implements ArgumentsProvider {
        private static final int EVERY = Integer.getInteger("rows.every", 1);
        private static final int FROM = Integer.getInteger("rows.from", 0);

        @Override
        public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters,
                ExtensionContext context) {
            String[] shapes = context.getRequiredTestMethod().getAnnotation(Shapes.class).value();
            int every = Math.clamp(shapes.length, 1, EVERY);
            return IntStream.range(0, shapes.length).filter(row -> (shapes.length - 1 - row + FROM) % every == 0)
                    .mapToObj(row -> Arguments.of((Object[]) shapes[row].split(" *\\| *")));
        }
    }
}
