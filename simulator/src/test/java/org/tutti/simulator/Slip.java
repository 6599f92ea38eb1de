/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A fault at one line of an unchanged algorithm, whenever a rank comes to the line.
 *
 * @param kind the kind of fault
 * @param what the word that is awaited; empty for other kinds
 * @param place the lines of the algorithm, the innermost first
 */
record Slip(Kind kind, String what, String place) {
    enum Kind {
        /** A word is not awaited. */
        NOT_AWAITED("reads bytes|bytes (while they|that) may still|wrong byte|shrink|has left|no longer|threw"),
        /** What is copied or combined into memory of a node is so only after the next word has been set. */
        SHOWN_TOO_LATE("reads bytes|bytes (while they|that) may still|wrong byte|threw"),
        /** The bytes beside are copied or combined. */
        READ_BESIDE("reads bytes|bytes (while they|that) may still|wrong byte|no longer|threw"),
        /** What is put goes to the bytes beside. */
        PUT_BESIDE("reads bytes|bytes (while they|that) may still|wrong byte|reaches|bound|deadlock|threw"),
        /** A put is left out. */
        NOT_PUT("deadlock|reads bytes|bytes (while they|that) may still|wrong byte");

        private final Pattern reason;

        Kind(String reason) {
            this.reason = Pattern.compile(reason);
        }

        boolean isFoundBy(String said) {
            return reason.matcher(said).find();
        }
    }

    private static final String LIBRARY = "org.tutti.collective.";

    /** What algorithms are made of: not their text. */
    private static final Pattern PARTS = Pattern.compile("org\\.tutti\\.collective\\.("
            + "(layout|members|machine|operation|communicator|window|flow)\\..*|Team|Call|OperationLifecycle)");
    private static final int PARTS_DEEP_MAX = 8;

    /** {@return at which lines of an algorithm the calling thread is; empty if it is in none} */
    static String here() {
        return StackWalker.getInstance().walk(frames -> frames
                .filter(frame -> frame.getClassName().startsWith(LIBRARY)
                        && !PARTS.matcher(frame.getClassName()).matches())
                .map(frame -> simpleName(frame) + "." + frame.getMethodName() + ":" + frame.getLineNumber())
                .collect(Collectors.joining(" < ")));
    }

    /** {@return whether the calling thread waits until another rank has set a word} */
    static boolean isAwaiting() {
        return StackWalker.getInstance().walk(frames -> frames.limit(PARTS_DEEP_MAX)
                .anyMatch(frame -> simpleName(frame).equals("OperationWait")
                        && frame.getMethodName().equals("awaitWord")));
    }

    private static String simpleName(StackWalker.StackFrame frame) {
        return frame.getClassName().substring(frame.getClassName().lastIndexOf('.') + 1);
    }

    /** {@return what {@link #toString} says, but for the numbers of lines} */
    String withoutLines() {
        return toString().replaceAll(":\\d+", "");
    }

    @Override
    public String toString() {
        return kind + (what.isEmpty() ? " " : " " + what + " ") + place;
    }
}
