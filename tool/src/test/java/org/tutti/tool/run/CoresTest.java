/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CoresTest {
    @Test
    void shouldReadTheKernelsLists() {
        assertThat(Cores.parse("0")).containsExactly(0);
        assertThat(Cores.parse("0-3,8,10-11")).containsExactly(0, 1, 2, 3, 8, 10, 11);
    }

    @Test
    void shouldDealTheCoresOut() {
        assertThat(shares(List.of(0, 1, 2, 3, 4), 2)).containsExactly("0,1", "2,3,4");
    }

    @Test
    void shouldShareCoresAmongMoreProcesses() {
        assertThat(shares(List.of(4, 7), 5)).containsExactly("4", "4", "4", "7", "7");
    }

    private static List<String> shares(List<Integer> cores, int processes) {
        return IntStream.range(0, processes).mapToObj(process -> Cores.share(cores, process, processes)).toList();
    }
}
