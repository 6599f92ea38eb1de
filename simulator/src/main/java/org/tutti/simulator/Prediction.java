/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

import org.tutti.Collective;
import org.tutti.Topology;
import org.tutti.collective.Algorithm;
import org.tutti.collective.Call;
import org.tutti.collective.Team;
import org.tutti.collective.layout.NodeView;
import org.tutti.collective.layout.RingLayout;
import org.tutti.collective.members.EndpointTable;
import org.tutti.collective.members.HealthyMembers;
import org.tutti.collective.window.WindowPool;
import org.tutti.simulator.Cluster.TooManySteps;
import org.tutti.simulator.Trace.Step;
import org.tutti.simulator.cost.Cost;
import org.tutti.simulator.cost.Costs;

/**
 * The predicted cost of a call of a collective. The time of one call runs from the moment when all ranks enter it until
 * the last rank has left. The time of several calls without a pause is their mean, as {@code tutti bench} measures it.
 */
@SuppressWarnings("exports") // the library exports the algorithms to the simulator alone
public final class Prediction {
    /**
     * The most steps of ranks that are simulated; for a run with more, the algorithm's formula gives the prediction.
     */
    public static final long STEPS_MAX = 30_000_000;

    /**
     * The most messages between nodes that are simulated. All of them may be under way together; with 65,536 ranks they
     * take 2.5 GB.
     */
    public static final long MESSAGES_MAX = 1 << 20;

    private static final double NANOS = 1e3;

    private final PlannedCall call;
    private final Topology topology;
    private final Model model;
    private final int calls;
    private double micros;
    private boolean byFormula;
    private long messages;
    private long railBytes;
    private long nodeBytes;
    private long steps;
    private Trace trace;

    private Prediction(PlannedCall call, Topology topology, Model model, int calls) {
        this.call = call;
        this.topology = topology;
        this.model = model;
        this.calls = calls;
    }

    /**
     * Predicts a call. It runs in virtual time; if that takes too many steps or messages, the algorithm's formula gives
     * the time.
     *
     * @param algorithm the algorithm
     * @param topology the nodes of the ranks
     * @param bytes the length of the message, a multiple of 8
     * @param root the root; 0 if the collective has none
     * @param model the costs of the cluster
     * @return the prediction
     * @throws IllegalArgumentException if the message is longer than one operation can be
     */
    public static Prediction of(Algorithm algorithm, Topology topology, long bytes, int root,
            Model model) {
        return of(algorithm, topology, bytes, root, model, 1, STEPS_MAX, MESSAGES_MAX);
    }

    /**
     * Predicts the mean of several calls without a pause between them, from the moment when all ranks enter the first
     * call until the last rank has left the last one. Calls overlap if the algorithm lets a rank leave before the
     * others: a root need not wait for its leaves.
     *
     * @param algorithm the algorithm
     * @param topology the nodes of the ranks
     * @param bytes the length of each message, a multiple of 8
     * @param root the root; 0 if the collective has none
     * @param model the costs of the cluster
     * @param calls the number of calls, 1 or more
     * @return the prediction; its time is the mean, and its other figures are those of all calls together
     * @throws IllegalArgumentException if the message is longer than one operation can be
     */
    public static Prediction ofMean(Algorithm algorithm, Topology topology, long bytes,
            int root, Model model, int calls) {
        return of(algorithm, topology, bytes, root, model, calls, STEPS_MAX, MESSAGES_MAX);
    }

    static Prediction of(Algorithm algorithm, Topology topology, long bytes, int root,
            Model model, int calls, long stepsMax, long messagesMax) {
        CheckedOperation operation = algorithm.collective().combines() ? CheckedOperation.SUM : CheckedOperation.BYTES;
        PlannedCall call = new PlannedCall(algorithm, operation, root, Math.toIntExact(bytes), false, 0);
        Prediction prediction = new Prediction(call, topology, model, calls);
        try {
            prediction.run(stepsMax, messagesMax);
        } catch (TooManySteps _) {
            prediction.useFormula();
        }
        return prediction;
    }

