/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Arrays;
import java.util.random.RandomGenerator;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A connection in memory with a behaviour drawn from a seed: how many bytes a read or a write takes, how much it holds,
 * when it pauses, after which byte it breaks, what is lost then, and when either end notices. For one thread at a time.
 */
final class SimulatedWire {
    private static final int PAUSE_ODDS = 400;
    private static final int PAUSE_TURNS = 300;
    private static final int NOTICE_ODDS = 20;

    private final RandomGenerator random;
    private final int zeroPercent; // the more, the slower the wire
    private final boolean isWhole;
    private final boolean takesArrays;
    private final Pipe[] pipes;
    private final End[] ends = {new End(0), new End(1)};
    private boolean cut;
    private boolean isSilent;

    /** One direction: the bytes that are under way. */
    private final class Pipe {
        final byte[] bytes;
        int head;
        int size;
        long total;
        long cutAt = Long.MAX_VALUE;
        int pause;

        Pipe(int capacity) {
            bytes = new byte[capacity];
        }

        int put(ByteBuffer source, int most) {
            int count = Math.min(Math.min(source.remaining(), bytes.length - size), most);
            int at = (head + size) % bytes.length;
            int untilEnd = Math.min(count, bytes.length - at);
            source.get(bytes, at, untilEnd).get(bytes, 0, count - untilEnd);
            size += count;
            total += count;
            return count;
        }

        int take(ByteBuffer target, int most) {
            int count = Math.min(Math.min(target.remaining(), size), most);
            int untilEnd = Math.min(count, bytes.length - head);
            target.put(bytes, head, untilEnd).put(bytes, 0, count - untilEnd);
            head = (head + count) % bytes.length;
            size -= count;
            return count;
        }

        /** How many bytes may pass now. */
        int chunk() {
            if (isWhole) {
                return Integer.MAX_VALUE;
            }
            if (pause > 0) {
                pause--;
                return 0;
            }
            if (random.nextInt(PAUSE_ODDS) == 0) {
                pause = random.nextInt(PAUSE_TURNS);
            }
            if (random.nextInt(100) < zeroPercent) {
                return 0;
            }
            return switch (random.nextInt(8)) {
                case 0 -> 1;
                case 1 -> 1 + random.nextInt(FrameLayout.HEADER_BYTES);
                case 2, 3 -> 1 + random.nextInt(1 << 12);
                case 4 -> 1 + random.nextInt(1 << 16);
                default -> Integer.MAX_VALUE;
            };
        }
    }

    /** A wire with moods, and as fast as it likes: some take ten times as many turns as others. */
    SimulatedWire(RandomGenerator random) {
        this.random = random;
        this.isWhole = false;
        this.takesArrays = random.nextBoolean();
        this.zeroPercent = random.nextInt(90);
        this.pipes = new Pipe[]{new Pipe(capacity()), new Pipe(capacity())};
    }

    /** A wire that takes and gives all at once. */
    SimulatedWire(RandomGenerator random, int capacity) {
        this.random = random;
        this.isWhole = true;
        this.takesArrays = true;
        this.zeroPercent = 0;
        this.pipes = new Pipe[]{new Pipe(capacity), new Pipe(capacity)};
    }

    /** A new one between the same sides. */
    SimulatedWire another() {
        return isWhole ? new SimulatedWire(random, pipes[0].bytes.length) : new SimulatedWire(random);
    }

    private int capacity() {
        return (1024 << random.nextInt(8)) - random.nextInt(500);
    }

    Wire end(int side) {
        return ends[side];
    }

    /** Bytes that a side has written so far. */
    long written(int side) {
        return pipes[side].total;
    }

    /** Breaks once a side has written so many bytes. */
    void cutAfter(int side, long bytes) {
        pipes[side].cutAt = bytes;
    }

    /** Lets nobody notice but by silence, once it is broken. */
    void beSilent() {
        isSilent = true;
    }

    /** Breaks: part of what is under way still arrives, and nothing after that. */
    void cut() {
        if (!cut) {
            cut = true;
            for (Pipe pipe : pipes) {
                pipe.size = isWhole || random.nextInt(3) == 0 ? pipe.size : random.nextInt(pipe.size + 1);
            }
        }
    }

    boolean isCut() {
        return cut;
    }

    private final class End implements Wire {
        private final int side;
        private boolean closed;

        End(int side) {
            this.side = side;
        }

        private boolean notices() {
            return isWhole || random.nextInt(NOTICE_ODDS) == 0;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            return (int) read(new ByteBuffer[]{target});
        }

        @Override
        public long read(ByteBuffer[] targets) throws IOException {
            if (closed) {
                throw new ClosedChannelException();
            }
            Pipe in = pipes[1 - side];
            if (in.size == 0) {
                return end();
            }
            int most = in.chunk();
            long read = 0;
            for (ByteBuffer target : targets) {
                int count = in.take(target, most);
                most -= count;
                read += count;
            }
            return read;
        }

        private int end() throws IOException {
            boolean ended = ends[1 - side].closed || cut && !isSilent;
            if (!ended || !notices()) {
                return 0;
            }
            if (random.nextBoolean()) {
                throw new IOException("connection reset");
            }
            return -1;
        }

        @Override
        public int write(ByteBuffer source) throws IOException {
            if (closed) {
                throw new ClosedChannelException();
            }
            Pipe out = pipes[side];
            if (!cut && !ends[1 - side].closed) {
                int before = (int) Math.min(Integer.MAX_VALUE, out.cutAt - out.total);
                int count = out.put(source, Math.min(before, out.chunk()));
                if (out.total == out.cutAt) {
                    cut();
                }
                return count;
            }
            if ((!isSilent || ends[1 - side].closed) && notices()) {
                throw new IOException("broken pipe");
            }
            int dropped = Math.min(source.remaining(), random.nextInt(256));
            source.position(source.position() + dropped);
            return dropped;
        }

        @Override
        public long write(ByteBuffer[] sources, int count) throws IOException {
            long written = 0;
            for (ByteBuffer source : Arrays.copyOf(sources, count)) {
                written += source.hasRemaining() ? write(source) : 0;
                if (source.hasRemaining()) {
                    break;
                }
            }
            return written;
        }

        @Override
        public boolean takesArrays() {
            return takesArrays;
        }

        @Override
        public int read(MemorySegment target, long offset, int bytes) throws IOException {
            assertThat(takesArrays).isTrue();
            ByteBuffer buffer = ByteBuffer.allocate(bytes);
            int count = read(buffer);
            MemorySegment.copy(MemorySegment.ofArray(buffer.array()), 0, target, offset, buffer.position());
            return count;
        }

        @Override
        public int write(MemorySegment source, long offset, int bytes, boolean more) throws IOException {
            assertThat(takesArrays).isTrue();
            return write(ByteBuffer.wrap(source.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE)));
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                Pipe out = pipes[side];
                if (!isWhole && random.nextBoolean()) {
                    out.size = random.nextInt(out.size + 1);
                }
            }
        }
    }
}
