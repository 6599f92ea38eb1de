/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.junit;

import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ReflectionSupport;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;
import org.tutti.Communicator;
import org.tutti.Job;
import org.tutti.JobAbortedException;
import org.tutti.Program;
import org.tutti.RankFailedException;
import org.tutti.Tutti;

/** The JUnit extension that implements {@link Ranks}. */
final class RanksExtension implements ParameterResolver, InvocationInterceptor {
    /** Returns the annotation of the method, its class, or the nearest class around that; empty if there is none. */
    private static Optional<Ranks> ranks(ExtensionContext context) {
        return AnnotationSupport.findAnnotation(context.getElement(), Ranks.class)
                .or(() -> context.getParent().flatMap(RanksExtension::ranks));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return isOfRank(parameter.getParameter())
                && context.getTestMethod().filter(parameter.getDeclaringExecutable()::equals).isPresent();
    }

    /** Returns null, because each rank gets its own argument later. */
    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return null;
    }

    private static boolean isOfRank(Parameter parameter) {
        return parameter.getType() == Job.class || parameter.getType() == Communicator.class;
    }

    @Override
    public void interceptTestMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method,
            ExtensionContext context) throws Exception {
        run(invocation, method, context);
    }

    @Override
    public void interceptTestTemplateMethod(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method,
            ExtensionContext context) throws Exception {
        run(invocation, method, context);
    }

    /** Rejects test factories, because the tests that such a method returns run later, and are not methods. */
    @Override
    public <T> T interceptTestFactoryMethod(Invocation<T> invocation, ReflectiveInvocationContext<Method> method,
            ExtensionContext context) {
        throw new ExtensionConfigurationException("@Ranks cannot run what the @TestFactory "
                + method.getExecutable().toGenericString() + " returns on several ranks; make it a @ParameterizedTest, "
                + "or have it in a class without @Ranks");
    }

    private static void run(Invocation<Void> invocation, ReflectiveInvocationContext<Method> method,
            ExtensionContext context) throws Exception {
        invocation.skip(); // because it would call the method once more
        Ranks ranks = ranks(context).orElseThrow();
        Program program = job -> ReflectionSupport.invokeMethod(method.getExecutable(),
                method.getTarget().orElse(null), arguments(method, job));
        if (!ranks.processes()) {
            runThreads(ranks.value(), program);
        } else if (RankMain.current().isPresent()) {
            RankMain.current().get().run(program);
        } else {
            judge(TestProcesses.run(ranks.value(), context.getUniqueId()));
        }
    }

    private static void runThreads(int ranks, Program program) {
        try {
            Tutti.runLocal(ranks, program);
        } catch (AssertionError failure) {
            throw Stream.of(failure.getSuppressed()).filter(RankFailedException.class::isInstance)
                    .map(RankFailedException.class::cast).reduce((_, last) -> last)
                    .map(note -> failure(note.rank(), failure)).orElse(failure);
        } catch (RankFailedException failure) {
            throw failure(failure.rank(), failure.getCause() == null ? failure : failure.getCause());
        }
    }

    /**
     * Throws the failure of the rank that failed first, if a rank has failed. A failure that is a consequence of
     * another rank's failure is thrown only if there is no other failure.
     */
    private static void judge(List<RankResult> results) {
        List<RankResult> failed = results.stream().filter(result -> result.failure() != null)
                .sorted(Comparator.comparing(RankResult::isConsequence).thenComparing(RankResult::atMillis)).toList();
        if (failed.isEmpty()) {
            return;
        }
        RankResult first = failed.getFirst();
        if (first.failure() instanceof JobAbortedException aborted) {
            throw aborted;
        }
        AssertionError failure = failure(first.culprit() >= 0 ? first.culprit() : first.rank(), first.failure());
        if (Thread.currentThread().isInterrupted()) { // for example by a timeout: all failures say where ranks were
            failed.stream().skip(1).forEach(other -> failure.addSuppressed(failure(other.rank(), other.failure())));
        }
        throw failure;
    }

    /** Returns the test's failure, made from a rank's exception. */
    private static AssertionError failure(int rank, Throwable cause) {
        if (cause instanceof TestAbortedException aborted) { // an assumption does not hold, so nothing has failed
            throw aborted;
        }
        String text = cause instanceof AssertionError ? cause.getMessage() : cause.toString();
        return withValues(new AssertionError("rank " + rank + ": " + text, cause));
    }

    private static Object[] arguments(ReflectiveInvocationContext<Method> method, Job job) {
        Parameter[] parameters = method.getExecutable().getParameters();
        List<Object> given = method.getArguments();
        Object[] arguments = new Object[parameters.length];
        for (int i = 0; i < parameters.length; i++) {
            arguments[i] = !isOfRank(parameters[i]) ? given.get(i)
                    : parameters[i].getType() == Job.class ? job : job.world();
        }
        return arguments;
    }

    /**
     * Returns a failure with the expected and actual values of its cause, if the cause has them. Development
     * environments show the difference of such values.
     */
    private static AssertionError withValues(AssertionError failure) {
        if (failure.getCause() instanceof AssertionFailedError cause && cause.isExpectedDefined()
                && cause.isActualDefined()) {
            return new AssertionFailedError(failure.getMessage(), cause.getExpected(), cause.getActual(), cause);
        }
        return failure;
    }
}
