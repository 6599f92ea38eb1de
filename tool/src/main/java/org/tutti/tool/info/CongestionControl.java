/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.info;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The congestion control that TCP connections of this machine have unless they ask for another one, which Java cannot.
 * One that paces what is sent by a rate that it has to find out holds messages back where ranks send in bursts.
 *
 * @param name as Linux calls it, or what is not known
 */
record CongestionControl(String name) {
    private static final Path SETTING = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");
    private static final String UNKNOWN = "not known";
    private static final String PACING = "bbr"; // and bbr2, bbr3

    /** {@return that of this machine, or of its network namespace} */
    static CongestionControl ofThisMachine() {
        try {
            return new CongestionControl(Files.isReadable(SETTING) ? Files.readString(SETTING).strip() : UNKNOWN);
        } catch (IOException _) {
            return new CongestionControl(UNKNOWN);
        }
    }

    /** {@return its name, and what to do about it if it slows ranks down} */
    String describe() {
        return name.startsWith(PACING)
                ? name + ", which paces what is sent: messages between nodes may wait for milliseconds; see sysctl "
                        + "net.ipv4.tcp_congestion_control"
                : name;
    }
}
