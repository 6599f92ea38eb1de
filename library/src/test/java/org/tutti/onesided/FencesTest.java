/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.onesided;

import java.lang.reflect.Proxy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Communicator;
import org.tutti.DataType;
import org.tutti.RankFailedException;
import org.tutti.Reduction;
import org.tutti.RemoteMemory;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.ScriptedMembers;
import org.tutti.fabric.Fabric;
import org.tutti.fabric.SectionPieces;
import org.tutti.job.LocalNodes;
import org.tutti.memory.PrivateMemory;
import org.tutti.memory.ProgressPolicy;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Fences of a communicator with ranks that differ from the numbers of their processes, over a fabric that loses fences.
 */
@Timeout(300)
class FencesTest {
    private static final int PROCESS = 7;

    private volatile boolean lost;

    private Object answer(String method, Class<?> type, Object[] arguments) {
        if (method.startsWith("send")) {
            SectionPieces pieces = (SectionPieces) arguments[2];
            pieces.skip(pieces.left());
        }
        return switch (type.getName()) {
            case "void" -> null;
            case "long" -> 1L;
            case "int" -> 64 << 10;
            default -> !(lost && method.contains("ence"));
        };
    }

    private Fabric fabric() {
        return (Fabric) Proxy.newProxyInstance(Fabric.class.getClassLoader(), new Class<?>[]{Fabric.class},
                (_, method, arguments) -> answer(method.getName(), method.getReturnType(), arguments));
    }

    @Test
    void shouldNameTheRankOfTheCommunicatorThatCannotBeReached() {
        LocalNodes.run(new int[]{0, 1}, job -> {
            Communicator world = job.world();
            try (PrivateMemory node = new PrivateMemory()) {
                Allocator allocator = new Allocator(node, fabric(), () -> false, new ScriptedMembers(),
                        new EndpointTable(new int[]{0, PROCESS}, new long[2]), null, false, new ProgressPolicy(),
                        () -> false);
                RemoteMemory memory = allocator.allocate(world, table -> world.allreduce(table, Reduction.SUM),
                        DataType.LONG, 1, 0, () -> Long.MAX_VALUE);
                if (world.rank() == 0) {
                    memory.at(1).put(0, new long[]{1});
                    lost = true;
                    assertThatThrownBy(memory::fenceAll).isInstanceOf(RankFailedException.class)
                            .hasMessageContaining("cannot reach rank 1 in fenceAll");
                    assertThatThrownBy(() -> memory.fence(1)).isInstanceOf(RankFailedException.class)
                            .hasMessageContaining("cannot reach rank 1 in fence");
                    lost = false;
                }
                memory.close();
            }
        });
    }
}
