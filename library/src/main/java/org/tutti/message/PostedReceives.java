/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.List;

/**
 * The receives that no message has matched. The {@link Mailbox} guards this table with its lock, except for {@link
 * #pending}.
 */
final class PostedReceives extends MatchTable<Receive> {
    private int wildcards;
    private volatile int pending; // the non-blocking ones

    /** Adds a receive, which is then the youngest. */
    void post(Receive receive) {
        add(receive);
        count(receive, 1);
    }

    /** Adds a receive at its place among the others, because the sender has withdrawn the message that had matched. */
    void postAgain(Receive receive) {
        addAgain(receive);
        count(receive, 1);
    }

    /** Removes a receive that is matched, or waits in vain. */
    void end(Receive receive) {
        remove(receive);
        count(receive, -1);
    }

    private void count(Receive receive, int change) {
        wildcards += receive.isWildcard() ? change : 0;
        if (receive.pending() != null) {
            int before = pending; // only threads with the lock write it
            pending = before + change;
        }
    }

    /** Returns the oldest receive that a message matches, or null. */
    Receive find(Arrival message) {
        Receive exact = oldest(message.communicator, message.source, message.tag);
        if (wildcards == 0) {
            return exact;
        }
        Receive ofTag = oldest(message.communicator, Receive.ANY, message.tag);
        Receive ofSource = oldest(message.communicator, message.source, Receive.ANY);
        Receive any = oldest(message.communicator, Receive.ANY, Receive.ANY);
        return older(older(exact, ofTag), older(ofSource, any));
    }

    /** Returns the number of non-blocking receives. Reads it without the lock. */
    int pending() {
        return pending;
    }

    /** Adds the non-blocking receives to a list. */
    void addPendingTo(List<? super MessageInFlight> list) {
        int left = pending;
        for (Receive each = oldest(); left > 0; each = after(each)) {
            if (each.pending() != null) {
                list.add(each.pending());
                left--;
            }
        }
    }
}
