/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.info;

import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CongestionControlTest {
    @Test
    void shouldSayWhatThisMachineHas() throws Exception {
        var setting = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");

        assertThat(CongestionControl.ofThisMachine().name())
                .isEqualTo(Files.exists(setting) ? Files.readString(setting).strip() : "not known");
    }

    @Test
    void shouldWarnOfOneThatPaces() {
        assertThat(new CongestionControl("cubic").describe()).isEqualTo("cubic");
        assertThat(new CongestionControl("bbr").describe()).startsWith("bbr, which paces what is sent")
                .endsWith("sysctl net.ipv4.tcp_congestion_control");
    }
}
