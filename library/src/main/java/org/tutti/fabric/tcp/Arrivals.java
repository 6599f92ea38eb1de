/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.ProtocolException;
import java.util.concurrent.atomic.AtomicLong;

import org.tutti.fabric.WordAction;

/**
 * The receiving half of a {@link Peer}: looks at each arriving frame before its payload is taken in, says where that
 * goes, counts the frames that have arrived without a gap, and does what they ask for when the count passes them.
 * Everything here is done under the peer's receiving lock; others read the count only.
 */
final class Arrivals implements Rail.Receiver {
    private static final int COUNT_INTERVAL_FRAMES = 256;
    private static final int COUNT_INTERVAL_BYTES = 256 << 10;

    private final Session session;
    private final Requests requests;
    private final Answers answers;
    private final Deliveries deliveries;
    private final CountedFrames counted;
    private final RailChoice choice;
    private final AtomicLong refusals;
    private Rail[] rails = {};
    private Frame[] early;
    private volatile long received;
    private long awaited;
    private long countWanted;
    private long countTold;
    private int bytesSinceCount;
    private volatile boolean held;

    /**
     * @param counted is told what the other side has counted
     * @param choice is told what has come over each rail
     */
    Arrivals(Session session, Requests requests, Answers answers, Deliveries deliveries, CountedFrames counted,
            RailChoice choice, AtomicLong refusals) {
        this.session = session;
        this.requests = requests;
        this.answers = answers;
        this.deliveries = deliveries;
        this.counted = counted;
        this.choice = choice;
        this.refusals = refusals;
    }

    /** These are the rails; with several of them, frames may come before earlier ones. */
    void connect(Rail[] all) {
        rails = all;
        early = null;
        if (all.length > 1) {
            early = new Frame[Retention.FRAMES_MAX];
            for (int i = 0; i < early.length; i++) {
                early[i] = new Frame();
            }
        }
    }

    /** All frames up to this number have arrived. */
    long received() {
        return received;
    }

    /** How many numbered frames somebody may have waited for: all but those of a put that raise no word. */
    long awaited() {
        return awaited;
    }

    @Override
    public void begin(Rail rail) throws ProtocolException {
        Frame arriving = rail.frame();
        if (!FrameLayout.isPlausible(arriving)) {
            throw new ProtocolException("a frame of kind " + arriving.kind + " with " + arriving.length + " bytes");
        }
        counted.note(arriving.count);
        if (arriving.number == 0 || isDuplicate(rail, arriving.number)) {
            return;
        }
        long limit = received + (early == null ? 1 : Retention.FRAMES_MAX);
        if (arriving.number > limit) {
            throw new ProtocolException("frame " + arriving.number + " where at most " + limit + " can be");
        }
        if (arriving.kind == FrameLayout.PUT) {
            deliveries.beginPut(rail.sink(), arriving);
        } else if (arriving.kind == FrameLayout.ACTIVE_MESSAGE) {
            deliveries.beginMessage(rail.sink(), arriving);
        } else if (arriving.kind == FrameLayout.REPLY) {
            requests.aim(rail.sink(), arriving);
        } else if (arriving.kind == FrameLayout.GET && arriving.has(FrameLayout.PACKED)) {
            rail.sink().intoLanding();
        }
    }

    private boolean isDuplicate(Rail rail, long number) {
        return number <= received || early != null
                && (early[place(number)].number == number || held && isHeldElsewhere(rail, number));
    }

    private boolean isHeldElsewhere(Rail rail, long number) {
        for (Rail other : rails) {
            if (other != rail && other.isHeld() && other.frame().number == number) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void noteHeld() {
        boolean any = false;
        for (Rail rail : rails) {
            any |= rail.isHeld();
        }
        held = any;
    }

    /** Whether a rail holds a frame, which has to be tried again. */
    boolean isAnyHeld() {
        return held;
    }

    private static int place(long number) {
        return (int) (number % Retention.FRAMES_MAX);
    }

    @Override
    public boolean end(Rail rail) throws ProtocolException {
        Frame arrived = rail.frame();
        if (arrived.number == 0) {
            choice.noteArrived(arrived.word, arrived.offset);
            if (arrived.has(FrameLayout.WANTS_COUNT)) {
                countWanted = Math.max(countWanted, arrived.value);
                if (received >= arrived.value) {
                    rail.oweCount(true);
                }
            }
            return true;
        }
        if (isDuplicate(rail, arrived.number)) {
            rail.noteArrived(arrived);
            rail.oweCount(true); // so that it is not sent a third time
            return true;
        }
        if (arrived.kind == FrameLayout.PUT || arrived.kind == FrameLayout.ACTIVE_MESSAGE) {
            if (!deliveries.deliver(rail.sink(), arrived)) {
                return false;
            }
        } else if (arrived.kind == FrameLayout.GET && arrived.has(FrameLayout.PACKED)) {
            answers.keepDescription(arrived, rail.sink().landing()); // the count may pass the frame only later
        }
        if (early == null) {
            apply(arrived);
            received = arrived.number;
            bytesSinceCount += arrived.length;
        } else {
            dropCopies(arrived.number);
            early[place(arrived.number)].copyFrom(arrived);
            for (long next = received + 1; early[place(next)].number == next; next++) {
                apply(early[place(next)]);
                received = next;
                bytesSinceCount += early[place(next)].length;
            }
        }
        // with one rail nobody keeps frames until they are counted, so it is enough to count when asked
        boolean due = early != null && (rail.noteArrived(arrived)
                || bytesSinceCount >= COUNT_INTERVAL_BYTES || received - countTold >= COUNT_INTERVAL_FRAMES);
        if (due || received >= countWanted && countTold < countWanted) {
            countTold = received;
            bytesSinceCount = 0;
            rail.oweCount(true);
        }
        return true;
    }

    /** What still arrives of a frame that was sent again must not write where newer bytes may be soon. */
    private void dropCopies(long number) {
        for (Rail rail : rails) {
            if (rail.isInFrame() && rail.frame().number == number) {
                rail.sink().discard();
            }
        }
    }

    // ---- effects

    private void apply(Frame effect) throws ProtocolException {
        if (effect.kind != FrameLayout.PUT || effect.operation != WordAction.NONE.ordinal()) {
            awaited++;
        }
        switch (effect.kind) {
            case FrameLayout.PUT -> deliveries.applyWord(effect);
            case FrameLayout.ACTIVE_MESSAGE -> {
                return; // it was done when it had arrived: its bytes are not kept for longer
            }
            case FrameLayout.GET, FrameLayout.ATOMIC -> {
                if (!answers.add(effect)) {
                    refusals.incrementAndGet();
                }
            }
            case FrameLayout.REPLY -> applyReply(effect);
            case FrameLayout.NEWS -> session.hearNews(effect);
            case FrameLayout.GOODBYE -> session.hearGoodbye(effect);
            default -> throw new ProtocolException("a numbered frame of kind " + effect.kind);
        }
    }

    private void applyReply(Frame reply) throws ProtocolException {
        int request = requests.find(reply);
        requests.note(request, reply);
        if (reply.has(FrameLayout.LAST)) {
            dropReplies(request);
            requests.answer(request);
        }
    }

    /** Drops what still arrives of replies to a request, whose memory is its owner's again. */
    void dropReplies(int request) {
        for (Rail rail : rails) {
            if (rail.isInFrame() && rail.frame().kind == FrameLayout.REPLY
                    && rail.frame().word == requests.name(request)) {
                rail.sink().discard();
            }
        }
    }
}
