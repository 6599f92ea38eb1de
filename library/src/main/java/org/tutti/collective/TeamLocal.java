/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * An object that an algorithm keeps for each team from call to call, so that calls allocate nothing; the algorithm
 * itself has no state. The object is made when a team first needs it, and only the team's thread uses it.
 *
 * @param <T> its type
 */
public final class TeamLocal<T> {
    /** The greatest number of them in the library. */
    static final int COUNT_MAX = 16;

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final int index = COUNT.getAndIncrement();
    private final Function<Team, T> maker;

    /**
     * Makes one for a static field of an algorithm.
     *
     * @param maker makes the object for a team
     */
    public TeamLocal(Function<Team, T> maker) {
        assert index < COUNT_MAX : "more than " + COUNT_MAX + " objects for each team";
        this.maker = maker;
    }

    /**
     * Finds the object of a team.
     *
     * @param team the team
     * @return the object, the same each time
     */
    @SuppressWarnings("unchecked") // this index has only what the maker has made
    public T of(Team team) {
        Object made = team.locals[index];
        if (made == null) {
            made = maker.apply(team);
            team.locals[index] = made;
        }
        return (T) made;
    }
}
