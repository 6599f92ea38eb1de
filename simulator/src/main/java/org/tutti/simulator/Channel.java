/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * What one process has asked of another one, on its way there, as over the tcp fabric with several rails. A request is
 * cut into frames, each of which takes any rail. Rails deliver when it is their turn, some of them seldom; so frames
 * overtake each other. A request ends, which is when it raises its word, as soon as all frames up to its last one have
 * come.
 *
 * <p>A rail may fail at any of its turns, as long as another one is there: then its frames go again over others, of the
 * first of them perhaps some bytes have come, and perhaps the rail has only fallen silent, and all still come by it. Of
 * frames that come twice the second is dropped, but bytes may be written twice before. A rail that is lost comes back
 * without what it had.
 */
final class Channel {
    /** As many rails as a process may have. */
    static final int RAILS_MAX = 4;

    private static final int STRIPED_BYTES = 256; // what is shorter goes whole
    private static final int TURNS_MAX = 8; // of the slowest rail, for a frame
    private static final int LOSS_ODDS = 12;
    private static final int RETURN_ODDS = 12;

    /** A put or a get. */
    interface Request {
        /** {@return the bytes that it brings} */
        int length();
    }

    /** What is done with what comes. */
    interface Receiver {
        /**
         * Writes bytes of a request; some of them may be written again before it ends.
         *
         * @param channel by which they come
         * @param request the request
         * @param from the first of them
         * @param bytes how many; 0 if it brings none
         */
        void write(Channel channel, Request request, int from, int bytes);

        /**
         * Does what a request asks for: all of it has come, and all of those before it.
         *
         * @param channel by which it comes
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
     * @param from which process asks
     * @param to which process is asked
     * @param component its place in clocks
     * @param firstActor by which number its first rail takes turns; the others' follow
     * @param rails how many it has
     * @param random decides what becomes of them
     * @param interleaving whose turn it is
     * @param receiver what is done with what comes
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

    /** {@return how many puts have been numbered} */
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

    /** Takes a request, which leaves when it is sent, with all before it. */
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

    private Stream<Rail> whole() {
        return rails.stream().filter(rail -> !rail.isLost);
    }

    private void give(Frame frame) {
        List<Rail> whole = whole().toList();
        Rail rail = whole.get(random.nextInt(whole.size()));
        rail.frames.add(frame);
        interleaving.add(rail.actor);
    }

    /** It is the turn of a rail. */
    void act(int index) {
        Rail rail = rails.get(index);
        if (rails.size() > 1) {
            bringBack();
        }
        if (!rail.frames.isEmpty()) {
            if (!rail.isLost && random.nextInt(LOSS_ODDS) == 0 && whole().count() > 1) {
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
            return; // it has only fallen silent
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

    /** Lets everything come that has left. */
    void drain() {
        while (!awaited.isEmpty()) {
            arrive(awaited.peek());
        }
    }
}
