/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

/** A non-blocking send. */
final class PendingSend extends PendingMessage {
    private final RankMessages messages;
    private final Send send;
    private final Pool<Send> pool;
    private final int target;
    private boolean isWritten;

    /**
     * Creates a send that has not begun.
     *
     * @param messages the messages of the rank
     * @param send the state of the send
     * @param pool the pool of the state
     * @param target the rank of the job that receives
     */
    PendingSend(RankMessages messages, Send send, Pool<Send> pool, int target) {
        super(messages, send.check, () -> {
        });
        this.messages = messages;
        this.send = send;
        this.pool = pool;
        this.target = target;
    }

    @Override
    String label() {
        return "send";
    }

    @Override
    boolean advance() {
        isWritten = isWritten || messages.isWritten(send, target);
        return isWritten && messages.advance(send, target);
    }

    @Override
    boolean needsTransfer() {
        return messages.needsTransfer(send, target);
    }

    @Override
    boolean transfer() {
        messages.finish(send);
        return true;
    }

    @Override
    int other() {
        return target;
    }

    @Override
    boolean withdraw() {
        return messages.withdraw(send, target) || isOnItsWay() && send.check.mustEndTransfer();
    }

    @Override
    long steps() {
        return isWritten && send.transfer() != null ? send.transfer().chunksFilled() : 0;
    }

    @Override
    boolean isOnItsWay() {
        return isWritten && send.transfer() != null && send.transfer().isMatched();
    }

    @Override
    AwaitedWord awaited() {
        return messages.awaited(send, target, isWritten);
    }

    @Override
    void leave() {
        messages.inFlight().remove(this);
        messages.end(send);
        send.end();
        pool.putBack(send);
    }
}
