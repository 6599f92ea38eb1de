/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.DataType;
import org.tutti.MessageMismatchException;
import org.tutti.MessageWithdrawnException;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.SectionTransport;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Offers of long messages. A rank that offers more than its credit allows is refused, and a sender is told of the
 * limit. No offer is remembered after its end. Rank 0 is here; ranks 1 and 2 are on other nodes.
 */
@Timeout(60)
class OffersTest {
    private static final int RANKS = 3;
    private static final int HEADER_BYTES = 32;
    private static final int MESSAGE = 0;
    private static final int WITHDRAW = 1;
    private static final int ACCEPT = 2;
    private static final long COMMUNICATOR = 7;
    private static final long BYTES = 80_000;

    /** A message to another node. */
    private record Sent(int operation, long argument0, long argument1) {}

    private final List<Sent> sent = Collections.synchronizedList(new ArrayList<>());
    private final MemorySegment source = MemorySegment.ofArray(new byte[(int) BYTES]);
    private final RankMessages ofRank = rank(new PrivateMemory(), 0);
    private final CommunicatorMessages messages = new CommunicatorMessages(ofRank, COMMUNICATOR,
            HealthyMembers.INSTANCE, 0, RANKS, () -> 0);
    private final RegionHandler handler = ofRank.handler();
    private long number;
    private long regions;
    private MemorySegment registered; // the first: the words of receives
    private Runnable atRegister = () -> {
    };
    private Runnable atAnswer = () -> {
    };

    private RankMessages rank(Memory memory, int rank) {
        return rank(memory, rank, RANKS);
    }

    private RankMessages rank(Memory memory, int rank, int ranks) {
        var doors = memory.block(memory.claim(Doors.bytes(ranks), "a test"), Doors.bytes(ranks));
        var progress = new MessageProgress(null);
        var fabric = (SectionTransport) Proxy.newProxyInstance(getClass().getClassLoader(),
                new Class<?>[]{SectionTransport.class}, (_, method, arguments) -> switch (method.getName()) {
                    case "register" -> {
                        atRegister.run();
                        registered = registered == null ? (MemorySegment) arguments[0] : registered;
                        yield ++regions;
                    }
                    case "sendPacked" -> {
                        atAnswer.run();
                        yield sent.add(new Sent((int) arguments[4], (long) arguments[5], (long) arguments[6]));
                    }
                    default -> null; // a flush or the end of a region
                });
        return new RankMessages(progress, new LiveMachine(new Waiter(true, progress)), fabric, memory, doors,
                new Placement(each -> each == 0), rank, ranks, 1, false);
    }

    private boolean handle(int operation, long argument0, long argument1, long... header) {
        long[] frame = new long[HEADER_BYTES / Long.BYTES];
        System.arraycopy(header, 0, frame, 0, header.length);
        return handler.handle((int) frame[0], operation, argument0, argument1, 0, MemorySegment.ofArray(frame), 0,
                HEADER_BYTES) != RegionHandler.REFUSED;
    }

    /** Offers a message of rank 1. Returns whether this rank has taken the offer. */
    private boolean offer(long offer) {
        boolean isTaken = handle(MESSAGE, Envelope.offer(0, DataType.BYTE), COMMUNICATOR, 1, number, BYTES, offer);
        number += isTaken ? 1 : 0;
        return isTaken;
    }

    private void withdraw(long offer) {
        assertThat(handle(WITHDRAW, 0, COMMUNICATOR, 1, number++, 0, offer)).isTrue();
    }

    private long offerAll() {
        long offers = 0;
        while (offer(offers)) {
            offers++;
        }
        return offers;
    }

    @Test
    void shouldRefuseOffersWithoutCredit() {
        assertThat(offerAll()).isEqualTo(FarCredit.OFFERS_MAX);
        for (int i = 0; i < 1_000_000; i++) {
            assertThat(offer(i)).isFalse();
        }
        assertThat(ofRank.mailbox().describeUnreceived()).startsWith(FarCredit.OFFERS_MAX + " messages unreceived");
        assertThat(handle(MESSAGE, Envelope.offer(0, DataType.BYTE), COMMUNICATOR, 2, 0, BYTES, 1))
                .as("another sender has credit of its own").isTrue();
    }

