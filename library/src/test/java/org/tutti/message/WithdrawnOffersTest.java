/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.concurrent.CancellationException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.MessageMismatchException;
import org.tutti.ReceiveRequest;
import org.tutti.Request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Offers that their sender withdraws while a receive takes them. Either both ends have the message, or neither. */
@Execution(ExecutionMode.CONCURRENT) // it only computes
class WithdrawnOffersTest {
    private static final int SEEDS = 40;
    private static final int TURNS_MAX = 400;
    private static final int ROOM_BYTES = 50_000;
    private static final int NEXT_BYTES = 7;

    /** A longer message than the receive has room for ends the receive with an exception. */
    @ParameterizedTest
    @CsvSource({"0, 0", "0, 1", "0, 50000", "0, 50001", "1, 0", "1, 1", "1, 50000", "1, 50001"})
    void shouldEndAtBothEndsOrAtNeither(int node, int bytes) {
        int withdrawn = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new SplittableRandom(seed);
            try (Arena arena = Arena.ofConfined();
                    var ranks = new SimulatedRanks(random, new int[]{0, node}, 1 + seed % 2, seed % 3 == 0, arena)) {
                MatchingCalls sender = ranks.calls(0, 0);
                Request offer = sender.send(MemorySegment.ofArray(new byte[bytes]), 1, 0, true);
                ReceiveRequest receive = ranks.calls(1, 0).receive(MemorySegment.ofArray(new byte[ROOM_BYTES]), 0, 0);
                turn(ranks, random.nextInt(TURNS_MAX));
                boolean isWithdrawn = sender.withdraw(offer);
                sender.send(MemorySegment.ofArray(new byte[NEXT_BYTES]), 1, 0, false);
                ranks.turnUntil(receive::isDone);
                assertThat(gotNext(receive)).as("seed %s: the next message was received", seed).isEqualTo(isWithdrawn);
                withdrawn += isWithdrawn ? 1 : 0;
            }
        }
        assertThat(withdrawn).as("withdrawn messages").isBetween(1, SEEDS - 1);
    }

    /** A receive that cannot be cancelled must end, also if its message is withdrawn and no other one comes. */
    @Test
    void shouldEndAReceiveThatCannotBeCancelled() {
        int late = 0;
        for (int seed = 0; seed < 10 * SEEDS; seed++) {
            var random = new SplittableRandom(seed);
            try (Arena arena = Arena.ofConfined();
                    var ranks = new SimulatedRanks(random, new int[]{0, 1}, 1, false, arena)) {
                MatchingCalls sender = ranks.calls(0, 0);
                Request offer = sender.send(MemorySegment.ofArray(new byte[1]), 1, 0, true);
                ReceiveRequest receive = ranks.calls(1, 0).receive(MemorySegment.ofArray(new byte[1]), 0, 0);
                turn(ranks, random.nextInt(TURNS_MAX / 4));
                boolean isCancelled = receive.cancel();
                boolean isWithdrawn = sender.withdraw(offer);
                if (isWithdrawn || isCancelled) {
                    ranks.turnUntil(receive::isDone);
                    assertThatThrownBy(receive::message).isInstanceOf(CancellationException.class);
                    late += isCancelled ? 0 : 1;
                }
            }
        }
        assertThat(late).as("cancellations that came after a match with a withdrawn message").isPositive();
    }

    /** A receive whose message is withdrawn is still older than the next receive. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void shouldKeepThePlaceOfAReceive(int node) {
        int withdrawn = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            var random = new SplittableRandom(seed);
            try (Arena arena = Arena.ofConfined();
                    var ranks = new SimulatedRanks(random, new int[]{0, node}, 1, false, arena)) {
                MatchingCalls sender = ranks.calls(0, 0);
                MatchingCalls receiver = ranks.calls(1, 0);
                Request offer = sender.send(MemorySegment.ofArray(new byte[1]), 1, 0, true);
                ReceiveRequest first = receiver.receive(MemorySegment.ofArray(new byte[ROOM_BYTES]), 0, 0);
                ReceiveRequest second = receiver.receive(MemorySegment.ofArray(new byte[ROOM_BYTES]), 0, 0);
                turn(ranks, random.nextInt(TURNS_MAX));
                if (sender.withdraw(offer)) {
                    turn(ranks, 10 * TURNS_MAX); // the receiver hears of it
                    sender.send(MemorySegment.ofArray(new byte[NEXT_BYTES]), 1, 0, false);
                    sender.send(MemorySegment.ofArray(new byte[NEXT_BYTES + 1]), 1, 0, false);
                    ranks.turnUntil(() -> first.isDone() && second.isDone());
                    assertThat(first.message().count()).isEqualTo(NEXT_BYTES);
                    withdrawn++;
                }
            }
        }
        assertThat(withdrawn).as("withdrawn messages").isPositive();
    }

    private static void turn(SimulatedRanks ranks, int turns) {
        for (int i = 0; i < turns; i++) {
            ranks.turn();
        }
    }

    private static boolean gotNext(ReceiveRequest receive) {
        try {
            return receive.message().count() == NEXT_BYTES;
        } catch (MessageMismatchException _) {
            return false;
        }
    }
}
