/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.tutti.Collective;
import org.tutti.choice.Catalogue;

/**
 * The values of an option that a shell offers, because {@link CompletionCommand} writes them into its script. Each such
 * option of a command needs a label of its own ({@code paramLabel}), because the script keeps the values in a variable
 * that has the name of the label.
 */
public abstract class Candidates implements Iterable<String> {
    private final Supplier<List<String>> values;

    /** @param values lists the values when a script is written; other commands never need them */
    protected Candidates(Supplier<List<String>> values) {
        this.values = values;
    }

    @Override
    public Iterator<String> iterator() {
        return values.get().iterator();
    }

    /** The collectives. */
    public static final class Collectives extends Candidates {
        Collectives() {
            super(() -> Stream.of(Collective.values()).map(Collective::label).toList());
        }
    }

    /** The algorithms of all collectives. */
    public static final class Algorithms extends Candidates {
        Algorithms() {
            super(Algorithms::names);
        }

        /** {@return the name of each algorithm, once} */
        public static List<String> names() {
            return Stream.of(Collective.values()).flatMap(collective -> Catalogue.of(collective).stream())
                    .map(algorithm -> algorithm.description().name()).distinct().toList();
        }
    }
}
