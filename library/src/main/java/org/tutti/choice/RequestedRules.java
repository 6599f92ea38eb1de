/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.tutti.Collective;
import org.tutti.choice.Rule.Length;
import org.tutti.choice.Rule.Range;

/** A list of rules for one collective that a user requests. {@link Choice#parse} explains the text of such lists. */
final class RequestedRules {
    private static final Pattern LAYOUT = Pattern.compile("([1-9]\\d{0,3})x([1-9]\\d{0,3})");

    private final Range nodes;
    private final Range ranks;
    private final Collective collective;
    private final List<Rule> rules = new ArrayList<>();

    private RequestedRules(Range nodes, Range ranks, Collective collective) {
        this.nodes = nodes;
        this.ranks = ranks;
        this.collective = collective;
    }

    /** Returns the lists of a text, and the tables that it names; later ones take precedence. */
    static List<List<Rule>> parse(String text) {
        List<List<Rule>> lists = new ArrayList<>();
        RequestedRules last = null;
        for (String part : text.split(",")) {
            String entry = part.strip();
            int equals = entry.indexOf('=');
            if (equals >= 0) {
                last = of(entry.substring(0, equals));
                last.add(entry.substring(equals + 1));
                lists.add(last.rules);
            } else if (Choice.tables().containsKey(entry)) {
                last = null;
                lists.add(Choice.tables().get(entry));
            } else if (last != null && entry.contains(":")) {
                last.add(entry);
            } else if (!entry.isEmpty()) {
                throw new IllegalArgumentException("\"" + entry + "\" is neither of the form collective=algorithm or "
                        + "collective=algorithm:FROM-TO, nor a table of rules, of which there is "
                        + String.join(", ", Choice.tables().keySet()));
            }
        }
        return lists;
    }

    /** Returns the rules of a text that has names and ranges only. */
    static List<Rule> parse(Collective collective, String text) {
        RequestedRules list = new RequestedRules(Range.ANY, Range.ANY, collective);
        for (String entry : text.split(",", -1)) {
            list.add(entry);
        }
        return list.rules;
    }

    /** Returns an empty list for the text before the {@code =}: a collective, perhaps after a layout. */
    private static RequestedRules of(String text) {
        int colon = text.indexOf(':');
        Collective collective = collective(text.substring(colon + 1).strip());
        if (colon < 0) {
            return new RequestedRules(Range.ANY, Range.ANY, collective);
        }
        Matcher layout = LAYOUT.matcher(text.substring(0, colon).strip());
        if (!layout.matches()) {
            throw new IllegalArgumentException("\"" + text.substring(0, colon).strip()
                    + "\" is no layout; give NODESxRANKS, such as 4x2 for 4 nodes with 2 ranks each");
        }
        int nodes = Integer.parseInt(layout.group(1));
        return new RequestedRules(Range.exactly(nodes), Range.exactly(nodes * Integer.parseInt(layout.group(2))),
                collective);
    }

    private static Collective collective(String label) {
        List<Collective> all = List.of(Collective.values());
        return all.stream().filter(each -> each.label().equals(label)).findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no collective \"" + label + "\""
                        + Suggestion.withAll(label, all.stream().map(Collective::label).toList())));
    }

    /** Adds the rule of a name, perhaps with a range after it. */
    private void add(String text) {
        String[] sides = text.split(":", 2);
        Rule added = new Rule(nodes, ranks, false, false, false,
                sides.length < 2 ? Length.ANY : Length.parse(sides[1].strip()),
                Catalogue.find(collective, sides[0].strip()));
        for (Rule rule : rules) {
            if (rule.bytes().overlaps(added.bytes())) {
                throw new IllegalArgumentException(option(rule) + " and " + option(added)
                        + " overlap; give each length of a message to one algorithm");
            }
        }
        rules.add(added);
    }

    private static String option(Rule rule) {
        return rule.algorithm().description().name() + ":" + rule.bytes().option();
    }
}
