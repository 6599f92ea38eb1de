/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.tutti.TuttiException;
import org.tutti.job.launch.EnvironmentReader;
import org.tutti.job.launch.JobEnvironment;

/**
 * The main class of every process that {@code tutti run} starts. It runs the program's main method once for each rank
 * of the process, on a thread and with an instance of the rank's own. When a rank throws, this class tells the other
 * ranks immediately. It also shows the launcher whether the exception is the cause of the job's failure or a
 * consequence.
 *
 * <p>The exit status of a process shows whether one of its ranks is the cause. Therefore the rank that is the cause
 * must end the process. That rank sets {@code hasCause} before it is marked as failed, so each rank that fails because
 * of the mark finds {@code hasCause} set. But other ranks may notice the failure before the mark. If the rank that is
 * the cause throws inside a call, it breaks the communicator before its main ends. If it closes its job on the way out,
 * it leaves the job first. Therefore a rank that fails because of another rank waits for some time for the ranks of its
 * process that are still in their mains.
 */
public final class RankProcess {
    /** The exit status of a process that ended only because another one failed. */
    public static final int STATUS_SECONDARY = 86;

    /** The first character of a line that the launcher prints only after it has reported the first cause. */
    public static final char MARK = '\u001E';

    /**
     * The first character of a line that holds the exception of a rank. The rank's number, a colon and the stack trace
     * follow. {@link #TRACE_LINE_END} stands for the line ends of the trace.
     */
    public static final char TRACE_MARK = '\u001D';

    /** Separates the lines of a trace that is written as a single line, so that no other output comes between them. */
    public static final char TRACE_LINE_END = '\u001F';

    /**
     * The greatest length of a stack trace that is written as a single line, in characters. A longer trace is written
     * with plain line ends, because the launcher keeps only lines of limited length whole.
     */
    private static final int TRACE_LENGTH_MAX = 20_000;

    private static final int STATUS_FAILED = 1;

    /**
     * The longest time from the moment at which other ranks notice a failure until the main of the rank that is the
     * cause ends.
     */
    private static final long CONFESSION_NANOS = 5_000_000_000L;

    private static final long POLL_NANOS = 1_000_000;

    /** The message that is printed if there is too little memory for a better one. */
    private static final byte[] SPEECHLESS =
            "Exception in a rank, which could not be printed, perhaps for want of memory\n"
                    .getBytes(StandardCharsets.US_ASCII);

    private static final AtomicInteger RUNNING = new AtomicInteger();

    private static volatile boolean hasCause;
    private static volatile boolean ending;

    private RankProcess() {}

    /**
     * Runs a program's main method once for each rank of this process.
     *
     * @param arguments the name of the program's main class, and the program's arguments
     * @throws InterruptedException never, because nobody interrupts the main thread
     */
    public static void main(String[] arguments) throws InterruptedException {
        String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
        int ranks = EnvironmentReader.read().map(JobEnvironment::ranks).orElse(1);
        try {
            ProcessRanks.openLaunched();
        } catch (TuttiException failure) {
            fail(0, failure);
        }
        RUNNING.set(ranks);
        if (ranks == 1) {
            ScopedValue.where(ProcessRanks.INDEX, 0).run(() -> runRank(0, arguments[0], rest));
            return;
        }
        Thread[] threads = new Thread[ranks];
        boolean[] hasReturned = new boolean[ranks]; // each is read after the end of its thread
        for (int index = 0; index < ranks; index++) {
            int mine = index;
            threads[index] = Thread.ofPlatform().name("main " + index).start(
                    () -> {
                        ScopedValue.where(ProcessRanks.INDEX, mine).run(() -> runRank(mine, arguments[0], rest));
                        hasReturned[mine] = true;
                    });
        }
        for (int index = 0; index < ranks; index++) {
            threads[index].join();
            if (!hasReturned[index]) { // an Error has ended the thread, as may happen when the heap is full
                printSpeechless();
                end(STATUS_FAILED);
            }
        }
    }

    private static void runRank(int index, String className, String[] arguments) {
        ProcessRanks.begin(index);
        try {
            call(className, arguments);
            if (ProcessRanks.hasNotLeft(index)) {
                throw new IllegalStateException("its main returned without leaving the job; close it:"
                        + " try (var job = Tutti.join())");
            }
            RUNNING.decrementAndGet();
        } catch (Throwable failure) {
            fail(index, failure);
        }
    }