    /** A search among all offers for each one that is withdrawn would not end in time. */
    @Test
    void shouldRemoveAWithdrawnOfferInConstantTime() {
        int ranks = 12;
        RankMessages own = rank(new PrivateMemory(), 0, ranks);
        RegionHandler ofOwn = own.handler();
        for (int source = 1; source < ranks; source++) {
            for (long offer = 0; offer < FarCredit.OFFERS_MAX; offer++) {
                long[] frame = {source, offer, BYTES, offer};
                assertThat(ofOwn.handle(source, MESSAGE, Envelope.offer(0, DataType.BYTE), COMMUNICATOR, 0,
                        MemorySegment.ofArray(frame), 0, HEADER_BYTES)).isEqualTo(HEADER_BYTES);
            }
        }
        for (int source = ranks - 1; source > 0; source--) {
            for (long i = 0; i < FarCredit.OFFERS_MAX; i++) {
                long youngest = FarCredit.OFFERS_MAX - 1 - i;
                long[] frame = {source, FarCredit.OFFERS_MAX + i, 0, youngest};
                assertThat(ofOwn.handle(source, WITHDRAW, 0, COMMUNICATOR, 0, MemorySegment.ofArray(frame), 0,
                        HEADER_BYTES)).isEqualTo(HEADER_BYTES);
            }
        }
        assertThat(own.mailbox().describeUnreceived()).isNull();
    }

    /** A withdrawal of an offer is for one of the sender, and no other offer with the same number. */
    @Test
    void shouldRemoveTheOfferOfTheRankThatWithdrawsIt() {
        assertThat(offer(5)).isTrue();
        assertThat(handle(MESSAGE, Envelope.offer(3, DataType.BYTE), COMMUNICATOR, 2, 0, BYTES, 5)).isTrue();
        withdraw(5);
        assertThat(messages.tryProbe(1, 0, Long.MAX_VALUE)).isNull();
        assertThat(messages.tryProbe(2, 3, Long.MAX_VALUE)).isNotNull();
        withdraw(5);
        assertThat(matchedOffers()).isZero();
        assertThat(((FarMessages) handler).matchedOffers(2)).isEqualTo(1);
    }

    @Test
    void shouldTakeAnotherOfferWhenOneHasEnded() throws InterruptedException {
        long offers = offerAll();
        assertThat(messages.tryProbe(1, 0, Long.MAX_VALUE)).isNotNull();
        assertThat(offer(offers)).as("one is matched").isTrue();
        assertThat(offer(offers + 1)).isFalse();
        withdraw(offers);
        assertThat(offer(offers + 1)).as("one is withdrawn").isTrue();
        assertThat(offer(offers + 2)).isFalse();
        messages.close();
        while (sent.size() < offers) {
            Thread.sleep(1);
        }
        assertThat(sent).hasSize((int) offers).allMatch(each -> each.operation == ACCEPT && each.argument1 == 0);
        for (int i = 0; i < 2 * offers; i++) {
            assertThat(offer(i)).as("the communicator is closed, so offer %s is declined", i).isTrue();
            while (sent.size() < offers + i + 1) {
                Thread.onSpinWait();
            }
        }
    }

    private int matchedOffers() {
        return ((FarMessages) handler).matchedOffers(1);
    }

    private long receive(int length) {
        return messages.receive(MemorySegment.ofArray(new byte[length]), DataType.BYTE, 1, 0, null, Long.MAX_VALUE);
    }

    @Test
    void shouldNotRememberOffersThatARankWithdrawsWithoutReason() {
        var random = new Random(74);
        for (int i = 0; i < 100_000; i++) {
            withdraw(random.nextLong());
        }
        assertThat(matchedOffers()).isZero();
    }

    @Test
    void shouldForgetAnOfferThatIsWithdrawnAfterItsMatch() {
        assertThat(offer(5)).isTrue();
        var found = messages.tryProbe(1, 0, Long.MAX_VALUE);
        assertThat(matchedOffers()).isEqualTo(1);
        withdraw(5);
        assertThatThrownBy(() -> found.receive(new byte[(int) BYTES])).isInstanceOf(MessageWithdrawnException.class);
        withdraw(5);
        assertThat(matchedOffers()).isZero();
        assertThat(sent).isEmpty();
    }

    /** The sender withdraws the offer before, while and after the receiver answers it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void shouldForgetAnOfferWhoseWithdrawalCrossesAMismatch(int moment) {
        Runnable withdrawal = () -> {
            atAnswer = this::raiseWords;
            withdraw(5);
        };
        assertThat(offer(5)).isTrue();
        if (moment == 0) {
            withdraw(5);
        }
        if (moment < 2) {
            assertThat(offer(6)).isTrue();
        }
        atAnswer = moment == 1 ? withdrawal : this::raiseWords;
        assertThatThrownBy(() -> receive(1)).isInstanceOf(MessageMismatchException.class);
        if (moment == 2) {
            withdraw(5);
        }
        assertThat(matchedOffers()).isZero();
    }

    /** Tells each receive that its sender has seen the answer. */
    private void raiseWords() {
        registered.fill((byte) 0x7f);
    }

