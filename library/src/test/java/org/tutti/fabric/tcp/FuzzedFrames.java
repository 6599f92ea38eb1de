/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.random.RandomGenerator;

/** One-sided requests of a mad peer to two regions, by seed: good ones, and good ones with one fault. */
final class FuzzedFrames {
    private static final int LENGTH_MAX = 300;
    private static final long[] NUMBERS = {0, 1, -1, 2, 4, 7, -8, 8, 15, 64, 1 << 16, Long.MAX_VALUE,
            Long.MAX_VALUE - 7, Long.MIN_VALUE, Integer.MAX_VALUE, Integer.MIN_VALUE};

    private final RandomGenerator random;
    private final long[] handles;
    private final long regionBytes;
    private final int wrongPercent;

    /**
     * @param random draws everything
     * @param regionBytes the size of the regions
     * @param wrongPercent how many frames have something wrong
     * @param handles the regions that the peer knows
     */
    FuzzedFrames(RandomGenerator random, long regionBytes, int wrongPercent, long... handles) {
        this.random = random;
        this.regionBytes = regionBytes;
        this.wrongPercent = wrongPercent;
        this.handles = handles;
    }

    /**
     * Draws the header of the next frame.
     *
     * @param frame becomes it
     * @param number what its number is to be
     */
    void next(Frame frame, long number) {
        switch (random.nextInt(4)) {
            case 0 -> {
                frame.of(FrameLayout.PUT).length = random.nextInt(LENGTH_MAX);
                frame.operation = (short) random.nextInt(3);
                frame.word = random.nextLong(regionBytes / 8 - 1) * 8;
                frame.value = random.nextLong();
                frame.tag = random.nextLong();
            }
            case 1 -> {
                frame.of(FrameLayout.ACTIVE_MESSAGE).length = random.nextInt(LENGTH_MAX / 8) * 8;
                frame.operation = (short) random.nextInt(64);
                frame.value = random.nextLong() >> random.nextInt(Long.SIZE);
            }
            case 2 -> frame.of(FrameLayout.GET).value = 1L + random.nextInt(LENGTH_MAX);
            default -> {
                frame.of(FrameLayout.ATOMIC).operation = (short) random.nextInt(6);
                frame.value = random.nextLong();
                frame.tag = random.nextInt(4);
            }
        }
        boolean aligned = frame.kind == FrameLayout.ACTIVE_MESSAGE || frame.kind == FrameLayout.ATOMIC;
        frame.offset = random.nextLong(regionBytes - LENGTH_MAX) & (aligned ? -8 : -1);
        frame.region = handles[random.nextInt(handles.length)];
        frame.flags = (byte) random.nextInt(8);
        frame.number = number;
        while (random.nextInt(100) < wrongPercent) {
            spoil(frame, number);
        }
    }

    private long wrong() {
        return random.nextInt(3) == 0 ? random.nextLong() >> random.nextInt(Long.SIZE)
                : NUMBERS[random.nextInt(NUMBERS.length)] + (random.nextBoolean() ? regionBytes : 0);
    }

    private void spoil(Frame frame, long number) {
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> frame.offset = wrong();
            case 3, 4 -> frame.region = random.nextBoolean() ? wrong() : frame.region ^ 1L << random.nextInt(Long.SIZE);
            case 5, 6 -> frame.operation = (short) (random.nextBoolean() ? wrong() : random.nextInt(80));
            case 7 -> frame.word = wrong();
            case 8 -> {
                frame.value = wrong();
                frame.tag = wrong();
            }
            case 9 -> frame.length = random.nextInt(4) > 0 ? random.nextInt(LENGTH_MAX) : (int) wrong();
            case 10 -> frame.kind = (byte) (random.nextInt(4) > 0 ? oneOf(FrameLayout.PUT, FrameLayout.GET,
                    FrameLayout.ATOMIC, FrameLayout.ACTIVE_MESSAGE, FrameLayout.NEWS) : random.nextInt());
            default -> {
                if (random.nextInt(4) > 0) {
                    frame.number = random.nextLong(number); // it came long ago
                } else if (random.nextBoolean()) {
                    frame.number = wrong();
                } else {
                    frame.count = wrong();
                }
            }
        }
    }

    private byte oneOf(byte... kinds) {
        return kinds[random.nextInt(kinds.length)];
    }

    /** What is to be sent: the header, and random bytes, as many as the header says if that makes sense. */
    ByteBuffer bytes(Frame frame) {
        int length = Math.clamp(frame.length, 0, FrameLayout.PAYLOAD_BYTES_MAX);
        ByteBuffer bytes = ByteBuffer.allocate(FrameLayout.HEADER_BYTES + length).order(ByteOrder.LITTLE_ENDIAN);
        FrameLayout.write(bytes, frame);
        byte[] payload = new byte[length];
        random.nextBytes(payload);
        return bytes.put(payload).flip();
    }
}
