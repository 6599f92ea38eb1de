/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.concurrent.CancellationException;

import org.tutti.Message;
import org.tutti.ReceiveRequest;

/** A non-blocking receive. */
final class PendingReceive extends PendingMessage implements ReceiveRequest, Receive.Pending {
    /** The longest target of an eager message that ends the receive under the lock: an array may be rewritten then. */
    private static final long ENDED_AT_ONCE_BYTES_MAX = 1 << 20;

    private final RankMessages messages;
    private final CommunicatorMessages communicator;
    private final Receive receive;
    private final Message message;
    private boolean isInFlight; // written before the receive is seen to be matched
    private boolean hasBegun; // the transfer from a rank of this node
    private boolean isComing; // the payload from a rank of another node
    private volatile RuntimeException cancellation; // ends the receive if the message that has matched is withdrawn

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

    /** Ends if the payload has come with the message. Otherwise lets other threads move the transfer on. */
    @Override
    public void matched() {
        if (!receive.isOffer() && !isInFlight && receive.target().byteSize() <= ENDED_AT_ONCE_BYTES_MAX) {
            endMatched();
            return;
        }
        if (!isInFlight) {
            isInFlight = true;
            messages.addInFlight(this);
        }
    }

    private void endMatched() {
        try {
            communicator.complete(receive, message);
        } catch (Throwable thrown) {
            end(thrown);
            return;
        }
        end(null);
    }

    @Override
    String label() {
        return "receive";
    }

    @Override
    boolean advance() {
        if (!messages.isMatched(receive) || needsTransfer() || !isInFlight) {
            return false;
        }
        if (!receive.isOffer()) {
            communicator.complete(receive, message);
            return true;
        }
        return isComing ? takeFromFar() : takeFromNode();
    }

    private boolean takeFromNode() {
        if (!hasBegun) {
            hasBegun = messages.beginTransfer(receive);
            if (!hasBegun) {
                return beginAgain();
            }
            communicator.beginTransfer(receive);
        }
        if (!receive.incoming().advance()) {
            return false;
        }
        hasBegun = false;
        if (receive.incoming().hasFailed()) {
            return beginAgain();
        }
        communicator.complete(receive, message);
        return true;
    }

    private boolean takeFromFar() {
        if (!messages.hasCome(receive)) {
            return false;
        }
        isComing = false;
        if (!messages.endPut(receive)) {
            return beginAgain();
        }
        communicator.complete(receive, message);
        return true;
    }

    /** Waits for another message, because the sender has withdrawn the one that has matched. */
    private boolean beginAgain() {
        if (cancellation != null) {
            throw cancellation;
        }
        receive.check.beginAgain();
        messages.startAgain(receive);
        return false;
    }

    @Override
    boolean needsTransfer() {
        return !isComing && messages.needsTransfer(receive);
    }

    @Override
    boolean transfer() {
        if (!communicator.beginPut(receive)) {
            return beginAgain();
        }
        isComing = true;
        return false;
    }

    @Override
    int other() {
        return receive.source != Receive.ANY ? receive.source
                : messages.isMatched(receive) ? receive.matchedSource() : Receive.ANY;
    }

    @Override
    boolean withdraw() {
        if (hasBegun && receive.check.mustEndTransfer()) {
            receive.incoming().end();
            return true;
        }
        if (isComing && receive.check.mustEndTransfer()) {
            messages.endPut(receive);
            return true;
        }
        return messages.withdraw(receive);
    }

    @Override
    long steps() {
        return hasBegun ? receive.incoming().chunksTaken() : 0;
    }

    @Override
    boolean isOnItsWay() {
        return hasBegun;
    }

    @Override
    AwaitedWord awaited() {
        if (isComing) {
            return messages.awaitedPut(receive);
        }
        return hasBegun ? receive.incoming().awaited() : messages.awaited(receive);
    }

    @Override
    void leave() {
        if (isInFlight) {
            messages.inFlight().remove(this);
        }
        receive.end();
    }

    @Override
    public boolean cancel() {
        var reason = new CancellationException(describe() + " was cancelled before a message came");
        if (cancel(reason)) {
            return true;
        }
        cancellation = reason;
        return cancel(reason); // the receive may have begun again before another thread could see the cancellation
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
