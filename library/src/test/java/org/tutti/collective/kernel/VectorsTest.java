/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.kernel;

import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.DataType;
import org.tutti.Reduction;

import static org.assertj.core.api.Assertions.assertThat;

/** When vectors are used, in JVMs of their own; and that the library runs without the module. */
@Timeout(300)
class VectorsTest {
    /** Prints whether vectors are used, and what 100 ones and twos come to. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            double[] left = new double[100];
            double[] right = new double[100];
            Arrays.fill(left, 1);
            Arrays.fill(right, 2);
            Kernels.of(Reduction.SUM, DataType.DOUBLE).combine(MemorySegment.ofArray(left), 0,
                    MemorySegment.ofArray(right), 0, MemorySegment.ofArray(left), 0, left.length * Double.BYTES);
            System.out.print(Vectors.areInUse() + " " + Arrays.stream(left).sum());
        }
    }

    @ParameterizedTest
    @CsvSource(textBlock = """
            -XX:+UseSerialGC,         false, false
            -XX:+UseSerialGC,         true,  true
            -XX:TieredStopAtLevel=1,  true,  false
            -Xint,                    true,  false""")
    void shouldBeUsedWhereTheJvmHasThemAndCompilesThem(String option, boolean module, boolean used) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), option));
        if (module) {
            command.addAll(List.of("--add-modules", Vectors.MODULE));
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Child.class.getName()));
        Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).isZero();
        assertThat(output).isEqualTo(used + " 300.0");
    }
}
