/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.concurrent.CancellationException;

import org.tutti.Message;
import org.tutti.ReceiveRequest;

/** A non-blocking receive. */
final class PendingReceive extends PendingMessage implements ReceiveRequest {
    private final RankMessages messages;
    private final CommunicatorMessages communicator;
    private final Receive receive;
    private final Message message;
    private boolean isWoken; // guarded by the lock of the mailbox
    private boolean hasBegun; // the transfer from a rank of this node

    /**
     * Creates a receive that has not begun.
     *
     * @param messages the messages of the rank
     * @param communicator the messages of the communicator
     * @param receive the state of the receive
     * @param message receives the description of the message
     * @param afterwards an action to run when the message has come
     */
    PendingReceive(RankMessages messages, CommunicatorMessages communicator, Receive receive, Message message,
            Runnable afterwards) {
        super(messages, receive.check, afterwards);
        this.messages = messages;
        this.communicator = communicator;
        this.receive = receive;
        this.message = message;
    }

    /** Goes on after a message has matched. The thread has the lock of the mailbox, so it only wakes others. */
    void matched() {
        if (!isWoken) {
            isWoken = true;
            messages.inFlight().wake(this);
        }
        if (needsTransfer()) {
            startTransfer();
        }
    }

    @Override
    boolean advance() {
        if (!messages.isMatched(receive)) {
            return false;
        }
        if (!receive.isOffer()) {
            communicator.complete(receive, message);
            return true;
        }
        return !needsTransfer() && takeFromNode();
    }

    private boolean takeFromNode() {
        if (!hasBegun) {
            hasBegun = messages.beginTransfer(receive);
            if (!hasBegun) {
                return beginAgain();
            }
            communicator.beginTransfer(receive);
        }
        if (!receive.incoming.advance()) {
            return false;
        }
        hasBegun = false;
        if (receive.incoming.hasFailed()) {
            return beginAgain();
        }
        communicator.complete(receive, message);
        return true;
    }

    /** Waits for another message, because the sender has withdrawn the one that has matched. */
    private boolean beginAgain() {
        receive.check.beginAgain();
        messages.startAgain(receive);
        return false;
    }

    @Override
    boolean needsTransfer() {
        return messages.needsTransfer(receive);
    }

    @Override
    boolean transfer() {
        if (communicator.fetch(receive)) {
            communicator.complete(receive, message);
            return true;
        }
        return beginAgain();
    }

    @Override
    boolean withdraw() {
        if (hasBegun && receive.check.mustEndTransfer()) {
            receive.incoming.end();
            return true;
        }
        return messages.withdraw(receive);
    }

    @Override
    long steps() {
        return hasBegun ? receive.incoming.chunksTaken() : 0;
    }

    @Override
    boolean isOnItsWay() {
        return hasBegun;
    }

    @Override
    AwaitedWord awaited() {
        return hasBegun ? receive.incoming.awaited() : messages.awaited(receive);
    }

    @Override
    void putBack() {
        communicator.putBack(receive);
    }

    @Override
    public boolean cancel() {
        return cancel(new CancellationException(describe() + " was cancelled before a message came"));
    }

    private String describe() {
        return communicator.describe(receive.check.source(), receive.tag);
    }

    @Override
    public Message message() {
        if (!isDone()) {
            throw new IllegalStateException(describe() + " has not ended; await it before message()");
        }
        await(); // throws the exception of a receive that has failed
        return message;
    }
}
