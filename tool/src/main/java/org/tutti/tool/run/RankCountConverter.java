/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads the number of ranks. A value may follow its option without a blank, so {@code -np4} arrives as {@code -n} with
 * {@code p4}.
 */
final class RankCountConverter implements ITypeConverter<Integer> {
    private static final Pattern FORM = Pattern.compile("p?(-?\\d{1,9})");

    @Override
    public Integer convert(String text) {
        var number = FORM.matcher(text);
        if (!number.matches()) {
            throw new TypeConversionException("'" + text + "' is no number of ranks; write it like -n 4");
        }
        return Integer.valueOf(number.group(1));
    }
}
