/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.memory;

import java.util.Locale;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class BytesTest {
    @ParameterizedTest
    @CsvSource({"0,0 bytes", "1023,1023 bytes", "1024,1.0 KiB", "1536,1.5 KiB", "1048576,1.0 MiB", "3221225472,3.0 GiB",
            "1099511627776,1.0 TiB", "9223372036854775807,8388608.0 TiB"})
    void shouldHaveOneDecimal(long bytes, String text) {
        assertThat(Bytes.text(bytes)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 1", "1000, 1000", "1024, 1k", "1536, 1536", "65536, 64k", "1048576, 1m", "1049600, 1025k",
            "1048575999998951424, 999999999999m"})
    void shouldReadTheOptionThatItWrites(long bytes, String option) {
        assertThat(Bytes.option(bytes)).isEqualTo(option);
        assertThat(Bytes.parse(option)).isEqualTo(bytes);
        assertThat(Bytes.parse(option.toUpperCase(Locale.ROOT))).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "k", "-1", "+1", "1.5k", "64 k", "64kk", "1g", "0x10", "1000000000000"})
    void shouldRefuseAnOptionThatIsNoNumberOfBytes(String option) {
        assertThatThrownBy(() -> Bytes.parse(option)).isInstanceOf(NumberFormatException.class)
                .hasMessage("\"" + option + "\" is no number of bytes such as 512, 64k or 1m");
    }
}
