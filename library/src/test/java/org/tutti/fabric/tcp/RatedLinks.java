/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

import org.tutti.fabric.PutSource;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Region;
import org.tutti.fabric.Regions;
import org.tutti.fabric.Striping;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two processes that are joined by links, each of which passes so many bytes a nanosecond in each direction, a while
 * after they were written. Time goes on by itself only when a call waits, so what it takes is the same every time.
 */
final class RatedLinks implements AutoCloseable {
    private static final long STEP_NANOS = 2_000;
    private static final long LATENCY_NANOS = 10_000;
    private static final int SOCKET_BYTES = 256 << 10;
    private static final int PACKET_BYTES = 1460;
    private static final int REGION_BYTES = 9 << 20;
    private static final Waiter.Check PATIENT = () -> {
    };

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment source = arena.allocate(REGION_BYTES, Words.LINE_BYTES);
    private final Region target;
    private final Regions regions = new Regions();
    private final Link[] links;
    private final Peer sender;
    private final Peer receiver;
    private final Waiter waiter;
    private long nowNanos;
    private int round;

    /** One link, both ways. */
    private static final class Link {
        double bytesPerNano;
        final Way[] ways = new Way[2];
        boolean closed;
    }

    /** Some bytes, and when they are there. */
    private record Packet(ByteBuffer bytes, long atNanos) {}

    /** One direction of a link. */
    private final class Way {
        final Link link;
        final Deque<Packet> packets = new ArrayDeque<>();
        double freeNanos;
        int queued;
        long sentBytes;

        Way(Link link) {
            this.link = link;
        }

        int put(ByteBuffer bytes) {
            int count = 0;
            while (bytes.hasRemaining() && queued < SOCKET_BYTES) {
                int some = Math.min(Math.min(bytes.remaining(), PACKET_BYTES), SOCKET_BYTES - queued);
                freeNanos = Math.max(freeNanos, nowNanos) + some / link.bytesPerNano;
                ByteBuffer copy = ByteBuffer.allocate(some).put(bytes.slice(bytes.position(), some)).flip();
                bytes.position(bytes.position() + some);
                packets.add(new Packet(copy, (long) freeNanos + LATENCY_NANOS));
                queued += some;
                count += some;
            }
            sentBytes += count;
            return count;
        }

        int take(ByteBuffer to) {
            int count = 0;
            while (to.hasRemaining() && !packets.isEmpty() && packets.peek().atNanos <= nowNanos) {
                ByteBuffer bytes = packets.peek().bytes;
                int some = Math.min(bytes.remaining(), to.remaining());
                to.put(bytes.slice(bytes.position(), some));
                bytes.position(bytes.position() + some);
                count += some;
                queued -= some;
                if (!bytes.hasRemaining()) {
                    packets.remove();
                }
            }
            return count;
        }
    }

    /** The end of a link at one of the processes. */
    private record End(Link link, Way out, Way in) implements Wire {
        @Override
        public int read(ByteBuffer to) throws IOException {
            return (int) read(new ByteBuffer[]{to});
        }

        @Override
        public long read(ByteBuffer[] targets) throws IOException {
            check();
            return Arrays.stream(targets).mapToLong(in::take).sum();
        }

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            check();
            return out.put(bytes);
        }

        @Override
        public long write(ByteBuffer[] sources, int count) throws IOException {
            long written = 0;
            for (int i = 0; i < count; i++) {
                written += write(sources[i]);
            }
            return written;
        }

        private void check() throws IOException {
            if (link.closed) {
                throw new ClosedChannelException();
            }
        }

