/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The rails that a user names, as parsed from text. They have not been looked up among the addresses of a machine.
 *
 * @param names one entry for each rail, which is an interface, an address, a subnet or a name of the host. If the list
 *            is empty, there is one rail, which has every address that other hosts are likely to reach
 * @param exclusions interfaces, addresses and subnets that no rail may have
 */
record RailSelection(List<String> names, List<String> exclusions) {
    private static final int EXCLUSIONS_MAX = 64;
    private static final String EXCLUSION = "^";
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9:\\[][A-Za-z0-9_.:%@/\\]-]{0,252}");

    /**
     * Parses a list of rails and exclusions.
     *
     * @param wanted the parts of the list, separated by commas; a part that begins with {@value #EXCLUSION} is an
     *            exclusion
     * @throws IllegalArgumentException if the list cannot be parsed; the message is a clause that says why
     */
    static RailSelection parse(String wanted) {
        List<String> names = new ArrayList<>();
        List<String> exclusions = new ArrayList<>();
        for (String part : wanted.isBlank() ? new String[0] : wanted.split(",", -1)) {
            boolean excludes = part.strip().startsWith(EXCLUSION);
            String name = excludes ? part.strip().substring(1) : part.strip();
            require(name);
            (excludes ? exclusions : names).add(name);
        }
        if (names.size() > RailAddresses.RAILS_MAX) {
            throw new IllegalArgumentException(
                    "they are " + names.size() + ", and there can be " + RailAddresses.RAILS_MAX);
        }
        if (exclusions.size() > EXCLUSIONS_MAX) {
            throw new IllegalArgumentException(
                    exclusions.size() + " are excluded, and there can be " + EXCLUSIONS_MAX);
        }
        return new RailSelection(List.copyOf(names), List.copyOf(exclusions));
    }

    private static void require(String name) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException(
                    "there is nothing between two commas, or before the first or after the last, or after a "
                            + EXCLUSION);
        }
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(name + " is neither an interface nor an address");
        }
        if (name.contains("/") && Subnet.parse(name).isEmpty()) {
            throw new IllegalArgumentException(name + " is no subnet; write an address and the length of its prefix, "
                    + "such as 10.0.0.0/24 or fd00::/64");
        }
    }
}
