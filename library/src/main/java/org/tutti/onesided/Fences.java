/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.invoke.VarHandle;
import java.util.concurrent.ThreadLocalRandom;

import org.tutti.collective.members.CallCheck;
import org.tutti.fabric.Transport;

/**
 * Waits until the puts of a rank into remote memory are visible at their targets. A fence of one process waits for all
 * writes of the rank to that process. {@link WrittenProcesses} records the processes to which the rank has written
 * since their last fence. A fence first waits for the rank's non-blocking calls that have not handed their bytes to the
 * fabric yet.
 *
 * <p>A fence of all processes asks every process before it waits for the first answer. It begins with a random process,
 * so that ranks that fence at the same time do not all ask the same process first (ARMCI, Figure 12).
 */
final class Fences {
    private static final long NOT_BEGUN = -1;
    private static final long BEGUN = 0;

    private final RemoteAccess access;
    private final Transport fabric;
    private final WrittenProcesses written;

    /**
     * Creates the fences of a rank for one remote memory.
     *
     * @param access the state that the rank's calls on the memory share
     * @param fabric the transport to other nodes, or null if all ranks are on one node
     * @param processesEnd the greatest number of a process to which the rank may write, plus one
     */
    Fences(RemoteAccess access, Transport fabric, int processesEnd) {
        this.access = access;
        this.fabric = fabric;
        this.written = new WrittenProcesses(processesEnd);
    }

    /** Records that the fabric has accepted a put into a process. */
    void noteWritten(int process, int rank) {
        written.note(process, rank);
    }

    /** Waits until all puts of this rank into the part of another rank are visible there. */
    void fence(PartAddress of) {
        awaitQueued("fence", of);
        int process = of.process();
        if (written.beginFence(process)) {
            OneSidedCall call = access.takeCall();
            boolean done = false;
            try {
                CallCheck check = begin(call, "fence", of.rank());
                check.requireThere(fabric.fence(process, check));
                done = true;
            } finally {
                written.endFence(process, !done);
                access.putBack(call);
            }
        }
    }

    private CallCheck begin(OneSidedCall call, String name, int target) {
        return call.check.beginFence(name, target, access.deadlineNanos());
    }

    /** Waits until all puts of this rank into any process are visible there. */
    void fenceAll() {
        VarHandle.fullFence();
        awaitQueued("fenceAll", null);
        if (written.isAny()) {
            fenceWritten();
        }
    }

    /** Waits until non-blocking calls of this rank have handed their bytes to the fabric; null for all parts. */
    private void awaitQueued(String name, PartAddress of) {
        PendingCalls pending = access.pending();
        if (pending != null && pending.isAnyQueued()) {
            OneSidedCall call = access.takeCall();
            try {
                pending.awaitQueued(of, pending.begun(), begin(call, name, of == null ? CallCheck.ANY : of.rank()));
            } finally {
                access.putBack(call);
            }
        }
    }

    /**
     * Waits until all puts of this rank are visible at their targets, if the rank has put to another node since the
     * last fence. Puts on this node need no fence, because the unlock of a mutex that follows publishes them.
     */
    void fenceIfWritten() {
        if (!access.isClosed() && (written.isAny() || access.pending() != null && access.pending().isAnyQueued())) {
            access.checkUsable("fenceAll");
            fenceAll();
        }
    }

    private void fenceWritten() {
        OneSidedCall call = access.takeCall();
        int count = written.count();
        long[] asked = call.fences(count);
        int first = ThreadLocalRandom.current().nextInt(count);
        for (int i = 0; i < count; i++) {
            asked[i] = written.beginFence(written.process((first + i) % count)) ? BEGUN : NOT_BEGUN;
        }
        boolean done = false;
        try {
            for (int i = 0; i < count; i++) {
                if (asked[i] != NOT_BEGUN) {
                    int index = (first + i) % count;
                    asked[i] = fabric.beginFence(written.process(index),
                            begin(call, "fenceAll", written.rank(index)));
                }
            }
            for (int i = 0; i < count; i++) {
                if (asked[i] != NOT_BEGUN) {
                    int index = (first + i) % count;
                    CallCheck check = begin(call, "fenceAll", written.rank(index));
                    check.requireThere(fabric.awaitFence(written.process(index), asked[i], check));
                }
            }
            done = true;
        } finally {
            for (int i = 0; i < count; i++) {
                if (asked[i] != NOT_BEGUN) { // not earlier: a fence that has failed can be called again
                    written.endFence(written.process((first + i) % count), !done);
                }
            }
            access.putBack(call);
        }
    }
}