        @Override
        public void close() {
            link.closed = true;
        }
    }

    /** @param bytesPerNano a link each */
    RatedLinks(Striping striping, double... bytesPerNano) {
        target = regions.add(arena.allocate(REGION_BYTES, Words.LINE_BYTES));
        sender = peer(1, striping);
        receiver = peer(0, striping);
        links = Arrays.stream(bytesPerNano).mapToObj(this::link).toArray(Link[]::new);
        sender.connect(IntStream.range(0, links.length).mapToObj(rail -> end(rail, 0)).toArray(Wire[]::new));
        receiver.connect(IntStream.range(0, links.length).mapToObj(rail -> end(rail, 1)).toArray(Wire[]::new));
        waiter = new Waiter(false, this::step);
    }

    private Peer peer(int process, Striping striping) {
        return new Peer(process, regions, new Deaf(), new AtomicLong(), this::step,
                new RailChoice(striping, () -> nowNanos, 0), arena);
    }

    private Link link(double bytesPerNano) {
        Link link = new Link();
        link.bytesPerNano = bytesPerNano;
        Arrays.setAll(link.ways, _ -> new Way(link));
        return link;
    }

    private End end(int rail, int side) {
        return new End(links[rail], links[rail].ways[side], links[rail].ways[1 - side]);
    }

    private boolean step() {
        nowNanos += STEP_NANOS;
        boolean any = receiver.poll() | sender.poll();
        if (!any) {
            nowNanos = Math.max(nowNanos, nextNanos());
        }
        return any;
    }

    /** When the next packet is there; at any time if there is none. */
    private long nextNanos() {
        long next = Long.MAX_VALUE;
        for (Link link : links) {
            for (Way way : link.ways) {
                next = way.packets.isEmpty() ? next : Math.min(next, way.packets.peek().atNanos);
            }
        }
        return next == Long.MAX_VALUE ? nowNanos : next;
    }

    /** A link passes so many bytes a nanosecond from now on. */
    void setRate(int rail, double bytesPerNano) {
        links[rail].bytesPerNano = bytesPerNano;
    }

    /** A link breaks, and is there again. */
    void breakAndMend(int rail, double bytesPerNano) {
        links[rail].closed = true;
        pass(1_000_000);
        links[rail] = link(bytesPerNano);
        receiver.bringBack(rail, end(rail, 1));
        sender.bringBack(rail, end(rail, 0));
        pass(1_000_000);
    }

    /** Nothing is called for a while. */
    void pass(long nanos) {
        for (long until = nowNanos + nanos; nowNanos < until;) {
            if (!step() && isIdle()) {
                nowNanos = Math.max(nowNanos, until);
            }
        }
    }

    /** Whether nothing is under way, so that no step changes anything. */
    private boolean isIdle() {
        return Arrays.stream(links).allMatch(link -> Arrays.stream(link.ways).allMatch(way -> way.packets.isEmpty()));
    }

    /** Puts so many bytes. */
    void put(int bytes) {
        source.asSlice(0, bytes).fill((byte) ++round);
        assertThat(sender.sender().put(new PutTarget().at(1, target.handle(), 64).raise(0, round, 0),
                new PutSource().add(source, 0, bytes), PATIENT)).isTrue();
    }

    /** How many bytes the putting side has sent over a link. */
    long sentBytes(int rail) {
        return links[rail].ways[0].sentBytes;
    }

    /** Puts so many bytes, and waits until they are there; returns for how long. */
    long putAndFence(int bytes) {
        long beganNanos = nowNanos;
        put(bytes);
        long all = sender.sender().askAck(PATIENT);
        assertThat(sender.sender().awaitAck(all, waiter, PATIENT)).isTrue();
        assertThat(Words.load(target.segment(), 0)).isEqualTo(round);
        assertThat(target.segment().asSlice(64, bytes).mismatch(source.asSlice(0, bytes))).isEqualTo(-1);
        return nowNanos - beganNanos;
    }

    /** Puts and waits for a while. */
    void keepPutting(int bytes, long nanos) {
        for (long until = nowNanos + nanos; nowNanos < until;) {
            putAndFence(bytes);
        }
    }

    /** The mean of so many, in nanoseconds. */
    double mean(int bytes, int times) {
        long all = 0;
        for (int i = 0; i < times; i++) {
            all += putAndFence(bytes);
        }
        return (double) all / times;
    }

    @Override
    public void close() {
        arena.close();
    }
}
