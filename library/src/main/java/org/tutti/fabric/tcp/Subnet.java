/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.net.InetAddress;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A subnet, the set of addresses of a family (IPv4 or IPv6) that begin with the same bits.
 *
 * @param address an address of the subnet
 * @param prefix the number of leading bits that all addresses of the subnet have in common
 */
record Subnet(InetAddress address, int prefix) {
    private static final Pattern FORM = Pattern.compile("([0-9A-Fa-f:.]{2,45})/(\\d{1,3})");

    /** {@return the subnet that a text such as {@code 10.0.0.0/24} or {@code fd00::/64} names; empty if it is none} */
    static Optional<Subnet> parse(String text) {
        Matcher form = FORM.matcher(text);
        if (!form.matches()) {
            return Optional.empty();
        }
        try {
            InetAddress address = InetAddress.ofLiteral(form.group(1));
            int prefix = Integer.parseInt(form.group(2));
            return prefix <= bits(address) ? Optional.of(new Subnet(address, prefix)) : Optional.empty();
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /** {@return whether an address belongs to the subnet} */
    boolean contains(InetAddress other) {
        byte[] ours = address.getAddress();
        byte[] theirs = other.getAddress();
        if (ours.length != theirs.length) {
            return false;
        }
        for (int bit = 0; bit < prefix; bit++) {
            int mask = 0x80 >>> bit % Byte.SIZE;
            if (((ours[bit / Byte.SIZE] ^ theirs[bit / Byte.SIZE]) & mask) != 0) {
                return false;
            }
        }
        return true;
    }

    private static int bits(InetAddress address) {
        return address.getAddress().length * Byte.SIZE;
    }
}
