/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job.network;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.tutti.Reduction;
import org.tutti.choice.Choice;
import org.tutti.choice.Links;
import org.tutti.fabric.Service;
import org.tutti.fabric.Striping;
import org.tutti.fabric.tcp.PortRange;
import org.tutti.job.LocalNodes;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Node;
import org.tutti.job.node.NodeLayout;
import org.tutti.job.node.Secret;
import org.tutti.memory.PrivateMemory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The parts of a process's network that the tests of several nodes do not use. */
@Timeout(60)
class NetworkTest {
    private static final int FOR_CHAIN = 8 << 10; // elements: over slow links nodes form a chain for as many

    private static JobEnvironment environment(NodeShape shape) {
        return new JobEnvironment(shape, 0, 1, Path.of("/dev/shm"), 30_000, 10_000, 10_000, 1, Service.SLEEP,
                Striping.SPEED, Choice.DEFAULT, LocalNodes.addresses(1), PortRange.ANY, Optional.empty(),
                Optional.empty());
    }

    @Test
    void shouldChooseAlikeEverywhereForTheLinksThatRankZeroWasToldOf() {
        LocalNodes.runOver(new int[]{0, 1, 2}, Links.SLOW, nodes -> job -> {
            assertThat(nodes.links(job.rank())).isEqualTo(Links.SLOW);
            double[] values = new double[FOR_CHAIN];
            Arrays.fill(values, job.rank() + 1);
            job.world().reduce(values, Reduction.SUM, 0);
            job.world().broadcast(values, 0);
            assertThat(values).containsOnly(1 + 2 + 3);
        });
    }

    @Test
    void shouldGiveBackItsPortAlsoWhenTheNodesMemoryHasEnded() throws IOException {
        NodeShape shape = new NodeShape("network", 2, 0, 2, 1);
        PrivateMemory memory = new PrivateMemory();
        Node node = Node.create(memory, memory.claim(NodeLayout.bytes(2), "states"), shape, Secret.random(), false);
        Network network = new Network(environment(shape), node,
                new TcpFabricFactory(environment(shape), node.secret(), System.nanoTime()));
        InetSocketAddress address = Rendezvous.parse(node.rendezvous().orElseThrow()).getFirst().getFirst();
        memory.close();
        assertThatThrownBy(network::close).isInstanceOf(IllegalStateException.class);
        try (var socket = new ServerSocket(address.getPort(), 1, address.getAddress())) {
            assertThat(socket.isBound()).isTrue();
        }
    }
}
