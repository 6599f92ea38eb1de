/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.tutti.fabric.AtomicOperation;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Region;
import org.tutti.fabric.RegionHandler;
import org.tutti.fabric.Regions;
import org.tutti.fabric.SectionPieces;
import org.tutti.fabric.SectionTransport;
import org.tutti.fabric.Striping;
import org.tutti.memory.Waiter;

/** The fabric of a process of a {@link SimulatedNetwork}, for calls that do not await an answer. */
final class SimulatedFabric implements SectionTransport, FabricListener {
    private final SimulatedNetwork network;
    private final Regions regions = new Regions();
    private final AtomicLong refusals = new AtomicLong();
    private final Map<Integer, Peer> peers = new TreeMap<>();

    SimulatedFabric(SimulatedNetwork network) {
        this.network = network;
    }

    /** Connects this process with another one. */
    Peer connect(int process, Stream<Wire> wires, Striping striping, Arena arena) {
        Peer peer = new Peer(process, regions, this, refusals, network::turn,
                new RailChoice(striping, network::nanos, process), arena);
        peers.put(process, peer);
        peer.connect(wires.toArray(Wire[]::new));
        return peer;
    }

    long refusals() {
        return refusals.get();
    }

    // ---- calls

    @Override
    public long register(MemorySegment memory) {
        return regions.add(memory).handle();
    }

    @Override
    public void registerKnown(MemorySegment memory, long handle, RegionHandler handler) {
        regions.addKnown(memory, handle, handler);
    }

    @Override
    public void revoke(long handle) {
        Region region = regions.find(handle);
        if (region != null) {
            regions.remove(handle);
            peers.values().forEach(Peer::settle);
        }
    }

    @Override
    public boolean put(PutTarget target, PutSource source, Waiter.Check check) {
        network.perhapsTurn();
        return peers.get(target.process()).sender().put(target, source, check);
    }

    @Override
    public boolean sendPacked(int process, long region, SectionPieces pieces, long bytes, int operation, long argument0,
            long argument1, Waiter.Check check) {
        network.perhapsTurn();
        return peers.get(process).sender().sendPacked(region, pieces, bytes, operation, argument0, argument1, check);
    }

    @Override
    public void flush() {
        peers.values().stream().filter(Peer::wantsToSend).forEach(Peer::pump);
    }

    @Override
    public void flushSoon() {
        flush();
    }

    @Override
    public int packetBytes() {
        return FrameLayout.PACKET_BYTES;
    }

    @Override
    public int packedBytesMax() {
        return FrameLayout.PAYLOAD_BYTES_MAX;
    }

    @Override
    public int requestBytesMax() {
        return FrameLayout.REQUEST_BYTES_MAX;
    }

    @Override
    public boolean poll() {
        return network.turn();
    }

    // ---- events

    @Override
    public void news(int kind, long index, long value) {
        throw new IllegalStateException("no process sends news");
    }

    @Override
    public void left(int process) {
        throw new IllegalStateException("process " + process + " has left");
    }

    @Override
    public void lost(int process, Loss loss, String reason) {
        throw new IllegalStateException("process " + process + " is lost: " + reason);
    }

    // ---- calls that no message needs

    @Override
    public long register(MemorySegment memory, RegionHandler handler) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void registerKnown(MemorySegment memory, long handle) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean send(int process, long region, SectionPieces pieces, int operation, long argument0, long argument1,
            Waiter.Check check) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean get(int process, long region, long offset, MemorySegment target, long targetOffset, long bytes,
            Waiter.Check check) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int beginGet(int process, long region, SectionPieces pieces, long bytes, MemorySegment target,
            long targetOffset, boolean waits, Waiter.Check check) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean awaitGet(int process, int request, Waiter.Check check) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isAnswered(int process, int request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void forgetGet(int process, int request) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean atomic(int process, long region, long offset, AtomicOperation operation, long operand,
            long expected, long[] result, Waiter.Check check) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long beginFence(int process, Waiter.Check check) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean awaitFence(int process, long all, Waiter.Check check) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean fenceAll(long timeoutMillis) {
        throw new UnsupportedOperationException();
    }
}