    /**
     * Calls a class's main method as the java command does. The method may be static or not, and have a parameter or
     * none.
     */
    private static void call(String className, String[] arguments) throws Throwable {
        Class<?> type = Class.forName(className, true, ClassLoader.getSystemClassLoader());
        Method main = main(type);
        main.setAccessible(true);
        try {
            Object instance = null;
            if (!Modifier.isStatic(main.getModifiers())) {
                var constructor = type.getDeclaredConstructor();
                constructor.setAccessible(true);
                instance = constructor.newInstance();
            }
            if (main.getParameterCount() == 1) {
                main.invoke(instance, (Object) arguments);
            } else {
                main.invoke(instance);
            }
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Method main(Class<?> type) throws NoSuchMethodException {
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            for (Class<?>[] parameters : new Class<?>[][]{{String[].class}, {}}) {
                try {
                    Method method = each.getDeclaredMethod("main", parameters);
                    if (method.getReturnType() == void.class && !Modifier.isPrivate(method.getModifiers())) {
                        return method;
                    }
                } catch (NoSuchMethodException _) {
                    continue;
                }
            }
        }
        throw new NoSuchMethodException("class " + type.getName() + " has no main method; declare void main()");
    }

    /**
     * Ends a rank that has thrown an exception. An Error may mean that no memory is left, so nothing is allocated
     * before the other ranks are told.
     */
    private static void fail(int index, Throwable failure) {
        boolean secondary = !(failure instanceof Error) && Failures.isSecondary(failure);
        boolean isCauseKnown = false;
        try {
            if (!secondary) {
                hasCause = true;
                ProcessRanks.markFailed(index);
            } else {
                ProcessRanks.markMissed(index, Failures.culprit(failure));
            }
            RUNNING.decrementAndGet();
            ProcessRanks.spreadNews();
            report(index, failure, secondary);
            isCauseKnown = secondary && awaitCause();
        } catch (Throwable _) {
            printSpeechless();
        } finally { // also if not even this can be printed
            if (!isCauseKnown) { // else the rank that is the cause ends the process
                end(secondary ? STATUS_SECONDARY : STATUS_FAILED);
            }
        }
    }

    /** Prints a message without allocating memory. If even that is impossible, the exit status tells of the failure. */
    private static void printSpeechless() {
        try {
            System.err.write(SPEECHLESS, 0, SPEECHLESS.length);
            System.err.flush();
        } catch (Throwable _) {
            return; // the process ends with a status
        }
    }

    private static void report(int index, Throwable failure, boolean secondary) {
        int rank = EnvironmentReader.read().map(environment -> environment.firstRank() + index).orElse(index);
        if (secondary) { // the launcher knows the first cause, or will when this process has ended
            System.err.println(MARK + "rank " + rank + ": " + failure.getMessage());
        } else {
            String trace = trace(failure);
            if (trace.length() > TRACE_LENGTH_MAX) {
                System.err.print("Exception in rank " + rank + ": " + trace);
            } else {
                System.err.println(TRACE_MARK + "" + rank + ':' + trace.replace('\n', TRACE_LINE_END));
            }
        }
        System.err.flush();
    }

    /**
     * Waits until a rank of this process is known to be the cause of the failure, the mains of all its ranks have
     * ended, or {@link #CONFESSION_NANOS} have passed. Returns whether a rank of this process is the cause.
     */
    private static boolean awaitCause() {
        long startNanos = System.nanoTime();
        while (!hasCause && RUNNING.get() > 0 && System.nanoTime() - startNanos < CONFESSION_NANOS) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        return hasCause;
    }

    /** Returns whether this process is ending because a rank of it threw. The other ranks were told before. */
    static boolean isEnding() {
        return ending;
    }

    private static void end(int status) {
        ending = true;
        try {
            Runtime.getRuntime().exit(status);
        } finally { // also if exit throws, because there is too little memory
            Runtime.getRuntime().halt(status);
        }
    }

    /**
     * Returns the stack trace of a failure as one text, so that the traces of several ranks are not mixed when they are
     * printed. The text leaves out the frames that called main.
     */
    private static String trace(Throwable failure) {
        StackTraceElement[] frames = failure.getStackTrace();
        int kept = 0;
        while (kept < frames.length && !frames[kept].getClassName().startsWith("jdk.internal.reflect.")) {
            kept++;
        }
        failure.setStackTrace(Arrays.copyOf(frames, kept));
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }
}
