/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * The requests of one process to another one that are on their way, as over the tcp fabric with several rails. A
 * request is cut into frames, and each frame takes any rail. A rail delivers only in its turns, and some rails have
 * few; therefore frames overtake each other. A request ends when all frames up to its last one have come; then it
 * raises its word.
 *
 * <p>A rail may fail at any of its turns, as long as another rail is there. The frames of the failed rail that have not
 * come are sent again over other rails. Either some bytes of its first frame have come and the others never do, or the
 * rail has only fallen silent and all its frames still come. When a frame comes twice, the second one is dropped, but
 * some of its bytes may have been written twice before. A lost rail comes back without its frames.
 */
final class Channel {
    /** The most rails that a process may have. */
    static final int RAILS_MAX = 4;

    private static final int STRIPED_BYTES = 256; // a shorter request is one frame
    private static final int TURNS_MAX = 8; // in which the slowest rail delivers one frame, on average
    private static final int LOSS_ODDS = 12;
    private static final int RETURN_ODDS = 12;

    /** A put or a get. */
    interface Request {
        /** {@return the number of bytes that the request brings} */
        int length();
    }

    /** Receives the bytes and the ends of requests. */
    interface Receiver {
        /**
         * Writes bytes of a request; some of them may be written again before the request ends.
         *
         * @param channel the channel of the request
         * @param request the request
         * @param from the index of the first byte
         * @param bytes the number of bytes; 0 if the request brings none
         */
        void write(Channel channel, Request request, int from, int bytes);

        /**
         * Ends a request: all its frames have come, and those of all earlier requests.
         *
         * @param channel the channel of the request
         * @param request the request
         */
        void end(Channel channel, Request request);
    }

    private static final class Frame {
        private final Request request;
        private final int from;
        private final int bytes;
        private boolean hasCome;

        Frame(Request request, int from, int bytes) {
            this.request = request;
            this.from = from;
            this.bytes = bytes;
        }

        boolean isLast() {
            return from + bytes == request.length();
        }
    }

    private static final class Rail {
        private final int actor;
        private final int turns;
        private final ArrayDeque<Frame> frames = new ArrayDeque<>();
        private boolean isLost;

        Rail(int actor, int turns) {
            this.actor = actor;
            this.turns = turns;
        }
    }

    private final int from;
    private final int to;
    private final int component;
    private final List<Rail> rails;
    private final SplittableRandom random;
    private final Interleaving interleaving;
    private final Receiver receiver;
    private final Queue<Request> gathered = new ArrayDeque<>();
    private final Queue<Frame> awaited = new ArrayDeque<>();
    private int time;
    private int losses;
    private int returns;

    /**
     * @param from the process that sends the requests
     * @param to the process that receives the requests
     * @param component the channel's component in clocks
     * @param firstActor the actor number of its first rail; those of the other rails follow
     * @param rails the number of rails
     * @param random decides the rail of each frame, and the failures of rails
     * @param interleaving decides which actor has the next turn
     * @param receiver receives the requests
     */
    Channel(int from, int to, int component, int firstActor, int rails, SplittableRandom random,
            Interleaving interleaving, Receiver receiver) {
        this.from = from;
        this.to = to;
        this.component = component;
        this.rails = IntStream.range(0, rails)
                .mapToObj(rail -> new Rail(firstActor + rail, 1 + random.nextInt(TURNS_MAX))).toList();
        this.random = random;
        this.interleaving = interleaving;
        this.receiver = receiver;
    }

    int from() {
        return from;
    }

    int to() {
        return to;
    }

    int component() {
        return component;
    }

    /** {@return the number of the latest put} */
    int time() {
        return time;
    }

    /** {@return the number of the next put} */
    int nextTime() {
        return ++time;
    }

    /** {@return how often a rail has failed} */
    int losses() {
        return losses;
    }

    /** {@return how often a rail has come back} */
    int returns() {
        return returns;
    }

    /** Takes a request. {@link #send} lets it leave, after all requests before it. */
    void add(Request request) {
        gathered.add(request);
    }

    /** Lets all requests leave. */
    void send() {
        for (Request request = gathered.poll(); request != null; request = gathered.poll()) {
            int next = 0;
            do {
                int left = request.length() - next;
                Frame frame = new Frame(request, next, left < STRIPED_BYTES ? left : 1 + random.nextInt(left));
                awaited.add(frame);
                give(frame);
                next += frame.bytes;
            } while (next < request.length());
        }
    }

    private int countWhole() {
        int whole = 0;
        for (Rail rail : rails) {
            whole += rail.isLost ? 0 : 1;
        }
        return whole;
    }

    /** Gives a frame to a drawn rail that is not lost. */
    private void give(Frame frame) {
        int skipped = random.nextInt(countWhole());
        for (Rail rail : rails) {
            if (!rail.isLost && skipped-- == 0) {
                rail.frames.add(frame);
                interleaving.add(rail.actor);
            }
        }
    }

    /** Takes a turn of a rail: it delivers a frame, fails, or does nothing. */
    void act(int index) {
        Rail rail = rails.get(index);
        if (rails.size() > 1) {
            bringBack();
        }
        if (!rail.frames.isEmpty()) {
            if (!rail.isLost && random.nextInt(LOSS_ODDS) == 0 && countWhole() > 1) {
                lose(rail);
            } else if (random.nextInt(rail.turns) == 0) {
                arrive(rail.frames.remove());
            }
        }
        if (rail.frames.isEmpty()) {
            interleaving.remove(rail.actor);
        }
    }

    private void arrive(Frame frame) {
        if (frame.hasCome) {
            return;
        }
        receiver.write(this, frame.request, frame.from, frame.bytes);
        frame.hasCome = true;
        while (!awaited.isEmpty() && awaited.peek().hasCome) {
            Frame next = awaited.remove();
            if (next.isLast()) {
                receiver.end(this, next.request);
            }
        }
    }

    private void lose(Rail rail) {
        losses++;
        rail.isLost = true;
        rail.frames.stream().filter(frame -> !frame.hasCome).forEach(this::give);
        if (random.nextBoolean()) {
            return; // the rail has only fallen silent: its frames still come
        }
        Frame first = rail.frames.peek();
        if (!first.hasCome && first.bytes > 0) {
            receiver.write(this, first.request, first.from, random.nextInt(first.bytes));
        }
        rail.frames.clear();
    }

    private void bringBack() {
        for (Rail rail : rails) {
            if (rail.isLost && random.nextInt(RETURN_ODDS) == 0) {
                returns++;
                rail.isLost = false;
                rail.frames.clear();
                interleaving.remove(rail.actor);
            }
        }
    }

    /** Delivers all frames that have left. */
    void drain() {
        while (!awaited.isEmpty()) {
            arrive(awaited.peek());
        }
    }
}
