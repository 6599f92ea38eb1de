/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The suggestions for a mistyped name. */
class SuggestionTest {
    @ParameterizedTest
    @CsvSource({"ring, ring, 0", "rign, ring, 1", "rin, ring, 1", "rring, ring, 1", "rong, ring, 1", "'', ring, 4",
            "kitten, sitting, 3", "ca, abc, 3"})
    void shouldCountSlips(String from, String to, int slips) {
        assertThat(Suggestion.slips(from, to)).isEqualTo(slips);
        assertThat(Suggestion.slips(to, from)).isEqualTo(slips);
    }

    @Test
    void shouldSuggestWhatIsNear() {
        List<String> names = List.of("ring", "bruck", "standard-exchange@3-ports");
        assertThat(Suggestion.of("rign", names)).isEqualTo("; did you mean ring?");
        assertThat(Suggestion.of("standard-exchange@3ports", names))
                .isEqualTo("; did you mean standard-exchange@3-ports?");
        assertThat(Suggestion.of("magic", names)).isEmpty();
        assertThat(Suggestion.of("x", List.of("a", "bc"))).isEmpty();
    }

    @Test
    void shouldSuggestAlgorithmsAndCollectives() {
        assertThatThrownBy(() -> Catalogue.find(Collective.ALLREDUCE, "rign"))
                .hasMessageStartingWith("there is no algorithm \"rign\" for allreduce; did you mean ring? There are ");
        assertThatThrownBy(() -> Choice.parse("alreduce=ring"))
                .hasMessageStartingWith(
                        "there is no collective \"alreduce\"; did you mean allreduce? There are barrier,");
    }
}
