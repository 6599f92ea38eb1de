/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Blocks that are moved one by one, message by message, as routes say: all sizes to 40, with 1 to 5 ports, or all. */
class RouteTest {
    private static final int SIZE_MAX = 40;

    /** A block, by who has it and who is to get it. */
    private record Block(int source, int destination) {}

    static Stream<Route> routes() {
        return Stream.of(1, 2, 3, 4, 5, Route.ALL_PORTS).flatMap(
                ports -> Stream.of(new BruckRoute(ports), new ExchangeRoute(ports)));
    }

    /** What a message has, row by row. */
    private static List<Block> blocks(Route route, int sender, int receiver, int size, int step) {
        List<Block> blocks = new ArrayList<>();
        for (int row = 0; row < route.rows(sender, receiver, size, step); row++) {
            int destination = route.destination(receiver, size, step, row);
            int first = route.firstSource(sender, destination, size, step);
            for (int i = 0; i < route.sources(sender, destination, size, step); i++) {
                blocks.add(new Block((first + i) % size, destination));
            }
        }
        return blocks;
    }

    @ParameterizedTest
    @MethodSource("routes")
    void shouldBringEveryBlockToItsDestination(Route route) {
        for (int size = 2; size <= SIZE_MAX; size++) {
            List<Set<Block>> held = new ArrayList<>();
            for (int index = 0; index < size; index++) {
                Set<Block> own = new HashSet<>();
                for (int destination = 0; destination < size; destination++) {
                    own.add(new Block(index, destination));
                }
                held.add(own);
            }
            Set<List<Integer>> pairs = new HashSet<>();
            for (int step = 0; step < route.steps(size); step++) {
                move(route, size, step, held, pairs);
            }
            for (int index = 0; index < size; index++) {
                Set<Block> expected = new HashSet<>();
                for (int source = 0; source < size; source++) {
                    expected.add(new Block(source, index));
                }
                assertThat(held.get(index)).isEqualTo(expected);
            }
        }
    }

    private static void move(Route route, int size, int step, List<Set<Block>> held, Set<List<Integer>> pairs) {
        List<Set<Block>> arrived = new ArrayList<>();
        for (int index = 0; index < size; index++) {
            arrived.add(new HashSet<>());
        }
        for (int sender = 0; sender < size; sender++) {
            for (int port = 1; port <= route.ports(size); port++) {
                int receiver = route.receiver(sender, size, step, port);
                if (receiver >= 0) {
                    assertThat(pairs.add(List.of(sender, receiver))).as("one message at most each way").isTrue();
                    List<Block> blocks = blocks(route, sender, receiver, size, step);
                    assertThat(blocks).doesNotHaveDuplicates()
                            .hasSizeLessThanOrEqualTo(route.blocksMax(size, step, port))
                            .hasSizeLessThanOrEqualTo(
                                    route.blocksMax(size, step, arrival(route, sender, receiver, size, step)));
                    assertThat(blocks.get(0).destination()).isEqualTo(receiver);
                    for (Block block : blocks) {
                        assertThat(route.stepTowards(sender, block.destination(), size)).isEqualTo(step);
                        assertThat(route.portTowards(sender, block.destination(), size, step)).isEqualTo(port);
                    }
                    assertThat(held.get(sender)).containsAll(blocks);
                    held.get(sender).removeAll(Set.copyOf(blocks));
                    assertThat(arrived.get(receiver).addAll(blocks)).isTrue();
                }
            }
            int sent = sender;
            assertThat(held.get(sender)).as("all of the row, and nothing else, is sent").noneMatch(
                    block -> block.destination() != sent
                            && route.stepTowards(sent, block.destination(), size) == step);
        }
        for (int index = 0; index < size; index++) {
            held.get(index).addAll(arrived.get(index));
        }
    }

    /** Which message it is at its receiver. */
    private static int arrival(Route route, int sender, int receiver, int size, int step) {
        List<Integer> found = new ArrayList<>();
        for (int arrival = 1; arrival <= route.arrivals(size); arrival++) {
            if (route.sender(receiver, size, step, arrival) == sender) {
                found.add(arrival);
            }
        }
        assertThat(found).as("arrivals from %s at %s of %s in step %s", sender, receiver, size, step).hasSize(1);
        return found.get(0);
    }

    @ParameterizedTest
    @MethodSource("routes")
    void shouldReceiveFromThoseOnlyThatSend(Route route) {
        for (int size = 2; size <= SIZE_MAX; size++) {
            for (int step = 0; step < route.steps(size); step++) {
                for (int receiver = 0; receiver < size; receiver++) {
                    for (int arrival = 1; arrival <= route.arrivals(size); arrival++) {
                        int sender = route.sender(receiver, size, step, arrival);
                        if (sender >= 0) {
                            int port = route.portTowards(sender, receiver, size, step);
                            assertThat(route.receiver(sender, size, step, port)).isEqualTo(receiver);
                        }
                    }
                }
            }
        }
    }

    /** Qian and Afsahi 2008, equation 5: size/(k+1) blocks in each of log(size) steps, where size is a power of k+1. */
    @ParameterizedTest
    @MethodSource("routes")
    void shouldSendAsManyBlocksAsThePaperSaysWhereTheSizeIsAPower(Route route) {
        int base = route.ports(SIZE_MAX) + 1;
        int steps = 0;
        for (int size = base; size <= SIZE_MAX; size *= base) {
            steps++;
            assertThat(route.steps(size)).isEqualTo(steps);
            for (int step = 0; step < steps; step++) {
                for (int port = 1; port <= route.ports(size); port++) {
                    int receiver = route.receiver(1, size, step, port);
                    assertThat(blocks(route, 1, receiver, size, step)).hasSize(size / base)
                            .hasSize(route.blocksMax(size, step, port));
                }
            }
        }
    }
}
