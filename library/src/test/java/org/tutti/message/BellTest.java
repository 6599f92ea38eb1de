/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.message;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.DataType;
import org.tutti.collective.machine.LiveMachine;
import org.tutti.collective.machine.Machine;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.memory.Memory;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.Waiter;

import static org.assertj.core.api.Assertions.assertThat;

/** A rank that waits for a message of any rank, without polls: only the bell ends the wait. */
@Timeout(60)
class BellTest {
    private static final int RANKS = 3;
    private static final int RECEIVER = 2;

    private final Memory memory = new PrivateMemory();
    private final CommunicatorMessages[] messages = new CommunicatorMessages[RANKS];
    private Machine machine;
    private MemorySegment doors;
    private Mailbox mailbox; // of the receiver
    private Runnable beforeWait = () -> {
    };

    @BeforeEach
    void makeRanks() {
        doors = memory.block(memory.claim(Doors.bytes(RANKS), "a test"), Doors.bytes(RANKS));
        for (int rank = 0; rank < RANKS; rank++) {
            var progress = new MessageProgress(null);
            machine = machine();
            var ofRank = new RankMessages(progress, machine, null, memory, doors, new Placement(_ -> true), rank, RANKS,
                    1, true);
            messages[rank] = new CommunicatorMessages(ofRank, 1, HealthyMembers.INSTANCE, rank, RANKS, () -> 0);
            mailbox = ofRank.mailbox();
        }
    }

    /** A machine that runs an action before a thread of the receiver begins to wait at the bell. */
    private Machine machine() {
        var live = new LiveMachine(new Waiter(true, () -> false));
        return (Machine) Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[]{Machine.class},
                (_, method, arguments) -> {
                    if (method.getName().equals("add")
                            && arguments[1].equals(Doors.door(RECEIVER) + Doors.WAITERS) && arguments[2].equals(1L)) {
                        beforeWait.run();
                    }
                    try {
                        return method.invoke(live, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                });
    }

    private long word(long word) {
        return machine.load(doors, Doors.door(RECEIVER) + word);
    }

    private void send(int from, long value) {
        messages[from].send(MemorySegment.ofArray(new long[]{value}), DataType.LONG, RECEIVER, 0, false,
                Long.MAX_VALUE);
    }

    private long receiveAny(boolean isStarted) {
        long[] got = new long[1];
        var target = MemorySegment.ofArray(got);
        if (isStarted) {
            messages[RECEIVER]
                    .startReceive(target, DataType.LONG, Receive.ANY, 0, Long.MAX_VALUE, () -> {
                    }).await();
        } else {
            messages[RECEIVER].receive(target, DataType.LONG, Receive.ANY, 0, null, Long.MAX_VALUE);
        }
        return got[0];
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldWakeARankThatWaitsForAnyRank(boolean isStarted) throws Exception {
        send(0, 1); // the channel is known, so the receiver does not wait for one to be opened
        assertThat(receiveAny(isStarted)).isEqualTo(1);
        for (int from = 0; from < 2; from++) {
            long rings = word(Doors.RINGS);
            var received = CompletableFuture.supplyAsync(() -> receiveAny(isStarted));
            while (word(Doors.WAITERS) == 0) {
                Thread.onSpinWait();
            }
            Thread.sleep(20); // it sleeps, or will find the message without a ring
            send(from, 100 + from);
            assertThat(received.get(30, TimeUnit.SECONDS)).isEqualTo(100 + from);
            assertThat(word(Doors.RINGS)).isGreaterThan(rings);
            assertThat(word(Doors.WAITERS)).isZero();
        }
    }

    /** Another thread matches the receive after the receive has looked for a message, and before it waits. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldSeeAMatchThatComesBeforeTheWait(boolean isStarted) throws Exception {
        beforeWait = () -> {
            beforeWait = () -> {
            };
            Thread other = Thread.ofPlatform().start(() -> {
                send(0, 7);
                mailbox.poll();
            });
            try {
                other.join();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        };
        assertThat(CompletableFuture.supplyAsync(() -> receiveAny(isStarted)).get(30, TimeUnit.SECONDS)).isEqualTo(7);
    }

    @Test
    void shouldNotRingWhileNoThreadWaits() {
        for (int i = 0; i < 5; i++) {
            send(0, i);
            assertThat(receiveAny(false)).isEqualTo(i);
        }
        assertThat(word(Doors.RINGS)).isZero();
    }
}
