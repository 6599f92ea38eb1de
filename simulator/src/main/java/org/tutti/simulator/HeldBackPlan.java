/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import org.tutti.Topology;

/**
 * A verification run in which one rank has a request, a non-blocking operation, in flight for as long as possible. The
 * second stage of the rank runs the request, and takes a step only when no other thread can. All other calls block. A
 * blocking operation begins as soon as the operation as many slots before it is closed, so the ranks go on until an
 * operation needs the slot of the request. With two nodes this operation is the 64th after the request. Then the
 * request ends, and the next one follows.
 *
 * <p>In an {@link InFlightPlan} most operations do not block. They begin only when the operation 16 before them is
 * closed, so requests there lag by little more than 16 operations.
 *
 * <p>The requests are broadcasts and scatters of another root, and reductions and gathers to the rank itself, because
 * most other ranks can end these without the rank. All messages are short, because a long message waits for memory that
 * the request may have.
 *
 * @param topology where the ranks are
 * @param part the part of the calls, 0 to {@value #PARTS} − 1; it also decides which rank has the requests
 * @param seed decides the order of all steps
 */
public record HeldBackPlan(Topology topology, int part, long seed) implements Plan {
    /** The first field of a plan of this kind in its text form. */
    static final String NAME = "held-back";

    /** The number of parts of the calls on a shape. */
    static final int PARTS = 4;

    private static final int REQUESTS = 3;
    private static final int BYTES_MAX = 128;

    @Override
    public Optional<SimulationFailure> verify() {
        return verify(VerifyingMachine::new);
    }

    Optional<SimulationFailure> verify(Verifier.Machines machines) {
        return Verifier.verify(this, machines)
                .map(failure -> Plan.explain("a request that is held back", failure, this));
    }

    /** {@return the rank that has the requests; another one in each part, as far as there are ranks} */
    int rank() {
        return (int) Math.floorMod(Calls.seed(topology) + part, (long) topology.size());
    }

    /** {@return whether the rank with the requests runs a call as a request} */
    boolean isRequest(int index) {
        return index % distance() == part;
    }

    /** Returns the distance of two requests: each is in flight until all slots are used again. */
    private int distance() {
        return Calls.slots(topology) + 1;
    }

    List<PlannedCall> calls() {
        Random random = new Random(Calls.seed(topology) + part);
        List<PlannedCall> calls = new ArrayList<>();
        while (calls.size() < REQUESTS * distance()) {
            PlannedCall call = Calls.any(topology, random);
            if (call.bytes() <= BYTES_MAX && (!isRequest(calls.size()) || othersCanEnd(call))) {
                calls.add(call);
            }
        }
        return calls;
    }

    private boolean othersCanEnd(PlannedCall call) {
        return switch (call.collective()) {
            case BROADCAST, SCATTER -> call.root() != rank();
            case REDUCE, GATHER -> call.root() == rank();
            default -> false;
        };
    }

    @Override
    public String toString() {
        return NAME + ":" + Plan.text(topology) + ":" + part + ":" + seed;
    }
}
