/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/**
 * An operation that was started without waiting for it ({@link Communicator#nonBlocking}), for example a broadcast.
 * Until it is done, the program must not change the elements that the operation reads, or access the elements that it
 * writes.
 *
 * <p>An operation cannot be cancelled, because other ranks take part in it. {@link Communicator#withDeadline} limits
 * its duration. If the limit passes, the operation ends at all ranks, and the communicator is broken.
 *
 * <p><b>Polling.</b> A call that reports that an operation has not ended sometimes lets other threads run. Therefore
 * ranks that are virtual threads may call it in a loop, even if there are more ranks than carrier threads.
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
     *             If another thread runs the operation, or the interrupt came before the call, the operation goes on
     *             and can be awaited again. If this thread runs the operation, the communicator is broken, in the same
     *             way as after a blocking call
     * @throws TuttiException the exception that a blocking call would have thrown; the same exception each time
     */
    void await();

    /**
     * Waits until the operation has ended or a timeout has passed, and never runs the operation on this thread. After a
     * timeout the operation goes on. A limit that ends the operation is set by {@link Communicator#withDeadline}.
     *
     * @param timeout the longest time to wait; the call does not wait if it is zero or less
     * @return whether the operation has ended
     * @throws CallInterruptedException if this thread is interrupted while it waits; its interrupt status is set again.
     *             The operation goes on, and can be awaited again
     * @throws TuttiException as for {@link #await()}
     */
    boolean await(Duration timeout);

    /**
     * {@return a stage that completes when the operation has ended. If the operation has failed, the stage completes
     * exceptionally. Dependent actions run on the thread of the operation. They must not call collectives, because the
     * order of such calls among the rank's other calls would be undefined}
     */
    CompletionStage<Void> completion();

    /**
     * Waits until all operations have ended normally, or until one has ended with an exception. In the second case this
     * method throws that exception.
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
     * Waits until all operations have ended normally, until one has ended with an exception, or until a timeout has
     * passed. If an operation has ended with an exception, this method throws it.
     *
     * @param timeout the longest time to wait for all together; the call does not wait if it is zero or less
     * @param requests the requests, in the order in which they are awaited; null elements are ignored
     * @return whether all have ended
     * @throws CallInterruptedException if this thread is interrupted while it waits; all operations go on
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
     * Waits until one of the operations has ended, normally or with an exception. This method does not throw that
     * exception. A call of {@link #await()} on the request throws it.
     *
     * @param requests the requests; null elements are ignored, so that a program may set a request to null after its
     *            end
     * @return the least index of a request that has ended
     * @throws IllegalArgumentException if there are no requests, or all are null
     * @throws CallInterruptedException if this thread is interrupted while it waits; all operations go on
     */
    static int awaitAny(@Nullable Request... requests) {
        return RequestsInFlight.awaitSome(requests, Long.MAX_VALUE)[0];
    }

    /**
     * Waits until one of the operations has ended, normally or with an exception, or until a timeout has passed. This
     * method does not throw that exception.
     *
     * @param timeout the longest time to wait; the call does not wait if it is zero or less
     * @param requests the requests; null elements are ignored
     * @return the least index of a request that has ended, empty if none has
     * @throws IllegalArgumentException if there are no requests, or all are null
     * @throws CallInterruptedException if this thread is interrupted while it waits; all operations go on
     */
    static OptionalInt awaitAny(Duration timeout, @Nullable Request... requests) {
        int[] ended = RequestsInFlight.awaitSome(requests, RequestsInFlight.untilNanos(timeout));
        return ended.length == 0 ? OptionalInt.empty() : OptionalInt.of(ended[0]);
    }

    /**
     * Waits until one or more of the operations have ended, normally or with an exception. This method does not throw
     * that exception.
     *
     * @param requests the requests; null elements are ignored
     * @return the indices of the requests that have ended, at least one, in ascending order
     * @throws IllegalArgumentException if there are no requests, or all are null
     * @throws CallInterruptedException if this thread is interrupted while it waits; all operations go on
     */
    static int[] awaitSome(@Nullable Request... requests) {
        return RequestsInFlight.awaitSome(requests, Long.MAX_VALUE);
    }
}
