/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class BytesTest {
    @ParameterizedTest
    @CsvSource({"0,0 bytes", "1023,1023 bytes", "1024,1.0 KiB", "1536,1.5 KiB", "1048576,1.0 MiB", "3221225472,3.0 GiB",
            "1099511627776,1.0 TiB", "9223372036854775807,8388608.0 TiB"})
    void shouldHaveOneDecimal(long bytes, String text) {
        assertThat(Bytes.text(bytes)).isEqualTo(text);
    }
}
