/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.net.URL;
import java.util.Optional;

/**
 * The line of the program at which a thread is, and the call of this library that it is in, if any. Both are read from
 * the stack of the thread when they are requested. Therefore calls record nothing.
 *
 * <p>Every class outside the JDK and outside this library's own jar (or directory) counts as the program. Its package
 * does not matter, so a program may be in a package below that of the library, like the command line and the tests.
 *
 * @param call the library's method that the program called, such as "allreduce"; empty if the thread is in no call
 * @param frame the program's frame that made the call; if the thread is in no call, the program's innermost frame
 */
public record CallSite(String call, StackTraceElement frame) {
    private static final String LIBRARY = "org.tutti.";
    private static final String RANKS = LIBRARY + "job.LocalRanks"; // calls all that a rank runs on a thread

    /** Holds the location of this library. It is determined at the first use, not when the outer class is loaded. */
    private static final class Library {
        private static final String PLACE = place(CallSite.class);
    }

    /**
     * Returns the line of the program at which a thread is, and the call of this library that it is in.
     *
     * @param thread any thread, including the calling one
     * @return the line and the call; empty if the thread has ended, or runs no code of the program
     */
    public static Optional<CallSite> of(Thread thread) {
        return of(thread.getStackTrace());
    }

    /**
     * Returns a text for messages that names the line at which the calling thread has called this library.
     *
     * @return text such as " at Program.main(Program.java:12)"; empty on the library's own threads, such as the thread
     *            of a nonblocking call
     */
    public static String here() {
        return of(Thread.currentThread()).filter(CallSite::isInCall).map(CallSite::frame)
                .map(frame -> " at " + frame.getClassName() + "." + frame.getMethodName() + "(" + frame.getFileName()
                        + ":" + frame.getLineNumber() + ")")
                .orElse("");
    }

    /**
     * Finds the line of the program and the call of this library in a stack, whose innermost frame comes first. If a
     * call of this library makes another one, the outer one is returned. Frames of code that runs ranks, such as a test
     * engine, are not searched.
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
     * {@return the line of the program, such as {@code Heat:17}; the method's name if the class has no line numbers}
     */
    public String line() {
        String type = frame.getClassName().replace('$', '.');
        return type + (frame.getLineNumber() < 0 ? "." + frame.getMethodName() : ":" + frame.getLineNumber());
    }

    /** Returns whether a frame belongs to the JDK or to this class, which reads the stack. */
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
            return false; // a class of the program that this class loader cannot see
        }
    }

    /**
     * Returns the jar or directory from which a class was loaded. The code source of the class cannot be used for this,
     * because a class from a class data archive may keep an older code source.
     */
    private static String place(Class<?> type) {
        String file = "/" + type.getName().replace('.', '/') + ".class";
        URL url = type.getResource(file);
        return url == null ? "" : url.toString().substring(0, url.toString().length() - file.length());
    }
}
