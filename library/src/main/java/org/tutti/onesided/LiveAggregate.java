/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

import org.tutti.Aggregate;
import org.tutti.NonBlockingPart;
import org.tutti.Request;
import org.tutti.memory.EndedRequest;

/**
 * An aggregate, a group of non-blocking calls that share one request. The request completes when all calls of the group
 * have ended. If all ranks are on one node there is no request, because every call has ended when it returns.
 */
final class LiveAggregate extends Aggregate {
    private final IntFunction<LivePart> views;
    private final RemoteAccess access;
    private final LiveNonBlockingPart[] parts;
    private final OneSidedRequest request; // null when all ranks are on this node

    /**
     * Creates an aggregate, a group of non-blocking calls that share one request.
     *
     * @param views a function that returns the part of remote memory that belongs to a given rank
     * @param size the number of ranks, each of which has a part
     * @param access the state that the rank's calls on the memory share
     */
    LiveAggregate(IntFunction<LivePart> views, int size, RemoteAccess access) {
        this.views = views;
        this.access = access;
        this.parts = new LiveNonBlockingPart[size];
        this.request = access.newRequest();
    }

    OneSidedRequest request() {
        return request;
    }

    private Request shared() {
        access.flush();
        return request != null ? request : EndedRequest.INSTANCE;
    }

    @Override
    public NonBlockingPart at(int rank) {
        LivePart part = views.apply(rank);
        LiveNonBlockingPart collecting = parts[rank];
        return collecting != null ? collecting : makePart(part);
    }

    private synchronized NonBlockingPart makePart(LivePart part) {
        if (parts[part.rank] == null) {
            parts[part.rank] = new LiveNonBlockingPart(part.gathering(), this);
        }
        return parts[part.rank];
    }

    @Override
    public boolean isDone() {
        return shared().isDone();
    }

    @Override
    public void await() {
        shared().await();
    }

    @Override
    public boolean await(Duration timeout) {
        return shared().await(timeout);
    }

    @Override
    public CompletionStage<Void> completion() {
        return shared().completion();
    }
}
