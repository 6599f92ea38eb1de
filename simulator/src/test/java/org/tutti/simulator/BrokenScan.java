/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import org.tutti.Collective;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.blocks.Contributions;
import org.tutti.collective.kernel.Kernel;
import org.tutti.collective.machine.Area;

/** A copy of the direct scan, exclusive or not, with a fault. */
final class BrokenScan extends BrokenBlocks {
    BrokenScan(Collective collective, Fault fault) {
        super(collective, fault);
    }

    /** So much that nodes are invited to windows. */
    @Override
    protected long operationBytesMax(Team team, Kernel kernel) {
        return team.windowBytesMax() / team.size();
    }

    @Override
    public void run(Team team, Call call) {
        long bytes = call.bytes();
        Area target = call.target();
        Contributions contributions = Contributions.of(team);
        contributions.open(call.source(), bytes, call.isInPlace(), 1);
        boolean leavesOutOwn = collective() == Collective.EXCLUSIVE_SCAN || fault == Fault.OWN_ELEMENTS_ARE_LEFT_OUT;
        int last = leavesOutOwn ? team.rank() - 1 : team.rank();
        if (last >= 0) {
            team.copy(contributions.of(0), 0, target, 0, bytes);
        }
        for (int rank = 1; rank <= last; rank++) {
            if (fault == Fault.RANKS_ARE_COMBINED_BACKWARDS) {
                team.combine(call.kernel(), contributions.of(rank), 0, target, 0, target, 0, bytes);
            } else {
                team.combine(call.kernel(), target, 0, contributions.of(rank), 0, target, 0, bytes);
            }
        }
        if (fault != Fault.MASTER_LEAVES_BEFORE_ALL_HAS_COME) {
            contributions.complete();
        }
    }
}
