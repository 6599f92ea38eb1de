/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.tutti.choice.Suggestion;
import org.tutti.tool.UsageException;

/** The operations that {@code --messages} measures between the first rank and the last one. */
public enum MessageOperation {
    /** A message to the last rank, and one back; the time is that of one message. */
    LATENCY(1, 2),
    /** Long messages in flight to the last rank, which then replies; the time is that of one of them. */
    BANDWIDTH(MessageOperation.WINDOW, MessageOperation.WINDOW),
    /** The same with messages of one element. */
    MESSAGE_RATE(MessageOperation.WINDOW, MessageOperation.WINDOW);

    /** The sizes of messages to measure, unless the user names others. */
    static final List<String> SIZES = List.of("8", "1k", "4k", "64k", "1m");

    private static final int WINDOW = 64;
    private static final List<Long> ONE_ELEMENT = List.of((long) Double.BYTES);
    private static final long BANDWIDTH_BYTES_MIN = 64 << 10;
    private static final long BANDWIDTH_BYTES_MAX = 1 << 20; // a window of longer messages would fill the memory

    private final int inFlight;
    private final int timed;

    MessageOperation(int inFlight, int timed) {
        this.inFlight = inFlight;
        this.timed = timed;
    }

    /** {@return its name on the command line and in files} */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** {@return the labels of all operations} */
    public static List<String> labels() {
        return Stream.of(values()).map(MessageOperation::label).toList();
    }

    /** {@return the operation with this label on the command line} */
    static MessageOperation ofLabel(String label) {
        return Stream.of(values()).filter(operation -> operation.label().equals(label)).findFirst()
                .orElseThrow(() -> new UsageException("--operation " + label + " is not one of "
                        + String.join(", ", labels()) + Suggestion.of(label, labels())));
    }

    /** {@return the sizes in bytes, out of these, with which to measure the operation} */
    List<Long> sizes(List<Long> wanted) {
        return switch (this) {
            case LATENCY -> wanted;
            case BANDWIDTH -> wanted.stream()
                    .filter(bytes -> bytes >= BANDWIDTH_BYTES_MIN && bytes <= BANDWIDTH_BYTES_MAX).toList();
            case MESSAGE_RATE -> ONE_ELEMENT;
        };
    }

    /** {@return how many messages of a call are in flight in the same direction} */
    int inFlight() {
        return inFlight;
    }

    /** {@return how many messages share the time of a call} */
    int timed() {
        return timed;
    }

    /**
     * {@return the rate that belongs to a time, such as 5120.0 MB/s; empty for a latency}
     *
     * @param bytes the size of a message
     * @param microseconds the time of a message
     */
    public String rate(long bytes, double microseconds) {
        return switch (this) {
            case LATENCY -> "";
            case BANDWIDTH -> String.format(Locale.ROOT, "%.1f MB/s", bytes / microseconds);
            case MESSAGE_RATE -> String.format(Locale.ROOT, "%.3f M/s", 1 / microseconds);
        };
    }

    /** {@return the rate that belongs to a time of an operation with a label; empty if the operation has no rate} */
    public static String rate(String label, long bytes, double microseconds) {
        return Stream.of(values()).filter(operation -> operation.label().equals(label))
                .map(operation -> operation.rate(bytes, microseconds)).findFirst().orElse("");
    }
}
