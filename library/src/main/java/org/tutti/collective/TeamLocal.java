/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A variable with a value of its own for each {@link Team}, like a {@link ThreadLocal} for teams. An algorithm has no
 * state, so it keeps objects from call to call here, and calls allocate nothing. The value is created when a team first
 * needs it. Only the thread that runs the team's current operation uses the value.
 *
 * @param <T> the type of the value
 */
public final class TeamLocal<T> {
    /** The greatest number of such variables in the library. */
    static final int COUNT_MAX = 16;

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final int index = COUNT.getAndIncrement();
    private final Function<Team, T> maker;

    /**
     * Creates a variable, for a static field of an algorithm.
     *
     * @param maker creates the value for a team
     */
    public TeamLocal(Function<Team, T> maker) {
        assert index < COUNT_MAX : "more than " + COUNT_MAX + " objects for each team";
        this.maker = maker;
    }

    /**
     * Returns the value of a team, and creates it if there is none.
     *
     * @param team the team
     * @return the value, the same object each time
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
