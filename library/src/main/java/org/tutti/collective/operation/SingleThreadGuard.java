/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

/**
 * Which thread is inside what only one thread at a time may use, and in which call. Two at once are a mistake of the
 * program, which is noticed at best effort: fields are plain, so that calls pay next to nothing for it.
 */
public final class SingleThreadGuard {
    private final String used;
    private String call;
    private Thread thread;

    /**
     * @param used what one thread at a time uses, for messages
     */
    public SingleThreadGuard(String used) {
        this.used = used;
    }

    /**
     * A thread begins a call, when nobody {@linkplain #isInside is inside}.
     *
     * @param called the call
     */
    public void enter(String called) {
        thread = Thread.currentThread();
        call = called;
    }

    /** The call has ended. */
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
     * Says that a call cannot be made, as a thread is inside.
     *
     * @param caller who calls
     * @param called what
     * @return the exception to throw
     */
    public IllegalStateException refusal(String caller, String called) {
        Thread inside = thread; // which may leave meanwhile
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
