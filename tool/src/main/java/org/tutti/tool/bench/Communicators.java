/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import org.tutti.Communicator;

/** The communicators that a rank calls on in turn; the rank has the same number in all of them. */
final class Communicators implements AutoCloseable {
    private final List<Communicator> made;
    private final Communicator[] called;
    private int latest;

    private Communicators(List<Communicator> made, Communicator... called) {
        this.made = made;
        this.called = called;
    }

    /** {@return the communicators of a kind; collective} */
    static Communicators of(CommunicatorKind kind, Communicator world) {
        return switch (kind) {
            case WORLD -> new Communicators(List.of(), world);
            case NODE -> group(world.splitByNode());
            case INTERLEAVED -> group(world.split(world.rank() % 2, 0));
            case ALTERNATING -> {
                var duplicate = world.duplicate();
                yield new Communicators(List.of(duplicate), world, duplicate);
            }
        };
    }

    private static Communicators group(Communicator group) {
        return new Communicators(List.of(group), group);
    }

    /** {@return communicators of the same ranks in which each rank is a node of its own; collective} */
    Communicators flattened() {
        var flat = Stream.of(called).map(Communicator::flatten).toList();
        return new Communicators(flat, flat.toArray(Communicator[]::new));
    }

    /** {@return views of these communicators, which need not be closed} */
    Communicators views(UnaryOperator<Communicator> view) {
        var views = called.clone();
        for (int i = 0; i < views.length; i++) {
            views[i] = view.apply(views[i]);
        }
        return new Communicators(List.of(), views);
    }

    /** {@return the communicators in the order of their turns} */
    Stream<Communicator> stream() {
        return Stream.of(called);
    }

    int rank() {
        return called[0].rank();
    }

    int size() {
        return called[0].size();
    }

    /** {@return the communicator that has its turn} */
    Communicator next() {
        latest = latest + 1 == called.length ? 0 : latest + 1;
        return called[latest];
    }

    @Override
    public void close() {
        made.forEach(Communicator::close);
    }
}
