/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.bench;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.tutti.tool.UsageException;
import org.tutti.tool.bench.OneSidedCell.Target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Which cells there are, and that a program is told the ones that were meant. */
class OneSidedCellTest {
    private static List<String> cells(List<OneSidedOperation> operations, List<Target> targets, Long... sizes) {
        return OneSidedCell.of(operations, targets, List.of(sizes)).stream().map(OneSidedCell::toString).toList();
    }

    @Test
    void shouldHaveEachOperationWithTheSizesThatItCanHave() {
        assertThat(cells(List.of(OneSidedOperation.FETCH_ADD, OneSidedOperation.PUT_TRAIN, OneSidedOperation.PUT,
                OneSidedOperation.PUT), List.of(Target.PASSIVE), 64L, 1L << 20))
                .containsExactly("put:64", "put:1048576", "fetch-add:8", "put-train:64");
    }

    @Test
    void shouldHaveNoTargetThatComputesWhereAllCall() {
        assertThat(cells(List.of(OneSidedOperation.FENCE_ALL, OneSidedOperation.FENCE_ALL_EVERYONE),
                List.of(Target.COMPUTING, Target.PASSIVE), 64L))
                .containsExactly("fence-all:8", "fence-all-computing:8", "fence-all-everyone:8");
    }

    @ParameterizedTest
    @EnumSource
    void shouldReadWhatItHasWritten(OneSidedOperation operation) {
        for (var target : Target.values()) {
            var cell = new OneSidedCell(operation, target, 4096);
            assertThat(OneSidedCell.parse(cell.toString())).isEqualTo(cell);
            assertThat(OneSidedCell.labels()).contains(cell.label());
        }
    }

    @Test
    void shouldRefuseWhatIsNoOperation() {
        assertThatThrownBy(() -> OneSidedOperation.ofLabel("send")).isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--operation send is not one of put, get, accumulate, fetch-add, put-train, ");
    }
}
