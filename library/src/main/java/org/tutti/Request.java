/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalInt;
import java.util.concurrent.CompletionStage;

/**
 * An operation that was begun without waiting for it ({@link Communicator#nonBlocking}). Until it is done, what the
 * call was given belongs to it: the elements that it reads must not be changed, those that it writes not be looked at.
 *
 * <p>An operation that was begun cannot be cancelled: other ranks are in it. A limit for all of them is {@link
 * Communicator#withDeadline}, which breaks the communicator.
 *
 * <p><b>Asking in a loop.</b> Calls that answer that an operation has not ended let other threads run now and then. So
 * ranks that are virtual threads may ask in a loop, even if there are more of them than carriers.
 *
 * <p>Safe for use by any number of threads.
 *
 * <p><b>Memory ordering.</b> All that the operation did happens before {@link #isDone} returns true, before
 * {@code await} returns, and before the stage completes.
 */
public interface Request {
    /**
     * {@return whether the operation has ended, well or with an exception; never waits}
     */
    boolean isDone();

    /**
     * Waits until the operation has ended. A collective that nobody has begun may be run by this thread, as by a
     * blocking call.
     *
     * @throws CallInterruptedException when this thread is interrupted meanwhile; its interrupt status is set again. If
     *             others run the operation, or the interrupt came first, nothing breaks: the operation goes on, and can
     *             be awaited again. If this thread runs it, the communicator is broken, as by a blocking call
     * @throws TuttiException what a blocking call would have ended with; the same exception each time
     */
    void await();

    /**
     * Waits until the operation has ended, but not longer than a given time, and never runs it on this thread. That it
     * takes longer is an answer, not a failure: the operation goes on. (A limit that ends the operation is {@link
     * Communicator#withDeadline}.)
     *
     * @param timeout how long; zero or less does not wait
     * @return whether it has ended
     * @throws CallInterruptedException when this thread is interrupted meanwhile; its interrupt status is set again.
     *             The operation goes on, and can be awaited again
     * @throws TuttiException as for {@link #await()}
     */
    boolean await(Duration timeout);

    /**
     * {@return a stage that completes when the operation has ended, exceptionally when it failed. What depends on it
     * runs on the thread of the operation, and must call no collectives: their order among the rank's other calls would
     * be left to chance}
     */
    CompletionStage<Void> completion();

    /**
     * Waits until all operations have ended well, or one is found that has not.
     *
     * @param requests which, in the order in which they are waited for; those that are null are left out
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
     * Waits until all operations have ended well, or one is found that has not, but not longer than a given time.
     *
     * @param timeout how long at most for all together; zero or less does not wait
     * @param requests which, in the order in which they are waited for; those that are null are left out
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
     * Waits until one of the operations has ended, well or with an exception, which its {@link #await()} tells.
     *
     * @param requests which; those that are null are left out, so that who has seen one may set it to null
     * @return the index of one that has ended, the first of them
     * @throws IllegalArgumentException when all are null, or there are none
     * @throws CallInterruptedException as for {@link #await(Duration)}
     */
    static int awaitAny(@Nullable Request... requests) {
        return RequestsInFlight.awaitSome(requests, Long.MAX_VALUE)[0];
    }

    /**
     * Waits until one of the operations has ended, but not longer than a given time.
     *
     * @param timeout how long; zero or less does not wait
     * @param requests which; those that are null are left out
     * @return the index of one that has ended, the first of them, or nothing when the time was over before
     * @throws IllegalArgumentException when all are null, or there are none
     * @throws CallInterruptedException as for {@link #await(Duration)}
     */
    static OptionalInt awaitAny(Duration timeout, @Nullable Request... requests) {
        int[] ended = RequestsInFlight.awaitSome(requests, RequestsInFlight.untilNanos(timeout));
        return ended.length == 0 ? OptionalInt.empty() : OptionalInt.of(ended[0]);
    }

    /**
     * Waits until one of the operations has ended, and tells which others have.
     *
     * @param requests which; those that are null are left out
     * @return the indices of those that have ended, at least one, in ascending order
     * @throws IllegalArgumentException when all are null, or there are none
     * @throws CallInterruptedException as for {@link #await(Duration)}
     */
    static int[] awaitSome(@Nullable Request... requests) {
        return RequestsInFlight.awaitSome(requests, Long.MAX_VALUE);
    }
}
