/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.info;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The congestion control of the TCP connections of this machine. A program could ask for another one for its
 * connections, but Java cannot. A congestion control that paces sending by an estimated rate delays messages of ranks
 * that send in bursts.
 *
 * @param name the name that Linux uses, or a text that it is not known
 */
record CongestionControl(String name) {
    private static final Path SETTING = Path.of("/proc/sys/net/ipv4/tcp_congestion_control");
    private static final String UNKNOWN = "not known";
    private static final String PACING = "bbr"; // also of bbr2 and bbr3

    /** {@return the congestion control of this machine, or of its network namespace} */
    static CongestionControl ofThisMachine() {
        try {
            return new CongestionControl(Files.isReadable(SETTING) ? Files.readString(SETTING).strip() : UNKNOWN);
        } catch (IOException _) {
            return new CongestionControl(UNKNOWN);
        }
    }

    /** {@return the name, and the remedy if this congestion control slows ranks down} */
    String describe() {
        return name.startsWith(PACING)
                ? name + ", which paces what is sent: messages between nodes may wait for milliseconds; see sysctl "
                        + "net.ipv4.tcp_congestion_control"
                : name;
    }
}
