/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.Collection;
import java.util.Comparator;

/** What somebody may have meant who has mistyped a name, for messages. */
public final class Suggestion {
    private static final int LETTERS_PER_SLIP = 3;

    private Suggestion() {}

    /**
     * Finds the name that is nearest to what was given: a letter wrong, missing, too many, or two in the wrong order is
     * a slip, and a name has one for each {@value #LETTERS_PER_SLIP} letters at most.
     *
     * @param given what was given
     * @param names all names that there are
     * @return such as "; did you mean ring?", or nothing if no name is near
     */
    public static String of(String given, Collection<String> names) {
        return names.stream().filter(name -> slips(given, name) * LETTERS_PER_SLIP <= name.length())
                .min(Comparator.comparingInt(name -> slips(given, name)))
                .map(name -> "; did you mean " + name + "?").orElse("");
    }

    /** How many slips lead from one text to another (the distance of Damerau and Levenshtein, without overlaps). */
    static int slips(String from, String to) {
        int[][] least = new int[from.length() + 1][to.length() + 1];
        for (int i = 0; i <= from.length(); i++) {
            for (int j = 0; j <= to.length(); j++) {
                if (Math.min(i, j) == 0) {
                    least[i][j] = Math.max(i, j);
                } else {
                    int wrong = from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1;
                    least[i][j] = Math.min(least[i - 1][j - 1] + wrong, 1 + Math.min(least[i - 1][j], least[i][j - 1]));
                    if (Math.min(i, j) > 1 && from.charAt(i - 1) == to.charAt(j - 2)
                            && from.charAt(i - 2) == to.charAt(j - 1)) {
                        least[i][j] = Math.min(least[i][j], least[i - 2][j - 2] + 1);
                    }
                }
            }
        }
        return least[from.length()][to.length()];
    }
}
