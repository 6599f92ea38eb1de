/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A variable with a value of its own for each {@link Team}, a rank's handle on a communicator. It is to teams what
 * {@link ThreadLocal} is to threads. An algorithm has no state of its own, so it keeps here the objects that it uses
 * again in later calls. Calls therefore allocate nothing. The value is created when a team first needs it. Only the
 * thread that runs the team's current operation uses the value.
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
     * Creates a variable. An algorithm keeps it in a static field.
     *
     * @param maker the function that creates the value for a team
     */
    public TeamLocal(Function<Team, T> maker) {
        assert index < COUNT_MAX : "more than " + COUNT_MAX + " objects for each team";
        this.maker = maker;
    }

    /**
     * Returns the value of this variable for a team. The first call for a team creates the value.
     *
     * @param team the team
     * @return the value, the same object in every call for the team
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
