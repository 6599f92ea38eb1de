/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.choice.Catalogue;
import org.tutti.collective.Algorithm;
import org.tutti.collective.layout.RingLayout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Nodes claim eager buffers if and only if they use them. A node that uses buffers that are not claimed waits for ever,
 * which the verifier reports.
 */
@Execution(ExecutionMode.CONCURRENT)
class EagerClaimTest {
    private static final long SEED = 20261128;

    private static final List<Topology> SHAPES = List.of(Sweep.even(1, 2), Sweep.even(2, 1), Sweep.even(2, 2),
            Sweep.even(3, 2), Sweep.even(9, 1), new Topology(new int[]{0, 0, 0, 1, 1}));

    /** Lengths of whole matrices around those at which algorithms change the memory to which nodes send. */
    private static final int[] BYTES =
            {0, 32, 128, 1 << 10, 64 << 10, (64 << 10) + 32, 240 << 10, 256 << 10, (256 << 10) + 32, 512 << 10};

    @ParameterizedTest
    @EnumSource(Collective.class)
    void shouldClaimOnlyBuffersThatAreUsed(Collective collective) {
        List<String> inVain = new ArrayList<>();
        for (PlannedCall call : calls(collective)) {
            for (Topology topology : SHAPES) {
                if (call.root() >= topology.size() || !call.algorithm().keepsOrder(topology)
                        && call.operation() == CheckedOperation.MATRIX
                        || collective.hasBlocks() && call.bytes() > Calls.BYTES_MAX / topology.size()) {
                    continue;
                }
                Uses uses = new Uses();
                assertThat(Verifier.verify(topology, List.of(call), 1, SEED,
                        (world, thread) -> new Watching(world, thread, uses))).isEmpty();
                if (uses.claims > 0 && uses.looks == uses.claims) {
                    inVain.add(call + " on " + topology);
                }
            }
        }
        assertThat(inVain).isEmpty();
    }

    private static List<PlannedCall> calls(Collective collective) {
        List<PlannedCall> calls = new ArrayList<>();
        List<CheckedOperation> operations = collective.combines()
                ? List.of(CheckedOperation.SUM, CheckedOperation.MATRIX) : List.of(CheckedOperation.BYTES);
        for (Algorithm algorithm : algorithms(collective)) {
            for (CheckedOperation operation : operations) {
                for (int root : collective.hasRoot() ? new int[]{0, 1} : new int[]{0}) {
                    for (int bytes : collective.hasElements() ? BYTES : new int[]{0}) {
                        calls.add(new PlannedCall(algorithm, operation, root, bytes, false, 0));
                    }
                }
            }
        }
        return calls;
    }

    private static List<Algorithm> algorithms(Collective collective) {
        return Stream.concat(Catalogue.of(collective).stream(), Catalogue.unlisted().stream())
                .filter(each -> each.collective() == collective).toList();
    }

    /** How often the ranks have claimed eager buffers, and how often they have looked whether they are claimed. */
    private static final class Uses {
        private int claims;
        private int looks;
    }

    /** Counts claims and looks. A master looks once when it claims. */
    private static final class Watching extends VerifyingMachine {
        private final Uses uses;

        Watching(World world, int thread, Uses uses) {
            super(world, thread);
            this.uses = uses;
        }

        @Override
        public long load(MemorySegment memory, long offset) {
            uses.looks += offset == RingLayout.EAGER_BUFFERS ? 1 : 0; // all other words begin a line
            return super.load(memory, offset);
        }

        @Override
        public void store(MemorySegment memory, long offset, long value) {
            uses.claims += offset == RingLayout.EAGER_BUFFERS ? 1 : 0;
            super.store(memory, offset, value);
        }
    }
}
