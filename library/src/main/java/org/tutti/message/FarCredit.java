/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

/**
 * The credit of two ranks on different nodes for their messages to each other, as one of them knows it: for eager
 * messages by their cost ({@link EagerCredit}), and for offers by their number. Any number of threads may use this
 * class.
 *
 * <p>An offer uses the sender's credit until the receiver has answered it, or the sender has told the receiver that it
 * is withdrawn. At the receiver it counts until a receive matches it, or it is withdrawn or declined. The receiver's
 * count ends before the sender's does, so a sender that keeps within its credit is never refused.
 */
final class FarCredit {
    /** The most offers of one sender that no receive has matched: twice the non-blocking messages of a rank. */
    static final int OFFERS_MAX = 2 * MessagesInFlight.COUNT_MAX;

    private long sent; // the cost of all eager messages to the other rank
    private long confirmed; // how much of it the other rank has matched
    private long arrived; // the cost of all eager messages of the other rank
    private long matched; // the cost of the other rank's eager messages that are matched
    private long returned; // how much of it the other rank knows
    private int offered; // this rank's offers that the other rank has not answered
    private int offersKept; // the other rank's offers that no receive has matched

    /** Takes credit for an eager message. Returns false if there is not enough. */
    synchronized boolean take(long cost) {
        if (sent + cost - confirmed > EagerCredit.UNMATCHED_MAX) {
            return false;
        }
        sent += cost;
        return true;
    }

    /** Gives credit back, because an eager message could not be sent. */
    synchronized void giveBack(long cost) {
        sent -= cost;
    }

    /** Takes credit for an offer. Returns false if there is none. */
    synchronized boolean takeForOffer() {
        if (offered == OFFERS_MAX) {
            return false;
        }
        offered++;
        return true;
    }

    /** Gives back the credit of an offer, which the other rank does not keep any more. */
    synchronized void giveBackForOffer() {
        offered--;
    }

    /** Records that an offer has come. Returns false if the other rank had no credit for it. */
    synchronized boolean offerArrives() {
        if (offersKept == OFFERS_MAX) {
            return false;
        }
        offersKept++;
        return true;
    }

    /** Records that an offer of the other rank is matched, withdrawn or declined. */
    synchronized void offerEnds() {
        offersKept--;
    }

    /** Records that the other rank has matched messages that cost so much in all; it may say any number. */
    synchronized void confirm(long all) {
        if (all > confirmed && all <= sent) {
            confirmed = all;
        }
    }

    /** Records that an eager message has come. Returns false if the other rank had no credit for it. */
    synchronized boolean arrives(long cost) {
        if (arrived + cost - returned > EagerCredit.UNMATCHED_MAX) {
            return false;
        }
        arrived += cost;
        return true;
    }

    /** Records that an eager message of the other rank has been matched. */
    synchronized void matched(long cost) {
        matched += cost;
    }

    /** Returns whether the other rank must be told of matched messages. */
    synchronized boolean isDue() {
        return matched - returned >= EagerCredit.RETURNED_AT;
    }

    /** Returns the cost of all matched messages if the other rank must be told of it, or 0. */
    synchronized long toReturn() {
        if (matched - returned < EagerCredit.RETURNED_AT) {
            return 0;
        }
        returned = matched;
        return matched;
    }

    /** Returns the cost that the other rank knows. */
    synchronized long returned() {
        return returned;
    }

    /** Records that the other rank could not be told of a cost, unless it was told of a later one. */
    synchronized void takeBack(long cost, long known) {
        if (returned == cost) {
            returned = known;
        }
    }
}
