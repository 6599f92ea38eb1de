/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

import org.tutti.TuttiException;

/**
 * What {@code tutti run} starts in every process: runs the program's main, once for each rank of the process, on a
 * thread of its own with an instance of its own. When a rank throws, the others must know at once, and the launcher
 * must be able to tell the cause from its consequences; that is what this class is for.
 */
public final class RankProcess {
    /** The exit status of a process that ended only because another one failed. */
    public static final int STATUS_SECONDARY = 86;

    /** Begins a line that the launcher prints only after it has reported the first cause. */
    public static final char MARK = '\u001E';

    private static final int STATUS_FAILED = 1;

    private RankProcess() {}

    /**
     * Runs a program.
     *
     * @param arguments the name of its main class, and its arguments
     * @throws InterruptedException never, as nobody interrupts the main thread
     */
    public static void main(String[] arguments) throws InterruptedException {
        String[] rest = Arrays.copyOfRange(arguments, 1, arguments.length);
        int ranks = JobEnvironment.read().map(JobEnvironment::ranks).orElse(1);
        try {
            ProcessRanks.openLaunched();
        } catch (TuttiException failure) {
            fail(0, failure);
        }
        if (ranks == 1) {
            ScopedValue.where(ProcessRanks.INDEX, 0).run(() -> runRank(0, 1, arguments[0], rest));
            return;
        }
        Thread[] threads = new Thread[ranks];
        for (int index = 0; index < ranks; index++) {
            int mine = index;
            threads[index] = Thread.ofPlatform().name("main " + index).start(
                    () -> ScopedValue.where(ProcessRanks.INDEX, mine)
                            .run(() -> runRank(mine, ranks, arguments[0], rest)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
    }

    private static void runRank(int index, int ranks, String className, String[] arguments) {
        try {
            call(className, arguments);
            if (ranks > 1 && ProcessRanks.hasNotLeft(index)) { // with one rank, the end of the process says so
                throw new IllegalStateException("its main returned without leaving the job; close it:"
                        + " try (var job = Tutti.join())");
            }
        } catch (Throwable failure) {
            fail(index, failure);
        }
    }

    /** Calls main as the java command does: static or not, with or without arguments. */
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

    private static void fail(int index, Throwable failure) {
        int rank = JobEnvironment.read().map(environment -> environment.firstRank() + index).orElse(index);
        boolean secondary = Failures.isSecondary(failure);
        if (secondary) { // who failed first is known already, or will be when this process has ended
            System.err.println(MARK + "rank " + rank + ": " + failure.getMessage());
        } else {
            ProcessRanks.markFailed(index);
            System.err.print("Exception in rank " + rank + ": " + trace(failure));
        }
        System.err.flush();
        ProcessRanks.spreadNews();
        Runtime.getRuntime().exit(secondary ? STATUS_SECONDARY : STATUS_FAILED);
    }

    /** All of it at once, so that traces of several ranks stay apart, and without the frames that called main. */
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