    /** The sender withdraws the offer before the receive can be found by the offer, or after that. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldForgetAnOfferThatIsWithdrawnDuringTheAnswer(boolean isFound) {
        Runnable withdrawal = () -> {
            atAnswer = () -> {
            };
            atRegister = atAnswer;
            withdraw(5);
            assertThat(handle(MESSAGE, Envelope.eager(0, DataType.BYTE, 0), COMMUNICATOR, 1, number++)).isTrue();
        };
        atRegister = isFound ? atRegister : withdrawal;
        atAnswer = isFound ? withdrawal : atAnswer;
        assertThat(offer(5)).isTrue();
        assertThat(receive((int) BYTES)).as("the next message").isZero();
        assertThat(matchedOffers()).isZero();
    }

    /** Another process may name any rank of the job. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldRefuseAnOfferOfARankThatIsNotInTheCommunicator(boolean isFound) throws InterruptedException {
        var own = new CommunicatorMessages(ofRank, COMMUNICATOR, HealthyMembers.INSTANCE, 0, 1, () -> 0);
        assertThat(offer(5)).isTrue();
        assertThatThrownBy(() -> {
            if (isFound) {
                own.tryProbe(Receive.ANY, 0, Long.MAX_VALUE);
            } else {
                own.receive(MemorySegment.ofArray(new byte[1]), DataType.BYTE, Receive.ANY, 0, null, Long.MAX_VALUE);
            }
        }).isInstanceOf(IllegalStateException.class).hasMessageContaining("rank 1 of the job");
        assertThat(matchedOffers()).isZero();
        while (sent.isEmpty()) {
            Thread.sleep(1);
        }
        assertThat(sent).containsExactly(new Sent(ACCEPT, 5, 0));
    }

    private Send send() {
        var send = new Send(new MessageCheck(HealthyMembers.INSTANCE, 0, RANKS, new AtomicBoolean(), () -> 0));
        send.check.beginSend(1, 0, Long.MAX_VALUE);
        send.begin(COMMUNICATOR, 0, DataType.BYTE, source, false);
        return send;
    }

    @Test
    void shouldTellASenderToAnotherNodeOfTheLimit() {
        List<Send> sends = new ArrayList<>();
        for (int i = 0; i < FarCredit.OFFERS_MAX; i++) {
            sends.add(send());
            assertThat(ofRank.start(sends.getLast(), 1)).isFalse();
        }
        assertThatThrownBy(() -> ofRank.start(send(), 1)).isInstanceOf(IllegalStateException.class).hasMessage(
                "rank 0 of the job has 32768 messages to rank 1 that no receive has matched, which is the limit; let "
                        + "rank 1 receive some of them before the next send");
        assertThat(sent).hasSize(FarCredit.OFFERS_MAX);
        assertThat(ofRank.start(send(), 2)).as("another rank").isFalse();

        Send answered = sends.getFirst();
        assertThat(handle(ACCEPT, answered.offer(), 0, 1)).isTrue();
        assertThat(ofRank.advance(answered, 1)).isTrue();
        assertThat(ofRank.start(send(), 1)).as("one is matched").isFalse();
        assertThatThrownBy(() -> ofRank.start(send(), 1)).isInstanceOf(IllegalStateException.class);

        assertThat(ofRank.withdraw(sends.getLast(), 1)).isTrue();
        assertThat(ofRank.start(send(), 1)).as("one is withdrawn").isFalse();
        assertThatThrownBy(() -> ofRank.start(send(), 1)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldTellASenderToItsNodeOfTheLimit() {
        RankMessages own = rank(new SharedBlocks(), 0);
        List<Send> sends = new ArrayList<>();
        for (int i = 0; i < NodeTransfers.OUTGOING_MAX; i++) {
            sends.add(send());
            assertThat(own.start(sends.getLast(), 0)).isFalse();
            own.mailbox().poll();
        }
        assertThatThrownBy(() -> own.start(send(), 0)).isInstanceOf(IllegalStateException.class).hasMessage(
                "rank 0 of the job has 32768 long messages to ranks of its node under way, which is the limit; let "
                        + "these ranks receive some of them before the next send");
        assertThat(own.mailbox().describeUnreceived()).startsWith(NodeTransfers.OUTGOING_MAX + " messages unreceived");
    }

    /** Has a place of its own for each block, except for the blocks of transfers, which have one place together. */
    private static final class SharedBlocks extends Memory {
        private static final long SHARED = 1L << 56;

        private final PrivateMemory blocks = new PrivateMemory();
        private final long place = blocks.claim(TransferLayout.BYTES, "a test");
        private long shared = SHARED;

        @Override
        protected long claimNew(long bytes, String purpose) {
            return bytes == roundToLines(TransferLayout.BYTES) ? shared += roundToLines(1)
                    : blocks.claim(bytes, purpose);
        }

        @Override
        public MemorySegment around(long address) {
            return blocks.around(address > SHARED ? place : address);
        }

        @Override
        public long offset(long address) {
            return blocks.offset(address > SHARED ? place : address);
        }

        @Override
        public void close() {
            blocks.close();
        }
    }
}
