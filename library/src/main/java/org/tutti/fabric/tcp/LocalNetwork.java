/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramSocket;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import org.tutti.JobStartException;

/** The network of this machine, as {@link RailAddresses} and {@link Ways} see it. Tests replace it. */
interface LocalNetwork {
    /**
     * An address of this machine.
     *
     * @param interfaceName the name of its interface
     * @param index the number that the system gives the interface
     * @param up whether the interface is up
     * @param loopback whether the interface leads back to this machine
     * @param pointToPoint whether the interface leads to a single other machine, like a tunnel
     * @param address the address, which has a scope only if it is a link-local IPv6 address
     * @param prefix the number of leading bits that the addresses of its subnet have in common
     */
    record LocalAddress(String interfaceName, int index, boolean up, boolean loopback, boolean pointToPoint,
            InetAddress address, int prefix) {
        /** {@return the subnet that this address reaches without a router} */
        Subnet subnet() {
            return new Subnet(address, prefix);
        }
    }

    /**
     * {@return the addresses of this machine, ordered by the index of their interface, and within an interface in the
     * order in which the system lists them}
     */
    List<LocalAddress> addresses();

    /** {@return the addresses of a host name; empty if the name is unknown} */
    List<InetAddress> lookUp(String hostName);

    /** {@return the address of this machine from which packets to another machine leave; empty if there is no route} */
    Optional<InetAddress> sourceTowards(InetAddress other);

    /** The network of the machine on which this process runs. */
    final class Live implements LocalNetwork {
        private static final int DISCARD_PORT = 9; // nothing is sent there

        @Override
        public List<LocalAddress> addresses() {
            List<LocalAddress> found = new ArrayList<>();
            try {
                for (NetworkInterface card : NetworkInterface.networkInterfaces().toList()) {
                    addAddresses(card, found);
                }
            } catch (SocketException e) {
                throw new JobStartException("the network interfaces of this machine cannot be listed (" + e
                        + "), so no address can be chosen or checked; look what forbids it to this process");
            }
            found.sort(Comparator.comparingInt(LocalAddress::index));
            return found;
        }

        private static void addAddresses(NetworkInterface card, List<LocalAddress> found) {
            try {
                boolean up = card.isUp();
                boolean loopback = card.isLoopback();
                boolean pointToPoint = card.isPointToPoint();
                // the JDK lists the system's first address, the card's own, last; other addresses may move from host to
                // host
                for (InterfaceAddress one : card.getInterfaceAddresses().reversed()) {
                    InetAddress address = withoutNeedlessScope(one.getAddress());
                    int bits = address.getAddress().length * Byte.SIZE;
                    found.add(new LocalAddress(card.getName(), card.getIndex(), up, loopback, pointToPoint, address,
                            Math.clamp(one.getNetworkPrefixLength(), 0, bits)));
                }
            } catch (SocketException _) {
                // the interface disappeared meanwhile, as those of containers do
            }
        }

        /**
         * Returns an address without the scope that the JDK gives every IPv6 address, because other hosts cannot use
         * the scope. Link-local addresses keep it.
         */
        private static InetAddress withoutNeedlessScope(InetAddress address) {
            if (!(address instanceof Inet6Address) || address.isLinkLocalAddress()) {
                return address;
            }
            try {
                return InetAddress.getByAddress(address.getAddress());
            } catch (UnknownHostException e) {
                throw new IllegalStateException(e); // it has 16 bytes
            }
        }

        @Override
        public List<InetAddress> lookUp(String hostName) {
            try {
                return List.of(InetAddress.getAllByName(hostName));
            } catch (UnknownHostException _) {
                return List.of();
            }
        }

        @Override
        public Optional<InetAddress> sourceTowards(InetAddress other) {
            try (var socket = new DatagramSocket(null)) {
                socket.connect(other, DISCARD_PORT); // asks the routing table, and sends nothing
                InetAddress source = socket.getLocalAddress();
                return source == null || source.isAnyLocalAddress() ? Optional.empty() : Optional.of(source);
            } catch (IOException | UncheckedIOException _) {
                return Optional.empty();
            }
        }
    }
}
