/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The options of a test that starts jobs: the short run has the last ones, {@code -Drows.every=1} has all. */
@Tag("sampled")
@ArgumentsSource(Shapes.Sample.class)
@Retention(RetentionPolicy.RUNTIME)
@interface Shapes {
    /** The options, the richest last. */
    String[] value();

    /** Chooses among them. */
    final class Sample implements ArgumentsProvider {
        private static final boolean ALL = Integer.getInteger("rows.every", 1) == 1;

        @Override
        public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters,
                ExtensionContext context) {
            String[] shapes = context.getRequiredTestMethod().getAnnotation(Shapes.class).value();
            return Arrays.stream(shapes).skip(ALL ? 0 : shapes.length - 1).map(Arguments::of);
        }
    }
}
