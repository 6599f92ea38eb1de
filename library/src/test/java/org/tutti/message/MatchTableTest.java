/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Random additions, searches and removals, beside a list that is searched from its first entry on. */
class MatchTableTest {
    private static final int STEPS = 200_000;

    private static final class Thing extends MatchTable.Entry {
        Thing(Random random) {
            communicator = random.nextInt(3);
            source = random.nextInt(5) - 1;
            tag = random.nextInt(6) - 1;
        }
    }

    private final Random random = new Random(45);
    private final MatchTable<Thing> table = new MatchTable<>();
    private final List<Thing> list = new ArrayList<>();

    private Thing expected(Thing like) {
        return list.stream().filter(each -> each.communicator == like.communicator && each.source == like.source
                && each.tag == like.tag).findFirst().orElse(null);
    }

    @Test
    void shouldFindTheOldestAsAListDoes() {
        int longest = 0;
        for (int step = 0; step < STEPS; step++) {
            boolean grows = step / 1000 % 2 == 0;
            if (list.isEmpty() || random.nextInt(10) < (grows ? 6 : 4)) {
                Thing added = new Thing(random);
                if (random.nextBoolean()) {
                    table.number(added);
                    table.addAgain(added);
                } else {
                    table.add(added);
                }
                list.add(added);
            } else if (random.nextBoolean()) {
                int place = random.nextInt(list.size());
                Thing removed = list.remove(place);
                table.remove(removed);
                if (random.nextInt(4) == 0) {
                    table.addAgain(removed);
                    list.add(place, removed);
                }
            } else {
                Thing like = new Thing(random);
                Thing found = table.oldest(like.communicator, like.source, like.tag);
                assertThat(found).isSameAs(expected(like));
                if (found != null) {
                    table.remove(found);
                    list.remove(found);
                }
            }
            longest = Math.max(longest, list.size());
            assertThat(table.count()).isEqualTo(list.size());
        }
        assertThat(longest).as("the table has grown").isGreaterThan(64);
        assertThat(inOrder()).isEqualTo(list);
    }

    private List<Thing> inOrder() {
        List<Thing> found = new ArrayList<>();
        for (Thing each = table.oldest(); each != null; each = table.after(each)) {
            found.add(each);
        }
        return found;
    }

    @Test
    void shouldTellTheOlderOfTwo() {
        Thing first = new Thing(random);
        Thing second = new Thing(random);
        table.add(first);
        table.add(second);
        assertThat(MatchTable.older(first, second)).isSameAs(first);
        assertThat(MatchTable.older(second, first)).isSameAs(first);
        assertThat(MatchTable.older(null, second)).isSameAs(second);
        assertThat(MatchTable.older(first, null)).isSameAs(first);
        assertThat(MatchTable.<Thing>older(null, null)).isNull();
    }
}
