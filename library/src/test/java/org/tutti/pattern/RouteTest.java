/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.pattern;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Blocks that are moved one by one, message by message, as routes say: all sizes to 40, with 1 to 5 ports, or all. */
@Execution(ExecutionMode.CONCURRENT) // it only computes
class RouteTest {
    private static final int SIZE_MAX = 40;

    /** A block, with its source and its destination. */
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

    // ---- of Standard Exchange: rows that are combined

    static Stream<ExchangeRoute> exchangeRoutes() {
        return Stream.of(1, 2, 3, 4, 5, Route.ALL_PORTS).map(ExchangeRoute::new);
    }

    /** Sources that follow each other. */
    private record Run(int first, int end) {}

    @ParameterizedTest
    @MethodSource("exchangeRoutes")
    void shouldTakeByTurnsWhatIsFromTheSourcesBesideThoseThatAreThere(ExchangeRoute route) {
        for (int size = 2; size <= SIZE_MAX; size++) {
            for (int destination = 0; destination < size; destination++) {
                Run[] held = new Run[size];
                for (int index = 0; index < size; index++) {
                    held[index] = new Run(index, index + 1);
                }
                for (int step = 0; step < route.steps(size); step++) {
                    Run[] before = held.clone();
                    for (int index = 0; index < size; index++) {
                        if (keeps(route, index, destination, size, step)) {
                            held[index] = takeByTurns(route, index, size, step, before);
                        }
                    }
                }
                assertThat(held[destination]).as("size %s", size).isEqualTo(new Run(0, size));
            }
        }
    }

    private static boolean keeps(Route route, int index, int destination, int size, int step) {
        return index == destination || route.stepTowards(index, destination, size) > step;
    }

    private static Run takeByTurns(ExchangeRoute route, int index, int size, int step, Run[] before) {
        Run held = before[index];
        Set<Integer> arrivals = new HashSet<>();
        for (int turn = 1; turn <= route.arrivals(size); turn++) {
            int arrival = route.arrival(index, size, step, turn);
            assertThat(arrivals.add(arrival)).isTrue();
            int sender = route.sender(index, size, step, arrival);
            if (sender > index) {
                assertThat(before[sender].first()).as("from %s to %s of %s", sender, index, size)
                        .isEqualTo(held.end());
                held = new Run(held.first(), before[sender].end());
            } else if (sender >= 0) {
                assertThat(before[sender].end()).as("from %s to %s of %s", sender, index, size)
                        .isEqualTo(held.first());
                held = new Run(before[sender].first(), held.end());
            }
        }
        assertThat(arrivals).allMatch(arrival -> arrival >= 1 && arrival <= route.arrivals(size));
        return held;
    }

    /** In the order of digits, the last one first: as words are, of numbers that are written backwards. */
    @ParameterizedTest
    @MethodSource("exchangeRoutes")
    void shouldGoThroughAllDestinationsInTheOrderOfTheirDigits(ExchangeRoute route) {
        for (int size = 1; size <= SIZE_MAX; size++) {
            int base = Math.max(2, route.ports(size) + 1);
            assertThat(walk(route, 0, size, size)).isEqualTo(IntStream.range(0, size).boxed()
                    .sorted(Comparator.comparing(index -> backwards(index, base))).toList());
        }
    }

    private static String backwards(int number, int base) {
        StringBuilder digits = new StringBuilder();
        for (int rest = number, i = 0; i < SIZE_MAX; rest /= base, i++) {
            digits.append((char) ('A' + rest % base));
        }
        return digits.toString();
    }

    private static List<Integer> walk(ExchangeRoute route, int first, int count, int size) {
        List<Integer> walk = new ArrayList<>();
        int destination = first;
        for (int i = 0; i < count; i++) {
            walk.add(destination);
            destination = route.nextDestination(destination, size);
        }
        assertThat(count < size || destination == -1).isTrue();
        return walk;
    }

    @ParameterizedTest
    @MethodSource("exchangeRoutes")
    void shouldHaveRowsInAMessageThatFollowEachOtherInTheOrderOfDigits(ExchangeRoute route) {
        for (int size = 2; size <= SIZE_MAX; size++) {
            for (int step = 0; step < route.steps(size); step++) {
                for (int receiver = 0; receiver < size; receiver++) {
                    int rows = route.rows(receiver, receiver, size, step);
                    List<Integer> destinations = new ArrayList<>();
                    for (int row = 0; row < rows; row++) {
                        destinations.add(route.destination(receiver, size, step, row));
                    }
                    assertThat(walk(route, route.firstDestination(receiver, size, step), rows, size))
                            .containsExactlyInAnyOrderElementsOf(destinations);
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("exchangeRoutes")
    void shouldBoundTheRowsThatArrive(ExchangeRoute route) {
        assertThat(route.rowsArrivingMax(1)).isZero();
        for (int size = 2; size <= 4 * SIZE_MAX; size++) {
            int most = 0;
            for (int index = 0; index < size; index++) {
                int rows = 0;
                for (int step = 0; step < route.steps(size); step++) {
                    for (int arrival = 1; arrival <= route.arrivals(size); arrival++) {
                        int sender = route.sender(index, size, step, arrival);
                        rows += sender < 0 ? 0 : route.rows(sender, index, size, step);
                    }
                }
                most = Math.max(most, rows);
            }
            assertThat(route.rowsArrivingMax(size)).as("size %s", size).isBetween(most, 2 * (size - 1));
            if (Math.pow(route.ports(size) + 1, route.steps(size)) == size) {
                assertThat(route.rowsArrivingMax(size)).isEqualTo(most).isEqualTo(size - 1);
            }
        }
    }
}
