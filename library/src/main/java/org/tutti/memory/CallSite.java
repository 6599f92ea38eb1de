/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.net.URL;
import java.util.Optional;

/**
 * Where a thread is, as its stack tells: in which call of this library, if in any, and in which line of the program. It
 * costs nothing until somebody asks.
 *
 * <p>The program is whatever is neither the JDK nor this library, which has a jar (or directory) of its own; so a
 * program may well be in a package below that of the library, as the command line and tests are.
 *
 * @param call the library's method that the program has called, such as "allreduce"; empty when the thread is in none
 * @param frame where the program has called it; outside any call the innermost frame of the program
 */
public record CallSite(String call, StackTraceElement frame) {
    private static final String LIBRARY = "org.tutti.";
    private static final String RANKS = LIBRARY + "job.LocalRanks"; // whatever a rank runs on a thread, it calls

    /** Where this library is; looked up when somebody asks, and not when the class is loaded. */
    private static final class Library {
        private static final String PLACE = place(CallSite.class);
    }

    /**
     * Looks where a thread is.
     *
     * @param thread any thread, this one or another
     * @return where it is; nothing when it has ended, or runs nothing of the program
     */
    public static Optional<CallSite> of(Thread thread) {
        return of(thread.getStackTrace());
    }

    /**
     * Tells where this thread has called this library, for messages.
     *
     * @return such as " at Program.main(Program.java:12)"; nothing on a thread of the library's own, as a request has
     */
    public static String here() {
        return of(Thread.currentThread()).filter(CallSite::isInCall).map(CallSite::frame)
                .map(frame -> " at " + frame.getClassName() + "." + frame.getMethodName() + "(" + frame.getFileName()
                        + ":" + frame.getLineNumber() + ")")
                .orElse("");
    }

    /**
     * The same of a stack, whose innermost frame comes first. A call inside a call belongs to the outer one; but what
     * has called the program of a rank, such as an engine, is no part of that.
     */
    static Optional<CallSite> of(StackTraceElement[] stack) {
        CallSite found = null;
        StackTraceElement inLibrary = null;
        for (StackTraceElement frame : stack) {
            if (found != null && frame.getClassName().equals(RANKS)) {
                break;
            }
            if (isOfLibrary(frame)) {
                inLibrary = frame;
            } else if (!isPassedOver(frame)) {
                if (inLibrary != null) {
                    found = new CallSite(inLibrary.getMethodName(), frame);
                    inLibrary = null;
                } else if (found == null) {
                    found = new CallSite("", frame);
                }
            }
        }
        return Optional.ofNullable(found);
    }

    /**
     * {@return whether the thread is in a call of this library}
     */
    public boolean isInCall() {
        return !call.isEmpty();
    }

    /**
     * {@return the line of the program, as in {@code Heat:17}; its method where the class does not know its lines}
     */
    public String line() {
        String type = frame.getClassName().replace('$', '.');
        return type + (frame.getLineNumber() < 0 ? "." + frame.getMethodName() : ":" + frame.getLineNumber());
    }

    /** Whether it is one of the JDK, or of this class, which looks. */
    private static boolean isPassedOver(StackTraceElement frame) {
        String module = frame.getModuleName();
        return module != null && (module.startsWith("java.") || module.startsWith("jdk."))
                || frame.getClassName().equals(CallSite.class.getName());
    }

    private static boolean isOfLibrary(StackTraceElement frame) {
        if (!frame.getClassName().startsWith(LIBRARY) || isPassedOver(frame)) {
            return false;
        }
        try {
            Class<?> type = Class.forName(frame.getClassName(), false, CallSite.class.getClassLoader());
            return place(type).equals(Library.PLACE);
        } catch (ClassNotFoundException | LinkageError _) {
            return false; // one of the program's, which this class loader does not know
        }
    }

    /** The jar or directory of a class. Its code source may be an older one, as archives of classes keep theirs. */
    private static String place(Class<?> type) {
        String file = "/" + type.getName().replace('.', '/') + ".class";
        URL url = type.getResource(file);
        return url == null ? "" : url.toString().substring(0, url.toString().length() - file.length());
    }
}
