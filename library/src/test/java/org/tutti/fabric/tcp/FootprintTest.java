/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.JobStartException;
import org.tutti.fabric.tcp.Footprint.Limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** A process reports too little memory for its connections before it makes them. */
@Isolated("counts threads or memory of the whole JVM")
class FootprintTest {
    private static final long PLENTY = 1L << 40;

    @Test
    void shouldRefuseToStartWithSurelyTooLittle() {
        assertThatThrownBy(() -> Footprint.check(0, 7, 7, 4, new Limits(10 << 20, PLENTY, 0)))
                .isInstanceOf(JobStartException.class)
                .hasMessage("the process of rank 0, connected with 7 other processes by 4 rails, needs 17470208 bytes"
                        + " of direct memory, 2495744 for each, and may have 10485760; allow more with"
                        + " -XX:MaxDirectMemorySize");
        assertThatThrownBy(() -> Footprint.check(3, 500, 500, 2, new Limits(PLENTY, 1024, 40)))
                .isInstanceOf(JobStartException.class)
                .hasMessage("the process of rank 3, connected with 500 other processes by 2 rails, needs 1050 open"
                        + " files, and may have 1024; allow more with ulimit -n");
    }

    @Test
    void shouldWarnOfWhatMayBeTooLittle() {
        assertThat(Footprint.check(9, 1, 4095, 1, new Limits(256 << 20, PLENTY, 0)).orElseThrow())
                .isEqualTo("the process of rank 9, connected with 4095 other processes by 1 rail, needs 408058560 bytes"
                        + " of direct memory, 99648 for each, and may have 268435456; allow more with"
                        + " -XX:MaxDirectMemorySize");
        assertThat(Footprint.check(9, 1, 4095, 1, new Limits(PLENTY, 4096, 30)).orElseThrow())
                .contains("needs 4390 open files, and may have 4096");
    }

    @Test
    void shouldSayNothingOfWhatIsEnough() {
        assertThat(Footprint.check(0, 4095, 4095, 4, new Limits(4095L * 2495744, 20_000, 30))).isEmpty();
        assertThat(Footprint.check(0, 1, 1, 1, Limits.read())).as("of this process").isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"-XX:MaxDirectMemorySize=8m, 8388608", "-Xmx1g -XX:MaxDirectMemorySize=64K Main, 65536",
            "-XX:MaxDirectMemorySize=1m -XX:MaxDirectMemorySize=2G, 2147483648", "-XX:MaxDirectMemorySize=77, 77"})
    void shouldReadWhatTheJvmWasTold(String options, long bytes) {
        assertThat(Limits.maxDirectBytes(options)).isEqualTo(bytes);
    }

    @Test
    void shouldKnowThatTheHeapsLimitIsThatOfDirectMemoryOtherwise() {
        assertThat(Limits.maxDirectBytes("-XX:MaxDirectMemorySize=0")).isEqualTo(Runtime.getRuntime().maxMemory());
        assertThat(Limits.read().directBytes()).isEqualTo(Runtime.getRuntime().maxMemory());
        assertThat(Limits.read().files()).isGreaterThan(Limits.read().filesOpen());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void shouldCountWhatAConnectionTakes(int rails) throws InterruptedException {
        long before = DirectMemory.bytesInUse();
        Rail[] made = new Rail[rails];
        for (int rail = 0; rail < rails; rail++) {
            made[rail] = new Rail(rail);
        }
        assertThat(DirectMemory.bytes() - before).isEqualTo(rails * Footprint.RAIL_BYTES);
        assertThat(made).hasSize(rails);
    }
}
