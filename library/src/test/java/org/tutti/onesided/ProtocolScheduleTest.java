/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.RemotePart;
import org.tutti.Section;
import org.tutti.Span;
import org.tutti.TransferProtocol;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.SectionPieces;
import org.tutti.job.LocalNodes;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.ProgressPolicy;

import static org.assertj.core.api.Assertions.assertThat;

/** In which order each protocol calls the fabric, which is one that only takes note of it. */
@Timeout(300)
class ProtocolScheduleTest {
    private static final int PACKED_BYTES_MAX = 64 << 10;
    private static final int REQUEST_BYTES_MAX = 2 << 10;
    private static final int BYTES = 200_000;
    private static final Span BYTES_HERE = Span.of(new byte[BYTES]);
    private static final Section PART = Section.strided(0, 100, new long[]{BYTES / 100}, new long[]{101});
    private static final Section HERE = Section.strided(0, 50, new long[]{BYTES / 50 / 2}, new long[]{100});
    private static final Section HALF = Section.strided(0, 100, new long[]{BYTES / 200}, new long[]{101});

    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
    private int places = Integer.MAX_VALUE;
    private int unanswered;
    private boolean isStarted;

    private Fabric fabric() {
        return (Fabric) Proxy.newProxyInstance(Fabric.class.getClassLoader(), new Class<?>[]{Fabric.class},
                (_, method, arguments) -> answer(method, arguments));
    }

    private Object answer(Method method, Object[] arguments) {
        switch (method.getName()) {
            case "send" -> {
                SectionPieces pieces = (SectionPieces) arguments[2];
                calls.add("send " + pieces.left());
                pieces.skip(pieces.left());
            }
            case "sendPacked" -> {
                calls.add("pack " + arguments[3]);
                ((SectionPieces) arguments[2]).skip((long) arguments[3]);
            }
            case "beginGet" -> {
                boolean waits = (boolean) arguments[6];
                assertThat(waits).as("waits for a place only while it holds none")
                        .isEqualTo(unanswered == 0 && !isStarted);
                if (unanswered == places) {
                    return Fabric.NO_ENTRY;
                }
                unanswered++;
                calls.add("ask " + arguments[3]);
                ((SectionPieces) arguments[2]).part().skip((long) arguments[3]);
                return unanswered;
            }
            case "awaitGet" -> {
                unanswered--;
                calls.add("take");
            }
            case "fence" -> calls.add("fence");
            case "packedBytesMax" -> {
                return PACKED_BYTES_MAX;
            }
            case "requestBytesMax" -> {
                return REQUEST_BYTES_MAX;
            }
            default -> {
                return method.getReturnType() == long.class ? (Object) 0L : method.getReturnType() == boolean.class;
            }
        }
        return method.getReturnType() == void.class ? null : true;
    }

    /** What rank 0's calls on the part of rank 1 have become. */
    private List<String> record(Consumer<RemotePart> call) {
        calls.clear();
        LocalNodes.run(new int[]{0, 1}, job -> {
            Communicator world = job.world();
            try (PrivateMemory node = new PrivateMemory()) {
                Allocator allocator = new Allocator(node, fabric(), () -> false, new ScriptedMembers(),
                        new EndpointTable(new int[]{0, 1}, new long[2]), null, false,
                        new ProgressPolicy(), () -> false);
                RemoteMemory memory = allocator.allocate(world, table -> world.allreduce(table, Reduction.SUM),
                        DataType.BYTE, 3L * BYTES, 16, () -> Long.MAX_VALUE);
                if (world.rank() == 0) {
                    call.accept(memory.at(1));
                }
                memory.close();
            }
        });
        return List.copyOf(calls);
    }

    @Test
    void shouldSendAllAtOnceByZeroCopy() {
        assertThat(record(part -> part.withProtocol(TransferProtocol.ZERO_COPY).put(PART, BYTES_HERE,
                Section.of(0, BYTES)))).containsExactly("send 200000");
    }

    @Test
    void shouldWaitForEachBufferByStreaming() {
        assertThat(record(part -> part.withProtocol(TransferProtocol.STREAMING).put(PART, BYTES_HERE,
                Section.of(0, BYTES)))).containsExactly("pack 65536", "fence", "pack 65536", "fence", "pack 65536",
                        "fence", "pack 3392");
        assertThat(record(part -> part.withProtocol(TransferProtocol.STREAMING).get(PART, BYTES_HERE,
                Section.of(0, BYTES)))).containsExactly("ask 65536", "take", "ask 65536", "take", "ask 65536", "take",
                        "ask 3392", "take");
    }

    @Test
    void shouldWaitForNothingByPipelinedStreaming() {
        assertThat(record(part -> part.withProtocol(TransferProtocol.PIPELINED).put(PART, BYTES_HERE,
                Section.of(0, BYTES)))).containsExactly("pack 16384", "pack 32768", "pack 32768", "pack 32768",
                        "pack 32768", "pack 32768", "pack 3392", "pack 16384");
    }

    @Test
    void shouldHaveChunksUnderWayWhenTheFirstIsTaken() {
        List<String> all = record(part -> {
            for (int i = 0; i < 2; i++) {
                part.withProtocol(TransferProtocol.PIPELINED).get(HALF, BYTES_HERE, HERE);
            }
        });
        assertThat(all.subList(0, all.size() / 2)).containsExactly("ask 12544", "ask 25088", "ask 25088", "ask 24768",
                "ask 12512", "take", "take", "take", "take", "take");
        assertThat(all.subList(all.size() / 2, all.size())).isEqualTo(all.subList(0, all.size() / 2));
    }

    @Test
    void shouldTakeAnswersWhenThereIsNoPlaceForMore() {
        places = 2;
        assertThat(record(part -> part.withProtocol(TransferProtocol.PIPELINED).get(HALF, BYTES_HERE, HERE)))
                .containsExactly("ask 12544", "ask 25088", "take", "ask 25088", "take", "ask 24768", "take",
                        "ask 12512", "take", "take");
    }

    /** A column of 1,000 runs; then runs that have to be unpacked here, which the blocking get of a thread does. */
    @Test
    void shouldAskForASectionByOneRequestWithoutWaiting() {
        isStarted = true;
        Section column = Section.strided(0, 8, new long[]{1000}, new long[]{100});
        assertThat(record(part -> part.nonBlocking().get(column, BYTES_HERE, Section.of(0, 8000)).await()))
                .containsExactly("ask 8000", "take");
        isStarted = false;
        assertThat(record(part -> part.nonBlocking().get(column, BYTES_HERE, column).await()))
                .containsExactly("ask 8000", "take");
        assertThat(record(part -> part.withProtocol(TransferProtocol.STREAMING).nonBlocking().get(PART, BYTES_HERE,
                Section.of(0, BYTES)).await())).containsExactly("ask 65536", "take", "ask 65536", "take", "ask 65536",
                        "take", "ask 3392", "take");
    }
}
