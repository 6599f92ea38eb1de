/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A message between the launcher and a {@link HostSession}: the length of its body in four bytes, its kind in one byte,
 * and its body. Numbers are big-endian; a text or a piece of bytes follows its length.
 *
 * <p>A frame that ends early, is too long or has an unknown kind is an {@link IOException}, and the receiver gives the
 * connection up.
 */
final class SessionFrame {
    /** The longest body in bytes. The arguments of a program can be half as long on Linux. */
    static final int BYTES_MAX = 1 << 22;

    /** How many bytes of one output, or of standard input, may be in flight. */
    static final int WINDOW_BYTES = 1 << 17;

    private static final int HEAD_BYTES = Integer.BYTES + 1;

    private final FrameKind kind;
    private final ByteBuffer body;

    private SessionFrame(FrameKind kind, ByteBuffer body) {
        this.kind = kind;
        this.body = body;
    }

    /** {@return the bytes of a frame with these numbers} */
    static byte[] of(FrameKind kind, int... numbers) {
        var frame = new Builder(kind);
        for (int number : numbers) {
            frame.number(number);
        }
        return frame.bytes();
    }

    /** Puts a frame together. */
    static final class Builder {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

        Builder(FrameKind kind) {
            bytes.writeBytes(new byte[Integer.BYTES]);
            bytes.write(kind.ordinal());
        }

        Builder number(int number) {
            bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(number).array());
            return this;
        }

        Builder longNumber(long number) {
            bytes.writeBytes(ByteBuffer.allocate(Long.BYTES).putLong(number).array());
            return this;
        }

        Builder piece(byte[] array, int from, int to) {
            number(to - from);
            bytes.write(array, from, to - from);
            return this;
        }

        Builder text(String text) {
            var encoded = text.getBytes(StandardCharsets.UTF_8);
            return piece(encoded, 0, encoded.length);
        }

        /** {@return the whole frame} */
        byte[] bytes() {
            var frame = bytes.toByteArray();
            if (frame.length - HEAD_BYTES > BYTES_MAX) {
                throw new IllegalStateException("a frame of " + frame.length + " bytes");
            }
            ByteBuffer.wrap(frame).putInt(0, frame.length - HEAD_BYTES);
            return frame;
        }
    }

    /** {@return the next frame, or null if the other side has ended the connection between frames} */
    static SessionFrame read(DataInputStream in) throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        int length = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
        var kind = FrameKind.of(in.readUnsignedByte());
        if (length < 0 || length > BYTES_MAX || kind == null) {
            throw new IOException("what arrived is no message of Tutti's");
        }
        var body = in.readNBytes(length);
        if (body.length < length) {
            throw new IOException("the connection ended within a message");
        }
        return new SessionFrame(kind, ByteBuffer.wrap(body));
    }

    /** Writes a frame atomically with respect to other writers of the stream. */
    static void write(OutputStream out, byte[] frame) {
        try {
            synchronized (out) {
                out.write(frame);
                out.flush();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    FrameKind kind() {
        return kind;
    }

    int number() throws IOException {
        require(Integer.BYTES);
        return body.getInt();
    }

    /** {@return the next number of the body, checked to be at least 0 and below a limit} */
    int numberBelow(int limit) throws IOException {
        int number = number();
        if (number < 0 || number >= limit) {
            throw new IOException(kind + " has the number " + number + ", which is not below " + limit);
        }
        return number;
    }

    long longNumber() throws IOException {
        require(Long.BYTES);
        return body.getLong();
    }

    byte[] piece() throws IOException {
        int length = numberBelow(BYTES_MAX);
        require(length);
        var piece = Arrays.copyOfRange(body.array(), body.position(), body.position() + length);
        body.position(body.position() + length);
        return piece;
    }

    String text() throws IOException {
        return new String(piece(), StandardCharsets.UTF_8);
    }

    private void require(int bytes) throws IOException {
        if (body.remaining() < bytes) {
            throw new IOException(kind + " is too short");
        }
    }
}
