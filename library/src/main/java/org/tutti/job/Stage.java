/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import java.lang.foreign.MemorySegment;

import org.tutti.collective.Algorithm;
import org.tutti.collective.Area;
import org.tutti.collective.Team;
import org.tutti.collective.allreduce.Allreduce;
import org.tutti.collective.barrier.Barrier;
import org.tutti.collective.broadcast.Broadcast;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.reduce.Reduce;

/**
 * Where one operation at a time is run: a team that has begun it, and the areas of its data. Used again and again, so
 * that blocking calls allocate nothing.
 */
final class Stage {
    private final Team team;
    private final Area source = new Area();
    private final Area target = new Area();

    Stage(Team team) {
        this.team = team;
    }

    Team team() {
        return team;
    }

    void barrier(Barrier algorithm) {
        try {
            if (team.size() > 1) {
                algorithm.run(team);
            }
            team.leave();
        } catch (Throwable failure) {
            team.breakOff(failure);
            throw failure;
        }
    }

    void broadcast(Broadcast algorithm, MemorySegment data, long at, long length, int root) {
        try {
            source.set(data, at);
            if (team.size() > 1) {
                algorithm.run(team, source, length, root);
            }
            team.leave();
        } catch (Throwable failure) {
            team.breakOff(failure);
            throw failure;
        } finally { // the caller's memory is not ours to keep
            source.clear();
        }
    }

    void combine(Algorithm algorithm, MemorySegment from, MemorySegment to, long at, long length, Kernel kernel,
            int root) {
        try {
            source.set(from, at);
            target.set(to, at);
            if (team.size() == 1) {
                copyAlone(length);
            } else if (algorithm instanceof Reduce reduce) {
                reduce.run(team, source, target, length, kernel, root);
            } else {
                ((Allreduce) algorithm).run(team, source, target, length, kernel);
            }
            team.leave();
        } catch (Throwable failure) {
            team.breakOff(failure);
            throw failure;
        } finally { // the caller's memory is not ours to keep
            source.clear();
            target.clear();
        }
    }

    private void copyAlone(long length) {
        if (!source.isSameAs(target)) {
            team.copy(source, 0, target, 0, length);
        }
    }
}
