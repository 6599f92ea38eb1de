/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.time.Duration;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads the interval of {@code tutti status --watch}: a whole number of seconds from 1 to 3600. */
final class WatchConverter implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("\\d{1,4}");
    private static final int SECONDS_MAX = 3600;

    @Override
    public Duration convert(String text) {
        int seconds = FORM.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (seconds < 1 || seconds > SECONDS_MAX) {
            throw new TypeConversionException(
                    "'" + text + "' is no interval of --watch, a whole number of seconds from "
                            + "1 to " + SECONDS_MAX + "; the name of a job goes before --watch");
        }
        return Duration.ofSeconds(seconds);
    }
}
