/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.Set;

import org.tutti.collective.kernel.Kernel;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.WordAction;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/** A machine that makes a {@link Slip}; or if it is given none, one that makes none, and notes those that could be. */
final class SlippingMachine extends VerifyingMachine {
    private static final long NOWHERE = -Words.LINE_BYTES;

    private final World world;
    private final Slip slip;
    private final Set<Slip> possible;
    private final Queue<Runnable> late = new ArrayDeque<>();
    private long descriptor = NOWHERE;
    private long history;
    private boolean unawaited;

    /**
     * @param slip what goes wrong, or null
     * @param possible where what could is noted, if nothing goes wrong
     */
    SlippingMachine(World world, int thread, Slip slip, Set<Slip> possible) {
        super(world, thread);
        this.world = world;
        this.slip = slip;
        this.possible = possible;
    }

    private boolean mayBe(Slip.Kind kind) {
        return slip == null || slip.kind() == kind;
    }

    /** Whether it goes wrong here. */
    private boolean slips(Slip.Kind kind, String what) {
        String place = mayBe(kind) ? Slip.here() : "";
        if (place.isEmpty()) {
            return false;
        }
        Slip here = new Slip(kind, what, place);
        if (slip == null) {
            possible.add(here);
        }
        return here.equals(slip);
    }

    // ---- waits

    @Override
    public long load(MemorySegment memory, long offset) {
        unawaited = false;
        if (mayBe(Slip.Kind.NOT_AWAITED) && Slip.isAwaiting()) {
            String word = world.describe(memory, offset).split(" ", 2)[0];
            unawaited = switch (word) {
                case "READY", "DONE", "ARRIVED", "CREDIT" -> slips(Slip.Kind.NOT_AWAITED, word);
                default -> false;
            };
        }
        return unawaited ? Long.MAX_VALUE : super.load(memory, offset);
    }

    /** All ranks have made the same calls: so would the tag say of the word that was not awaited. */
    @Override
    public long loadTag(MemorySegment memory, long word) {
        return unawaited ? history : super.loadTag(memory, word);
    }

    /** A rank describes its call in a place that it has cleared, by the history of its calls first. */
    @Override
    public void storePlain(MemorySegment memory, long offset, long value) {
        if (offset == descriptor + Long.BYTES) {
            history = value & -2; // what is told by the lowest bit of a tag need not be true
        }
        boolean clears = value == 0 && offset % Words.LINE_BYTES == 0;
        descriptor = clears && world.describe(memory, offset).startsWith("descriptor") ? offset : NOWHERE;
        super.storePlain(memory, offset, value);
    }

    // ---- data

    @Override
    public void store(MemorySegment memory, long offset, long value) {
        super.store(memory, offset, value);
        while (!late.isEmpty()) {
            late.remove().run();
        }
    }

    private boolean isTooLate(MemorySegment target, long offset) {
        String name = world.describe(target, offset);
        boolean isShown = name.endsWith(" shows") || name.startsWith("eager buffer") || name.startsWith("READY");
        return isShown && slips(Slip.Kind.SHOWN_TOO_LATE, "");
    }

    private long readAt(MemorySegment source, long offset, long bytes) {
        long beside = offset >= bytes ? offset - bytes : Math.min(offset + bytes, source.byteSize() - bytes);
        return beside != offset && slips(Slip.Kind.READ_BESIDE, "") ? beside : offset;
    }

    @Override
    public void copy(MemorySegment source, long sourceOffset, MemorySegment target, long targetOffset, long bytes) {
        long from = readAt(source, sourceOffset, bytes);
        if (isTooLate(target, targetOffset)) {
            late.add(() -> super.copy(source, from, target, targetOffset, bytes));
        } else {
            super.copy(source, from, target, targetOffset, bytes);
        }
    }

    @Override
    public void combine(Kernel kernel, MemorySegment left, long leftOffset, MemorySegment right, long rightOffset,
            MemorySegment target, long targetOffset, long bytes) {
        long from = readAt(left, leftOffset, bytes);
        if (isTooLate(target, targetOffset)) {
            late.add(() -> super.combine(kernel, left, from, right, rightOffset, target, targetOffset, bytes));
        } else {
            super.combine(kernel, left, from, right, rightOffset, target, targetOffset, bytes);
        }
    }

    // ---- puts

    @Override
    public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
        if (slips(Slip.Kind.NOT_PUT, "")) {
            return true;
        }
        boolean isBeside = source.bytes() > 0 && slips(Slip.Kind.PUT_BESIDE, "");
        return super.put(isBeside ? beside(target, source.bytes()) : target, source, check);
    }

    private static PutTarget beside(PutTarget target, long bytes) {
        long at = target.offset() >= bytes ? target.offset() - bytes : target.offset() + bytes;
        PutTarget beside = new PutTarget().at(target.process(), target.region(), at);
        return target.action() == WordAction.NONE ? beside
                : beside.raise(target.word(), target.value(), target.tag());
    }
}
