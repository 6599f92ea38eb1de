/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.DeadlineExceededException;
import org.tutti.RankFailedException;
import org.tutti.collective.members.CallCheck;
import org.tutti.collective.members.Members;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.SectionPieces;
import org.tutti.memory.ProgressPolicy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Gets that are not awaited, over a fabric that answers when the test says so. */
@Timeout(120)
class PendingCallsTest {
    private static final MemorySegment TARGET = MemorySegment.ofArray(new byte[8]);

    private final Set<Integer> answered = new TreeSet<>();
    private final List<Integer> taken = new ArrayList<>();
    private final List<Integer> forgotten = new ArrayList<>();
    private final Set<Integer> refused = new TreeSet<>();
    private int places = 4;
    private int begun;
    private int refusedForRoom;
    private RuntimeException failure;

    private final Fabric fabric = (Fabric) Proxy.newProxyInstance(Fabric.class.getClassLoader(),
            new Class<?>[]{Fabric.class}, (_, method, arguments) -> switch (method.getName()) {
                case "beginGet" -> begun - taken.size() - forgotten.size() < places ? ask((SectionPieces) arguments[2])
                        : Fabric.NO_ENTRY;
                case "isAnswered" -> answered.contains((int) arguments[1]);
                case "awaitGet" -> take((int) arguments[1]);
                case "forgetGet" -> forgotten.add((int) arguments[1]) ? null : null;
                case "poll" -> false;
                default -> null;
            });

    private final Members members = (Members) Proxy.newProxyInstance(Members.class.getClassLoader(),
            new Class<?>[]{Members.class}, (_, method, _) -> switch (method.getName()) {
                case "failure" -> failure;
                case "changes" -> 0L;
                case "describe" -> "a rank";
                default -> false;
            });

    private final PendingCalls gets = new PendingCalls(fabric, members, 0, false, new ProgressPolicy());
    private final PartAddress part = new PartAddress(1, 1, 7);
    private final CallCheck check = new CallCheck(members, 0).begin("get", 1, Long.MAX_VALUE);

    private boolean take(int request) {
        assertThat(answered).contains(request);
        taken.add(request);
        if (refused.contains(request)) {
            throw new IndexOutOfBoundsException("refused");
        }
        return true;
    }

    private int ask(SectionPieces pieces) {
        pieces.part().skip(pieces.left());
        return begun++;
    }

    private OneSidedRequest begin(OneSidedRequest request) {
        SectionPieces pieces = new SectionPieces();
        pieces.begin(0, TARGET, 0, 8);
        refusedForRoom += gets.begin(request, part, pieces, check) ? 0 : 1;
        return request;
    }

    private OneSidedRequest begin() {
        return begin(new OneSidedRequest(gets));
    }

    @Test
    void shouldEndEachWhenItsOwnAnswersAreThere() {
        OneSidedRequest first = begin();
        OneSidedRequest second = begin(begin());
        answered.addAll(Set.of(0, 1));
        assertThat(first.isDone()).isTrue();
        assertThat(second.isDone()).isFalse();
        assertThat(second.await(Duration.ofMillis(1))).isFalse();
        assertThat(second.await(Duration.ZERO)).isFalse();
        answered.add(2);
        second.await();
        assertThat(taken).containsExactlyInAnyOrder(0, 1, 2);
    }

    @Test
    void shouldWaitForItsOwnAnswersWhenThereIsNoPlaceAndTellWhenThereAreNone() {
        places = 2;
        OneSidedRequest first = begin();
        OneSidedRequest second = begin();
        answered.add(1);
        OneSidedRequest third = begin();
        assertThat(second.isDone()).isTrue();
        assertThat(first.isDone()).isFalse();
        answered.addAll(Set.of(0, 2));
        Set.of(first, third).forEach(OneSidedRequest::await);
        places = 0;
        assertThat(begin().isDone()).isTrue();
        assertThat(refusedForRoom).isEqualTo(1);
    }

    @Test
    void shouldHaveNoMoreInFlightThanTheLimit() {
        places = 1000;
        List<OneSidedRequest> requests = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            requests.add(begin());
        }
        answered.add(40);
        requests.add(begin());
        assertThat(taken).containsExactly(40);
        assertThat(begun).isEqualTo(65);
        for (int i = 0; i < begun; i++) {
            answered.add(i);
        }
        requests.forEach(OneSidedRequest::await);
    }

    @Test
    void shouldEndAtItsDeadlineAndForgetWhatWasAskedFor() {
        OneSidedRequest late = begin().until(System.nanoTime());
        OneSidedRequest other = begin();
        assertThatThrownBy(late::await).isInstanceOf(DeadlineExceededException.class);
        assertThatThrownBy(late::await).isInstanceOf(DeadlineExceededException.class);
        assertThat(late.isDone()).isTrue();
        assertThat(late.completion().toCompletableFuture()).isCompletedExceptionally();
        assertThat(forgotten).containsExactly(0);
        assertThat(other.isDone()).isFalse();
    }

    @Test
    void shouldTellOfRefusalsAndFailures() {
        OneSidedRequest wrong = begin(begin());
        refused.add(1);
        answered.addAll(Set.of(0, 1));
        assertThatThrownBy(wrong::await).isInstanceOf(IndexOutOfBoundsException.class).hasMessage("refused");
        OneSidedRequest left = begin();
        failure = new RankFailedException(2, "rank 2 failed");
        assertThatThrownBy(left::await).isSameAs(failure);
        assertThat(forgotten).containsExactly(2);
    }
}
