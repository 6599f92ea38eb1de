/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The range of ports at which a process may listen.
 *
 * @param first the lowest port
 * @param last the highest port; both are 0 if the system is to choose
 */
public record PortRange(int first, int last) {
    /** The range that lets the system choose any port. */
    public static final PortRange ANY = new PortRange(0, 0);

    private static final int PORT_MAX = 65_535;
    private static final Pattern FORM = Pattern.compile("(\\d{1,5})(?:-(\\d{1,5}))?");

    /**
     * Parses a range.
     *
     * @param text a range such as {@code 20000-20100}, or a single port; blank for {@link #ANY}
     * @return the range
     * @throws IllegalArgumentException if the text is no range; the message says why
     */
    public static PortRange parse(String text) {
        if (text.isBlank()) {
            return ANY;
        }
        Matcher form = FORM.matcher(text.strip());
        int first = form.matches() ? Integer.parseInt(form.group(1)) : 0;
        int last = first == 0 || form.group(2) == null ? first : Integer.parseInt(form.group(2));
        if (first == 0 || last < first || last > PORT_MAX) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is no range of ports; give the lowest and the highest, "
                            + "from 1 to " + PORT_MAX + ", as in 20000-20100");
        }
        return new PortRange(first, last);
    }

    /**
     * Binds a server to an address, at the lowest free port of the range.
     *
     * @throws IOException if no port of the range can be bound
     */
    void bind(ServerSocketChannel server, InetAddress address, int backlog) throws IOException {
        for (int port = first; port <= last; port++) {
            try {
                server.bind(new InetSocketAddress(address, port), backlog);
                return;
            } catch (BindException e) {
                if (port == last) {
                    throw first == 0 ? e : new BindException("none of the ports " + this + " is free: "
                            + e.getMessage());
                }
            }
        }
    }

    @Override
    public String toString() {
        return first == last ? String.valueOf(first) : first + "-" + last;
    }
}
