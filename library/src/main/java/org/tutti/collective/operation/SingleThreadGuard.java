/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

/**
 * Tells which thread is inside an object that only one thread at a time may use, and in which call. Two threads inside
 * are a mistake of the program. The guard notices it at best effort: its fields are plain, so that calls pay next to
 * nothing.
 */
public final class SingleThreadGuard {
    private final String used;
    private String call;
    private Thread thread;

    /**
     * Makes the guard of an object.
     *
     * @param used the name of the object's kind, for messages
     */
    public SingleThreadGuard(String used) {
        this.used = used;
    }

    /**
     * Notes that this thread begins a call. No thread may be {@linkplain #isInside inside}.
     *
     * @param called the name of the call
     */
    public void enter(String called) {
        thread = Thread.currentThread();
        call = called;
    }

    /** Notes that the call has ended. */
    public void leave() {
        call = null;
        thread = null;
    }

    /**
     * {@return whether a thread is inside}
     */
    public boolean isInside() {
        return call != null;
    }

    /**
     * Returns the exception for a call that cannot be made because a thread is inside.
     *
     * @param caller the rank that calls, for the message
     * @param called the name of its call
     * @return the exception to throw
     */
    public IllegalStateException refusal(String caller, String called) {
        Thread inside = thread; // it may leave meanwhile
        String insideCall = call;
        if (Thread.currentThread().equals(inside)) {
            return new IllegalStateException(caller + " called " + called + " from within " + insideCall
                    + " on the same " + used + ", as in an operator; call it afterwards");
        }
        return new IllegalStateException(
                caller + " called " + called + " on " + name(Thread.currentThread()) + " while "
                        + (inside == null ? "another thread" : name(inside)) + " is inside "
                        + (insideCall == null ? "a call" : insideCall) + " on the same " + used
                        + "; let one thread at a time use it");
    }

    private static String name(Thread thread) {
        return thread.getName().isEmpty() ? "thread " + thread.threadId() : "thread \"" + thread.getName() + '"';
    }
}
