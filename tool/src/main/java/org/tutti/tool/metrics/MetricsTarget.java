/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.metrics;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;

import org.tutti.tool.UsageException;

/** The place to which the figures of a job go: the value of the option {@code --metrics}. */
public sealed interface MetricsTarget {
    /** The end of the name of a file that node_exporter reads. */
    String FILE_SUFFIX = ".prom";

    /**
     * An HTTP server.
     *
     * @param host the address to listen at, or an empty text for the loopback address
     * @param port the port, or 0 for a free one
     */
    record Server(String host, int port) implements MetricsTarget {
        private static final int PORT_MAX = 0xffff;

        private static Server parse(String text, String host, String digits) {
            int port = digits.length() > String.valueOf(PORT_MAX).length() ? PORT_MAX + 1 : Integer.parseInt(digits);
            if (port > PORT_MAX) {
                throw new UsageException("--metrics " + text + " is not possible; give a port from 0, which is a free "
                        + "one, to " + PORT_MAX);
            }
            return new Server(host, port);
        }

        @Override
        public Metrics open(String job) {
            return MetricsServer.open(address());
        }

        private InetSocketAddress address() {
            try {
                return new InetSocketAddress(
                        host.isEmpty() ? InetAddress.getLoopbackAddress() : InetAddress.getByName(host), port);
            } catch (UnknownHostException _) {
                throw new UsageException("--metrics " + host + ":" + port + " is not possible, because no address of "
                        + host + " is known; give an address of this host");
            }
        }
    }

    /**
     * A file.
     *
     * @param path the file
     */
    record TextFile(Path path) implements MetricsTarget {
        private static TextFile parse(String text) {
            try {
                return new TextFile(Path.of(text).toAbsolutePath());
            } catch (InvalidPathException _) {
                throw new UsageException("--metrics '" + text + "' is not the name of a file; name another one");
            }
        }

        @Override
        public Metrics open(String job) {
            return MetricsFile.open(path, job);
        }
    }

    /**
     * Reads the value of the option.
     *
     * @param text the value; with a slash, or {@value #FILE_SUFFIX} at its end, it names a file, and otherwise it is a
     *            port, or an address and a port
     * @return the target
     * @throws UsageException if the value is neither
     */
    static MetricsTarget parse(String text) {
        if (text.contains("/") || text.endsWith(FILE_SUFFIX)) {
            return TextFile.parse(text);
        }
        var parts = Pattern.compile("(?:(?:\\[([^\\[\\]]+)]|([^:\\[\\]]+)):)?([0-9]+)").matcher(text);
        if (!parts.matches()) {
            throw new UsageException("--metrics '" + text + "' is not possible; give a port such as 9100, an address "
                    + "and a port such as 0.0.0.0:9100 or [::]:9100, or a file whose name has a slash or ends in "
                    + FILE_SUFFIX);
        }
        var host = parts.group(1) == null ? parts.group(2) : parts.group(1);
        return Server.parse(text, host == null ? "" : host, parts.group(3));
    }

    /**
     * Reserves the place, and publishes nothing yet.
     *
     * @param job the name of the job
     * @throws UsageException if the place cannot be used
     */
    Metrics open(String job);
}
