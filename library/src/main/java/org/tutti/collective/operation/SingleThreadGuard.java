/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.operation;

/**
 * Detects that two threads use an object at the same time, although only one thread at a time may use it. The guard
 * remembers which thread is inside the object, and in which call. Two threads inside are a mistake of the program. The
 * guard detects it at best effort, because its fields are plain. In return, calls cost next to nothing.
 */
public final class SingleThreadGuard {
    private final String used;
    private String call;
    private Thread thread;

    /**
     * Creates the guard of an object. No thread is inside the object yet.
     *
     * @param used the kind of the object, for messages, such as "communicator"
     */
    public SingleThreadGuard(String used) {
        this.used = used;
    }

    /**
     * Notes that the current thread begins a call of the object. No thread may be {@linkplain #isInside inside} it.
     *
     * @param called the name of the call, for messages
     */
    public void enter(String called) {
        thread = Thread.currentThread();
        call = called;
    }

    /** Notes that the call of the thread inside has ended. */
    public void leave() {
        call = null;
        thread = null;
    }

    /** {@return whether a thread is inside the object, that is, in one of its calls} */
    public boolean isInside() {
        return call != null;
    }

    /**
     * Returns the exception for a call that cannot be made because a thread is inside the object.
     *
     * @param caller the name of the rank that makes the call, for the message
     * @param called the name of the call, for the message
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
