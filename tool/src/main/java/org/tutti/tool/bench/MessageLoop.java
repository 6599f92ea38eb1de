/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import org.tutti.Communicator;
import org.tutti.NonBlockingCommunicator;
import org.tutti.Request;

/**
 * A cell of {@code --messages}: rank 0 and the last rank exchange messages, and the other ranks wait. {@code
 * bench/peers/messages.c} does the same step by step.
 *
 * <p><b>A call</b> of latency is a message to the last rank and one back, by blocking calls. In the other operations
 * the last rank starts the receives of a window and then tells rank 0 that it is ready, which is its reply to the
 * window before; rank 0 then starts the sends, and each rank awaits its requests. The time of a call is divided by the
 * number of its messages that follow each other.
 *
 * <p><b>Rewriting.</b> A sender rewrites all elements of its messages while the other rank waits for the first of them,
 * so that the time of rewriting is part of the time of a call, and can be subtracted.
 *
 * <p><b>Checks.</b> Messages are numbered, and the elements of each differ from those of the message before in the same
 * memory. After each call the receiver checks one element of each message, and after every repeat all elements of the
 * last call.
 */
final class MessageLoop extends MeasuredLoop {
    private static final int TAG = 0;

    private final Communicator world;
    private final NonBlockingCommunicator nonBlocking;
    private final MessageCell cell;
    private final boolean isFirst;
    private final boolean takesPart;
    private final int other;
    private final int count;
    private final int inFlight;
    private final Elements[] sent;
    private final Elements[] received;
    private final double[] reply = new double[1];
    private final Request[] requests;
    private final Pattern pattern;
    private long call;

    /** The elements of a message. */
    private record Elements(double[] all) implements Pattern.Elements {
        @Override
        public void write(double[] values, int from, int index, int number) {
            System.arraycopy(values, from, all, index, number);
        }
    }

    MessageLoop(Communicator world, MessageCell cell) {
        super(world);
        this.world = world;
        this.nonBlocking = world.nonBlocking();
        this.cell = cell;
        int last = world.size() - 1;
        boolean isLast = world.rank() == last;
        this.isFirst = world.rank() == 0;
        this.takesPart = isFirst || isLast;
        this.other = isFirst ? last : 0;
        this.count = (int) (cell.bytes() / Double.BYTES);
        this.inFlight = cell.operation().inFlight();
        boolean isPingPong = cell.operation() == MessageOperation.LATENCY;
        this.sent = elements(isFirst || isPingPong && isLast ? inFlight : 0);
        this.received = elements(isLast || isPingPong && isFirst ? inFlight : 0);
        this.requests = new Request[inFlight];
        this.pattern = new Pattern(first(world.rank()));
    }

    private Elements[] elements(int messages) {
        Elements[] all = new Elements[messages];
        for (int i = 0; i < messages; i++) {
            all[i] = new Elements(new double[count]);
        }
        return all;
    }

    @Override
    public void close() {
        // a cell has nothing but arrays
    }

    // ---- a run

    @Override
    Run run(int callsWanted, boolean isRepeat) {
        world.barrier();
        world.barrier(); // the second one ends on all ranks at nearly the same time
        if (!takesPart) {
            return new Run(0, 0);
        }
        long start = System.nanoTime();
        long begin = clock();
        makeCalls(callsWanted, this::call);
        return new Run((double) (clock() - begin) / callsWanted, (double) (System.nanoTime() - start) / callsWanted,
                callsWanted);
    }

    /** The messages of a call that follow each other share its time, so the clock is slower by their number. */
    @Override
    long clock() {
        return System.nanoTime() / cell.operation().timed();
    }

    private void call(int calls) {
        switch (cell.operation()) {
            case LATENCY -> pingPongs(calls);
            case BANDWIDTH, MESSAGE_RATE -> windows(calls);
        }
    }

    private void pingPongs(int calls) {
        for (int i = 0; i < calls; i++) {
            call++;
            if (isFirst) {
                rewrite();
                world.send(sent[0].all, other, TAG);
                world.receive(received[0].all, other, TAG);
                checkOne();
            } else {
                world.receive(received[0].all, other, TAG);
                checkOne();
                rewrite();
                world.send(sent[0].all, other, TAG);
            }
        }
    }

    private void windows(int calls) {
        for (int i = 0; i < calls; i++) {
            call++;
            if (isFirst) {
                sendWindow();
            } else {
                receiveWindow();
            }
        }
    }

    private void sendWindow() {
        world.receive(reply, other, TAG);
        check(reply[0], 0, call);
        rewrite();
        for (int i = 0; i < inFlight; i++) {
            requests[i] = nonBlocking.send(sent[i].all, other, TAG);
        }
        Request.awaitAll(requests);
    }

    private void receiveWindow() {
        for (int i = 0; i < inFlight; i++) {
            requests[i] = nonBlocking.receive(received[i].all, other, TAG);
        }
        reply[0] = Pattern.value(first(world.rank()), 0, call);
        world.send(reply, other, TAG);
        Request.awaitAll(requests);
        checkOne();
    }

    /** Rewrites all elements of this rank's messages of the call. */
    private void rewrite() {
        for (int i = 0; i < inFlight; i++) {
            pattern.write(sent[i], count, number(i));
        }
    }

    /** The number of a message of the latest call. */
    private long number(int message) {
        return call * inFlight + message;
    }

    @Override
    boolean hasMuchData() {
        return count > 1;
    }

    /** Rewrites messages in turns, because the time of a call is that of one message. */
    @Override
    void rewriteOnly(int times) {
        for (int i = 0; sent.length > 0 && i < times; i++) {
            pattern.write(sent[i % inFlight], count, number(i % inFlight));
        }
    }

    // ---- checks

    /** Checks an element of each message of the latest call: the next one in each call. */
    private void checkOne() {
        int checked = (int) (call % count);
        for (int i = 0; i < inFlight; i++) {
            check(received[i].all[checked], checked, number(i));
        }
    }

    @Override
    void checkAll() {
        for (int message = 0; message < received.length; message++) {
            for (int i = 0; i < count; i++) {
                check(received[message].all[i], i, number(message));
            }
        }
    }

    private void check(double found, int index, long number) {
        double expected = Pattern.value(first(other), index, number);
        if (found != expected) {
            throw new IllegalStateException(cell + " bytes, on rank " + world.rank() + ", call " + call + ": element "
                    + index + " of a message of rank " + other + " is " + found + " instead of " + expected);
        }
    }

    private static double first(int rank) {
        return rank + 1;
    }
}
