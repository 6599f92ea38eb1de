/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.choice;

import java.util.Collection;
import java.util.Comparator;

/** Suggests the name that a user may have meant by a mistyped one, for error messages. */
public final class Suggestion {
    private static final int LETTERS_PER_SLIP = 3;

    private Suggestion() {}

    /**
     * Returns a suggestion for an error message about a misspelt name. It has the valid name that is nearest to the
     * given text. Nearness is the number of slips between two names. A slip is a letter that is wrong, missing or
     * superfluous, or two adjacent letters in the wrong order. A name is suggested if it differs by at most one slip
     * for each {@value #LETTERS_PER_SLIP} letters.
     *
     * @param given the misspelt name
     * @param names all valid names
     * @return a text such as "; did you mean ring?", or an empty text if no name is near
     */
    public static String of(String given, Collection<String> names) {
        return names.stream().filter(name -> slips(given, name) * LETTERS_PER_SLIP <= name.length())
                .min(Comparator.comparingInt(name -> slips(given, name)))
                .map(name -> "; did you mean " + name + "?").orElse("");
    }

    /** Returns a suggestion, if there is one, and the list of all valid names. */
    static String withAll(String given, Collection<String> names) {
        String suggestion = of(given, names);
        return (suggestion.isEmpty() ? "; there are " : suggestion + " There are ") + String.join(", ", names);
    }

    /** Returns the number of slips between two texts, which is the Damerau-Levenshtein distance without overlaps. */
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
