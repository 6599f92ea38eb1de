/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Chooses the next actor of a run by a seed. Actors are the threads of ranks that do not wait, and the rails that have
 * something to deliver. Three ways of choosing take turns from seed to seed, because each finds faults that the others
 * rarely find:
 *
 * <ul>
 * <li>every actor is equally likely, at every step;
 * <li>an actor goes on for some steps;
 * <li>every actor has a priority, and the actor with the highest one acts until it waits; now and then it gets the
 * lowest priority. Ranks then run as far apart, and puts arrive as late, as they can.
 * </ul>
 */
final class Interleaving {
    private static final int WAYS = 3;
    private static final int NOBODY = -1;
    private static final double SWITCH = 0.1;
    private static final double DEMOTION = 0.01;

    private final SplittableRandom random;
    private final int way;
    private int[] ready = new int[16];
    private int[] place = new int[16];
    private double[] priority = new double[16];
    private int count;
    private int last;
    private double lowest;
    private int heldBack = NOBODY;
    private boolean heldBackIsReady;

    Interleaving(long seed) {
        this.random = new SplittableRandom(seed);
        this.way = (int) Math.floorMod(seed, (long) WAYS);
        Arrays.fill(place, -1);
    }

    /** Decides something else of the run: true and false are equally likely. */
    boolean flip() {
        return random.nextBoolean();
    }

    /** Lets one of the present actors be chosen only when no other one can be. A run holds back one actor at most. */
    void holdBack(int actor) {
        remove(actor);
        heldBack = actor;
        heldBackIsReady = true;
    }

    /** Lets an actor be chosen; it may be among the actors already. */
    void add(int actor) {
        if (actor == heldBack) {
            heldBackIsReady = true;
            return;
        }
        while (actor >= place.length) {
            int length = place.length;
            place = Arrays.copyOf(place, 2 * length);
            Arrays.fill(place, length, 2 * length, -1);
            priority = Arrays.copyOf(priority, 2 * length);
            ready = Arrays.copyOf(ready, 2 * length);
        }
        if (place[actor] < 0) {
            if (priority[actor] == 0) {
                priority[actor] = 1 + random.nextDouble();
            }
            place[actor] = count;
            ready[count++] = actor;
        }
    }

    /** Lets an actor be chosen no more; it need not be among the actors. */
    void remove(int actor) {
        if (actor == heldBack) {
            heldBackIsReady = false;
            return;
        }
        int at = place[actor];
        if (at >= 0) {
            ready[at] = ready[--count];
            place[ready[at]] = at;
            place[actor] = -1;
        }
    }

    /** {@return the next actor, or −1 when none can act} */
    int choose() {
        if (count == 0) {
            return heldBackIsReady ? heldBack : NOBODY;
        }
        last = switch (way) {
            case 0 -> ready[random.nextInt(count)];
            case 1 -> place[last] >= 0 && random.nextDouble() >= SWITCH ? last : ready[random.nextInt(count)];
            default -> highest();
        };
        return last;
    }

    private int highest() {
        int best = ready[0];
        for (int i = 1; i < count; i++) {
            if (priority[ready[i]] > priority[best]) {
                best = ready[i];
            }
        }
        if (random.nextDouble() < DEMOTION) {
            priority[best] = --lowest;
        }
        return best;
    }
}
