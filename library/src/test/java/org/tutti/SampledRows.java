/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.ParameterDeclarations;

/** The rows of a test that takes long, of which the short run has some ({@link Rows#sampled}), the thorough all. */
@Tag("sampled")
@ArgumentsSource(SampledRows.Sample.class)
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
public @interface SampledRows {
    /** A row each, whose values are separated by commas. */
    String[] value();

    /** Chooses among them. */
    final class Sample implements ArgumentsProvider {
        @Override
        public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters,
                ExtensionContext context) {
            String[] rows = context.getRequiredTestMethod().getAnnotation(SampledRows.class).value();
            return Rows.sampled(Arrays.stream(rows)).map(row -> Arguments.of((Object[]) row.split(", *")));
        }
    }
}
