/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.Arrays;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.tutti.message.MatchingHistory.Posted;
import org.tutti.message.MatchingHistory.Sent;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.tutti.message.MatchingHistory.ANY;

/** Histories that the model of matching explains, and histories that break one rule each. */
@Execution(ExecutionMode.CONCURRENT) // it only computes
class MatchingHistoryTest {
    private static final int BYTES = 20;

    private final MatchingHistory history = new MatchingHistory();

    private Sent send(int source, int tag) {
        return history.send(0, source, 0, tag, BYTES);
    }

    private Posted receive(int source, int tag) {
        return history.receive(0, 0, source, tag);
    }

    private void accept() {
        assertThatCode(history::check).doesNotThrowAnyException();
    }

    private void refuse(String fault) {
        assertThatThrownBy(history::check).isInstanceOf(AssertionError.class).hasMessageStartingWith(fault);
    }

    @Test
    void shouldAcceptMessagesInTheOrderOfSending() {
        Posted early = receive(1, ANY);
        Sent first = send(1, 3);
        Sent second = send(1, 4);
        early.got(1, 3, first.content());
        receive(ANY, 4).got(1, 4, second.content());
        accept();
    }

    @Test
    void shouldAcceptThatAReceivePassesAMessageOfAnotherTag() {
        Sent first = send(1, 3);
        Sent second = send(1, 4);
        receive(1, 4).got(1, 4, second.content());
        receive(1, ANY).got(1, 3, first.content());
        accept();
    }

    @Test
    void shouldAcceptEitherOrderOfTwoSenders() {
        Posted early = receive(ANY, ANY);
        Posted late = receive(ANY, ANY);
        Sent first = send(1, 3);
        Sent second = send(2, 3);
        early.got(2, 3, second.content());
        late.got(1, 3, first.content());
        accept();
    }

    @Test
    void shouldRefuseAMessageThatNoRankHasSent() {
        send(1, 3);
        receive(1, 3).got(1, 3, new byte[BYTES]);
        refuse("no message is left");
    }

    @Test
    void shouldRefuseAWrongLength() {
        Sent message = send(1, 3);
        receive(1, 3).got(1, 3, Arrays.copyOf(message.content(), BYTES - 1));
        refuse("no message is left");
    }

    @Test
    void shouldRefuseOtherBytes() {
        Sent message = send(1, 3);
        byte[] other = message.content().clone();
        other[BYTES - 1]++;
        receive(1, 3).got(1, 3, other);
        refuse("other bytes were received");
    }

    @Test
    void shouldRefuseAWrongTagOrSource() {
        Sent message = send(1, 3);
        receive(1, ANY).got(1, 4, message.content());
        refuse("no message is left");
    }

    @Test
    void shouldRefuseAMessageThatTheReceiveDoesNotAccept() {
        Sent message = send(1, 3);
        receive(1, 4).got(1, 3, message.content());
        refuse("the receive does not accept");
    }

    @Test
    void shouldRefuseAMessageThatIsReceivedTwice() {
        Sent message = send(1, 3);
        receive(1, 3).got(1, 3, message.content());
        receive(1, 3).got(1, 3, message.content());
        refuse("no message is left");
    }

    @Test
    void shouldRefuseAMessageThatIsLost() {
        send(1, 3);
        refuse("a message is lost");
    }

    @Test
    void shouldRefuseAMessageThatIsLeftBehind() {
        Sent first = send(1, 3);
        Sent second = send(1, 4);
        receive(1, ANY).got(1, 4, second.content());
        receive(1, ANY).got(1, 3, first.content());
        refuse("an older message (");
    }

    @Test
    void shouldRefuseAReceiveThatIsLeftBehind() {
        Posted early = receive(1, ANY);
        Sent first = send(1, 3);
        Sent second = send(1, 3);
        receive(1, 3).got(1, 3, first.content());
        early.got(1, 3, second.content());
        refuse("an older message (");
    }

    @Test
    void shouldRefuseAReceiveThatIsPendingAlthoughItsMessageWasDrained() {
        receive(1, 3);
        Sent message = send(1, 3);
        receive(ANY, ANY).got(1, 3, message.content());
        refuse("a receive is pending");
    }

    @Test
    void shouldAcceptAMessageThatComesAfterItsReceiveWasCancelled() {
        Posted early = receive(1, 3);
        early.beginCancel();
        early.cancelled();
        Sent message = send(1, 3);
        receive(1, 3).got(1, 3, message.content());
        accept();
    }

    @Test
    void shouldRefuseAReceiveThatIsCancelledAfterALaterOneGotItsMessage() {
        Posted early = receive(1, 3);
        Sent message = send(1, 3);
        receive(1, 3).got(1, 3, message.content());
        early.beginCancel();
        early.cancelled();
        refuse("the match was seen before");
    }

    @Test
    void shouldRefuseALaterReceiveThatIsServedBeforeTheMessageOfTheEarlierOneIsSent() {
        Posted early = receive(ANY, ANY);
        Sent first = send(1, 3);
        receive(ANY, ANY).got(1, 3, first.content());
        Sent second = send(2, 3);
        early.got(2, 3, second.content());
        refuse("the match was seen before");
    }

    @Test
    void shouldRefuseASynchronousSendThatEndsBeforeItsReceive() {
        Sent message = send(1, 3);
        message.taken();
        receive(1, 3).got(1, 3, message.content());
        refuse("the match was seen before");
    }

    @Test
    void shouldRefuseThatAWithdrawnMessageIsReceived() {
        Sent message = send(1, 3);
        message.withdrawn();
        receive(1, 3).got(1, 3, message.content());
        refuse("no message is left");
    }

    @Test
    void shouldSpareAReceiveThatAWithdrawnMessageMayHaveMatched() {
        Posted early = receive(1, 3);
        send(1, 3).withdrawn();
        Sent first = send(1, 3);
        Sent second = send(1, 3);
        receive(1, 3).got(1, 3, first.content());
        early.got(1, 3, second.content());
        accept();
    }

    @Test
    void shouldTellEmptyMessagesApartByTheirOrder() {
        Posted[] receives = {receive(1, ANY), receive(1, 3), receive(1, ANY)};
        for (int i = 0; i < receives.length; i++) {
            history.send(0, 1, 0, 3, 0);
        }
        for (Posted each : receives) {
            each.got(1, 3, new byte[0]);
        }
        accept();
    }

    @Test
    void shouldForgetProbesInVainAndKeepPlacesApart() {
        receive(ANY, ANY).drop();
        Sent here = send(1, 3);
        Sent there = history.send(1, 1, 0, 3, BYTES);
        history.receive(1, 0, 1, 3).got(1, 3, there.content());
        receive(1, 3).got(1, 3, here.content());
        accept();
    }
}
