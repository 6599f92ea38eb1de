/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/**
 * An operation that was started without waiting for it ({@link Communicator#nonBlocking}). Until it is done, the
 * arguments of the call belong to it: the program must not change the elements that it reads, or access the elements
 * that it writes.
 *
 * <p>An operation cannot be cancelled, because other ranks take part in it. {@link Communicator#withDeadline} limits it
 * at all ranks, and breaks the communicator at the limit.
 *
 * <p><b>Polling.</b> Calls that report that an operation has not ended let other threads run now and then. Ranks that
 * are virtual threads may therefore call them in a loop, even if there are more ranks than carriers.
 *
 * <p><b>Threads.</b> Requests are safe for use by any number of threads.
 *
 * <p><b>Memory ordering.</b> Actions of the operation <i>happen-before</i> a return of true from {@link #isDone}, the
 * return from {@code await}, and the completion of the stage.
 */
public interface Request {
    /**
     * {@return whether the operation has ended, normally or with an exception; never waits}
     */
    boolean isDone();

    /**
     * Waits until the operation has ended. If no thread has begun the operation of a collective, this thread may run
     * it, as in a blocking call.
     *
     * @throws CallInterruptedException if this thread is interrupted while it waits; its interrupt status is set again.
     *             If another thread runs the operation, or the interrupt came before the call, nothing breaks: the
     *             operation goes on, and can be awaited again. If this thread runs it, the communicator is broken, as
     *             after a blocking call
     * @throws TuttiException the exception that a blocking call would have thrown; the same exception each time
     */
    void await();

    /**
     * Waits until the operation has ended or a timeout has passed, and never runs the operation on this thread. A
     * timeout is not a failure: the operation goes on. ({@link Communicator#withDeadline} sets a limit that ends the
     * operation.)
     *
     * @param timeout the longest time to wait; the call does not wait if it is zero or less
     * @return whether the operation has ended
     * @throws CallInterruptedException if this thread is interrupted while it waits; its interrupt status is set again.
     *             The operation goes on, and can be awaited again
     * @throws TuttiException as for {@link #await()}
     */
    boolean await(Duration timeout);

    /**
     * {@return a stage that completes when the operation has ended, and exceptionally if it has failed. Dependent
     * actions run on the thread of the operation. They must not call collectives, because the order of such calls among
     * the rank's other calls would be undefined}
     */
    CompletionStage<Void> completion();

    /**
     * Waits until all operations have ended normally, or one has ended with an exception, which this call throws.
     *
     * @param requests the requests, in the order in which they are awaited; null elements are ignored
     * @throws CallInterruptedException as for {@link #await()}
     * @throws TuttiException as for {@link #await()}
     */
    static void awaitAll(@Nullable Request... requests) {
        Objects.requireNonNull(requests, "requests");
        for (Request request : requests) {
            if (request != null) {
                request.await();
            }
        }
    }

    /**
     * Waits until all operations have ended normally, one has ended with an exception, which this call throws, or a
     * timeout has passed.
     *
     * @param timeout the longest time to wait for all together; the call does not wait if it is zero or less
     * @param requests the requests, in the order in which they are awaited; null elements are ignored
     * @return whether all have ended
     * @throws CallInterruptedException as for {@link #await(Duration)}
     * @throws TuttiException as for {@link #await()}
     */
    static boolean awaitAll(Duration timeout, @Nullable Request... requests) {
        Objects.requireNonNull(requests, "requests");
        long untilNanos = RequestsInFlight.untilNanos(timeout);
        for (Request request : requests) {
            if (request != null && !request.await(Duration.ofNanos(RequestsInFlight.leftNanos(untilNanos)))) {
                return false;
            }
        }
        return true;
    }

    /**
     * Waits until one of the operations has ended, normally or with an exception. A call of its {@link #await()} throws
     * the exception.
     *
     * @param requests the requests; null elements are ignored, so that a program may set a request to null after its
     *            end
     * @return the least index of a request that has ended
     * @throws IllegalArgumentException if there are no requests, or all are null
     * @throws CallInterruptedException as for {@link #await(Duration)}
     */
    static int awaitAny(@Nullable Request... requests) {
        return RequestsInFlight.awaitSome(requests, Long.MAX_VALUE)[0];
    }

    /**
     * Waits until one of the operations has ended, normally or with an exception, or a timeout has passed.
     *
     * @param timeout the longest time to wait; the call does not wait if it is zero or less
     * @param requests the requests; null elements are ignored
     * @return the least index of a request that has ended, empty if none has
     * @throws IllegalArgumentException if there are no requests, or all are null
     * @throws CallInterruptedException as for {@link #await(Duration)}
     */
    static OptionalInt awaitAny(Duration timeout, @Nullable Request... requests) {
        int[] ended = RequestsInFlight.awaitSome(requests, RequestsInFlight.untilNanos(timeout));
        return ended.length == 0 ? OptionalInt.empty() : OptionalInt.of(ended[0]);
    }

    /**
     * Waits until one or more of the operations have ended, normally or with an exception.
     *
     * @param requests the requests; null elements are ignored
     * @return the indices of the requests that have ended, at least one, in ascending order
     * @throws IllegalArgumentException if there are no requests, or all are null
     * @throws CallInterruptedException as for {@link #await(Duration)}
     */
    static int[] awaitSome(@Nullable Request... requests) {
        return RequestsInFlight.awaitSome(requests, Long.MAX_VALUE);
    }
}
