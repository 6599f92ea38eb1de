/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Lock;

import org.tutti.collective.layout.RingLayout;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/** A machine on which something is wrong with what operations have in common. */
final class BrokenMachine extends VerifyingMachine {
    private static final Runnable NOTHING = () -> {
    };

    private final World world;
    private final Fault fault;
    private long leftElsewhere;
    private Runnable late = NOTHING;

    BrokenMachine(World world, int thread, Fault fault) {
        super(world, thread);
        this.world = world;
        this.fault = fault;
    }

    private boolean isLeftWord(MemorySegment memory, long offset) {
        return world.describe(memory, offset).startsWith("the left word");
    }

    @Override
    public long load(MemorySegment memory, long offset) {
        boolean wrong = fault == Fault.SLOT_IS_TAKEN_BEFORE_ALL_HAVE_LEFT && isLeftWord(memory, offset);
        return wrong ? Long.MAX_VALUE : super.load(memory, offset);
    }

    @Override
    public void store(MemorySegment memory, long offset, long value) {
        boolean wrong = fault == Fault.LEAVES_THE_NEXT_OPERATION_TOO && isLeftWord(memory, offset);
        super.store(memory, offset, wrong ? value + 1 : value);
    }

    /** On two nodes of one rank each, the other rank writes the tag, and has left all operations before this one. */
    @Override
    public long loadTag(MemorySegment memory, long word) {
        if (fault == Fault.REQUESTS_ARE_BELIEVED_TO_LAG_BY_16_OPERATIONS) {
            long slot = Long.parseLong(world.describe(memory, word).replaceFirst(".* in slot (\\d+) .*", "$1"));
            long operation = Steps.generation(Words.load(memory, word)) * RingLayout.slots(2, 1) + slot;
            leftElsewhere = Math.max(leftElsewhere, operation - RingLayout.SLOTS_MIN + 1);
        }
        return super.loadTag(memory, word);
    }

    @Override
    public Reply get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check) {
        Reply reply = super.get(process, region, offset, target, targetOffset, bytes, check);
        boolean isLeftWord = offset > 0; // a get of the handle of the eager buffers begins at offset 0
        if (fault == Fault.REQUESTS_ARE_BELIEVED_TO_LAG_BY_16_OPERATIONS && isLeftWord) {
            Words.storePlain(target, targetOffset, Math.max(Words.loadPlain(target, targetOffset), leftElsewhere));
        }
        return reply;
    }

    @Override
    public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
        if (fault == Fault.SIGNALS_BEFORE_THE_PUT && target.action() == WordAction.NONE) {
            PutTarget kept = target.copy();
            PutSource runs = new PutSource();
            for (int run = 0; run < source.runs(); run++) {
                runs.add(source.segment(run), source.offset(run), source.length(run));
            }
            late = () -> super.put(kept, runs, check);
            return true;
        }
        boolean reached = super.put(target, source, check);
        late.run();
        late = NOTHING;
        return reached;
    }

    @Override
    public void lock(Lock lock) {
        if (fault != Fault.OPERATION_SEQUENCE_IS_NOT_LOCKED) {
            super.lock(lock);
        }
    }

    @Override
    public void unlock(Lock lock) {
        if (fault != Fault.OPERATION_SEQUENCE_IS_NOT_LOCKED) {
            super.unlock(lock);
        }
    }
}