    private void run(long stepsMax, long messagesMax) {
        Cluster cluster = new Cluster(topology, model, stepsMax, messagesMax);
        SymbolicMemory[] memories = new SymbolicMemory[topology.nodes()];
        SymbolicMemory users = new SymbolicMemory(topology.nodes());
        long[] rings = new long[topology.nodes()];
        int[] processes = new int[topology.size()];
        long[] handles = new long[topology.size()];
        int[] ranksOn = new int[topology.nodes()];
        for (int rank = 0; rank < topology.size(); rank++) {
            ranksOn[topology.nodeOf(rank)]++;
        }
        for (int node = 0; node < topology.nodes(); node++) {
            memories[node] = new SymbolicMemory(node);
            rings[node] = memories[node].claim(new RingLayout(topology.nodes(), ranksOn[node]).bytes(), "ring");
        }
        if (topology.nodes() > 1 && call.algorithm().mayUseEagerBuffers(call.bytes())) {
            claimEagerBuffers(cluster, memories, rings, ranksOn);
        }
        for (int rank = 0; rank < topology.size(); rank++) {
            processes[rank] = topology.nodeOf(rank);
            handles[rank] = rings[topology.nodeOf(rank)];
        }
        EndpointTable endpoints = new EndpointTable(processes, handles);
        long source = users.claim(call.sourceBytes(call.root(), topology.size()) + 1L, "source");
        long target = users.claim(call.targetBytes(call.root(), topology.size()) + 1L, "target");
        Team[] teams = new Team[topology.size()];
        NodeView[] views = new NodeView[topology.nodes()];
        for (int node = 0; node < views.length; node++) {
            views[node] = new NodeView(topology, node);
        }
        for (int rank = 0; rank < teams.length; rank++) {
            int node = topology.nodeOf(rank);
            teams[rank] = new Team(new PredictingMachine(cluster, rank), HealthyMembers.INSTANCE,
                    new WindowPool(memories[node], views[node].windowBytesMax()), rings[node], rank, views[node],
                    endpoints);
        }
        if (call.bytes() > teams[0].operationBytesMax()) {
            throw new IllegalArgumentException("a message of " + call.bytes() + " bytes is several operations with "
                    + ranksOn[0] + " ranks on a node; predict one of at most " + teams[0].operationBytesMax()
                    + " bytes");
        }
        if (hasTooManyMessages(messagesMax)) {
            throw new TooManySteps();
        }
        cluster.ranks().run(rank -> {
            MemorySegment from = users.block(source, call.sourceBytes(rank, topology.size()));
            MemorySegment to = users.block(target, call.targetBytes(rank, topology.size()));
            for (int i = 0; i < calls; i++) {
                cluster.pass(rank, model.callMicros());
                Call prepared = call.prepare(from, call.collective() == Collective.BROADCAST ? from : to, rank,
                        topology.size());
                prepared.draw(teams[rank]);
                prepared.run(teams[rank]);
            }
        });
        micros = cluster.endMicros() / calls;
        messages = cluster.messages();
        railBytes = cluster.railBytes();
        steps = cluster.steps();
        trace = cluster.trace();
        nodeBytes = Arrays.stream(memories).mapToLong(SymbolicMemory::bytes).max().orElse(0);
    }

    /** Claims the eager buffers before the run, because a communicator claims them once in its life. */
    private void claimEagerBuffers(Cluster cluster, SymbolicMemory[] memories, long[] rings, int[] ranksOn) {
        for (int node = 0; node < memories.length; node++) {
            RingLayout layout = new RingLayout(topology.nodes(), ranksOn[node]);
            long address = memories[node].claim(layout.eagerBuffersBytes(), RingLayout.EAGER_BUFFERS_PURPOSE);
            MemorySegment ring = memories[node].block(rings[node], layout.bytes());
            cluster.storePlain(ring, RingLayout.EAGER_BUFFERS, 1);
            cluster.storePlain(ring, RingLayout.EAGER_BUFFERS_ADDRESS, address);
            cluster.storePlain(ring, RingLayout.EAGER_BUFFERS_HANDLE, address);
        }
    }

