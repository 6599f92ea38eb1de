/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.collective.flow;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/** The lengths of the pieces that a receiver combines. */
class FlowTest {
    private static final long KIB = 1 << 10;
    private static final long MIB = 1 << 20;

    @ParameterizedTest
    @CsvSource({"64, 16, 256, 16", "127, 16, 256, 16", "128, 16, 256, 32", "255, 16, 256, 48", "256, 16, 256, 64",
            "8192, 16, 256, 64", "8192, 16, 40, 32", "8192, 16, 10, 10", "8192, 16, 17, 16"})
    void shouldSendPiecesOfOneToFourPackets(long messageKib, long packetKib, long placeKib, long pieceKib) {
        assertThat(Flow.combinedPieceBytes(messageKib * KIB, packetKib * KIB, placeKib * KIB))
                .isEqualTo(pieceKib * KIB);
    }

    @Test
    void shouldSendAQuarterOfAMessageAndFourPacketsAtMost() {
        for (long packet = 4 * KIB; packet <= 256 * KIB; packet *= 2) {
            for (long place = 3 * KIB; place <= MIB; place += 5 * KIB) {
                for (long message = 1; message <= 64 * MIB; message = 2 * message + 1001) {
                    long piece = Flow.combinedPieceBytes(message, packet, place);
                    assertThat(piece).as("%d bytes, packets of %d, places of %d", message, packet, place)
                            .isBetween(1L, Math.min(place, Math.max(packet, Math.min(4 * packet, message / 4))));
                    assertThat(piece % packet == 0 || piece == place && place < packet).isTrue();
                }
            }
        }
    }
}
