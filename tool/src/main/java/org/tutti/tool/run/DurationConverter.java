/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.time.Duration;
import java.util.regex.Pattern;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads durations of the command line: {@code 500ms}, {@code 90s}, {@code 1.5m}, {@code 2h}. A number without a unit
 * means seconds.
 */
public final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,12}(?:\\.\\d{1,3})?)(ms|s|m|h|)");
    private static final long MILLIS_MAX = Duration.ofDays(365).toMillis();

    @Override
    public Duration convert(String text) {
        var parts = FORM.matcher(text);
        double millis = parts.matches() ? Double.parseDouble(parts.group(1)) * unitMillis(parts.group(2)) : 0;
        if (millis < 1 || millis > MILLIS_MAX) {
            throw new TypeConversionException("'" + text
                    + "' is no duration from a millisecond to a year; write it like 500ms, 90s, 1.5m or 2h");
        }
        return Duration.ofMillis(Math.round(millis));
    }

    private static long unitMillis(String unit) {
        return switch (unit) {
            case "ms" -> 1;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> 1_000;
        };
    }

    /** {@return the duration in seconds or milliseconds, for messages} */
    public static String text(Duration duration) {
        long millis = duration.toMillis();
        return millis % 1_000 == 0 ? millis / 1_000 + " s" : millis + " ms";
    }
}