    /**
     * Tells whether the run would have too many messages by its formula. Few nodes need no formula, because no pair
     * sends many messages.
     */
    private boolean hasTooManyMessages(long messagesMax) {
        long nodes = topology.nodes();
        return nodes * nodes * calls > messagesMax && cost().messages() * calls > messagesMax;
    }

    private Cost cost() {
        int nodes = topology.nodes();
        return Costs.of(call.algorithm(), nodes, topology.size() / nodes, call.bytes());
    }

    private void useFormula() {
        byFormula = true;
        int nodes = topology.nodes();
        micros = micros(cost(), nodes, topology.size() / nodes, call.bytes(), model);
    }

    /**
     * Computes a time by Hockney's formula. Messages that are long enough to be striped cross as many times faster as
     * there are rails. If a node has more ranks than cores, the ranks work in turns, {@code ⌈ranks ÷ cores⌉} of them,
     * and a rank that has waited gets a core again after the turns of the others.
     */
    static double micros(Cost cost, int nodes, int localRanks, long bytes, Model model) {
        double turns = Math.max(1, Math.ceil((double) localRanks / model.cores()));
        double wait = turns == 1 ? 0 : turns * model.turnMicros(nodes);
        return model.callMicros()
                + cost.memorySteps() * (model.memoryLatencyMicros() + 2 * turns * model.memoryOverheadMicros() + wait)
                + turns * cost.memoryBytes() * model.memoryNanosPerByte() / NANOS
                + turns * cost.combinedBytes() * model.combineNanosPerByte() / NANOS
                + cost.railSteps()
                        * (model.railLatencyMicros() + model.railOverheadMicros() + model.railReceiveMicros() + wait)
                + cost.furtherPuts() * (model.railOverheadMicros() + model.railReceiveMicros())
                + cost.railBytes() * (model.railOverheadNanosPerByte() + model.railReceiveNanosPerByte()
                        + model.railNanosPerByteOf(bytes)) / NANOS;
    }

    /** {@return the predicted time, in microseconds} */
    public double micros() {
        return micros;
    }

    /** {@return whether the time comes from the algorithm's formula; then the other figures are unknown} */
    public boolean isByFormula() {
        return byFormula;
    }

    /** {@return the number of messages between nodes: puts, and the requests and answers of gets} */
    public long messages() {
        return messages;
    }

    /** {@return the most bytes that leave or enter any rail} */
    public long bytesPerRail() {
        return railBytes;
    }

    /** {@return the shared memory of the node that needs most, in bytes} */
    public long nodeBytes() {
        return nodeBytes;
    }

    /** {@return the number of simulated steps} */
    public long steps() {
        return steps;
    }

    Trace trace() {
        return trace;
    }

    Topology topology() {
        return topology;
    }

    String title() {
        return call + ", " + topology + ", model " + model.name();
    }

    /** {@return the steps of the critical path, a line for each, in the order of time} */
    public List<String> criticalPath() {
        List<String> lines = new ArrayList<>();
        double now = 0;
        for (int index : trace.criticalPath()) {
            Step step = trace.step(index);
            double start = Math.max(now, step.start()); // a wait counts from the end of the step before
            if (step.end() > start) {
                lines.add(String.format(Locale.ROOT, "%12.3f µs  +%9.3f  rank %d on node %d %s%s%s", start / NANOS,
                        (step.end() - start) / NANOS, step.rank(), topology.nodeOf(step.rank()), step.kind().verb(),
                        step.bytes() > 0 ? " " + step.bytes() + " bytes" : "",
                        step.other() < 0 ? "" : ", node " + topology.nodeOf(step.other())));
                now = step.end();
            }
        }
        return lines;
    }

    @Override
    public String toString() {
        return title() + String.format(Locale.ROOT, ": %.3f µs", micros);
    }
}
