/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import org.tutti.memory.CLibrary;

/**
 * Calls {@code send(2)} and {@code recv(2)} of the C library for one connection. The calls read and write Java arrays
 * where they lie. A channel of the JDK copies an array to or from native memory. The calls are possible on 64-bit Linux
 * in a JVM that allows native access ({@code --enable-native-access}).
 *
 * <p><b>The collector.</b> An array must not move during a call, so the JVM delays a collection until the call ends
 * ({@link Linker.Option#critical}). A call takes a few microseconds, because no call waits, and no call passes more
 * than {@value #CALL_BYTES_MAX} bytes.
 *
 * <p><b>The descriptor.</b> The JDK does not tell the descriptor of a channel. It is the descriptor of this process
 * with the same local and the same remote address. There is no other, because the operating system has no two
 * connections with the same addresses. The caller must make no call after the channel has been closed, because the
 * number may then belong to another file.
 *
 * <p>One thread at a time may send, and one thread at a time may receive.
 */
final class SocketCalls {
    private static final int CALL_BYTES_MAX = 256 << 10;
    private static final System.Logger LOG = System.getLogger(SocketCalls.class.getName());
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private static final int NO_SIGNAL = 0x4000; // MSG_NOSIGNAL
    private static final int MORE = 0x8000; // MSG_MORE
    private static final int INTERRUPTED = 4; // EINTR
    private static final int TRY_AGAIN = 11; // EAGAIN
    private static final int ERROR_TEXT_BYTES_MAX = 256;

    private static final int ADDRESS_BYTES = 128; // of struct sockaddr_storage
    private static final int PORT = 2;
    private static final int IPV4 = 2; // AF_INET
    private static final int IPV4_ADDRESS = 4;
    private static final int IPV4_BYTES = 4;
    private static final int IPV6 = 10; // AF_INET6
    private static final int IPV6_ADDRESS = 8;
    private static final int IPV6_BYTES = 16;
    private static final ValueLayout.OfShort BIG_ENDIAN = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERROR = STATE.varHandle(PathElement.groupElement("errno"));
    private static final FunctionDescriptor TRANSFER = FunctionDescriptor.of(ValueLayout.JAVA_LONG,
            ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT);
    private static final FunctionDescriptor NAME = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS, ValueLayout.ADDRESS);
    private static final MethodHandle SEND = CLibrary.find("send", TRANSFER, Linker.Option.critical(true),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle RECEIVE = CLibrary.find("recv", TRANSFER, Linker.Option.critical(true),
            Linker.Option.captureCallState("errno"));
    private static final MethodHandle LOCAL_NAME = CLibrary.find("getsockname", NAME);
    private static final MethodHandle REMOTE_NAME = CLibrary.find("getpeername", NAME);
    private static final MethodHandle ERROR_TEXT = CLibrary.find("strerror",
            FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));

    private final int descriptor;
    private final MemorySegment stateOfSending = Arena.ofAuto().allocate(STATE);
    private final MemorySegment stateOfReceiving = Arena.ofAuto().allocate(STATE);

    private SocketCalls(int descriptor) {
        this.descriptor = descriptor;
    }

    /** Returns whether this JVM can make the calls. */
    static boolean arePossible() {
        return SEND != null && RECEIVE != null && LOCAL_NAME != null && REMOTE_NAME != null && ERROR_TEXT != null;
    }

    /** Returns the calls for a channel, connected and non-blocking, or null if they are not possible. */
    static SocketCalls of(SocketChannel channel) {
        int descriptor = arePossible() ? descriptorOf(channel) : -1;
        return descriptor < 0 ? null : new SocketCalls(descriptor);
    }

    /** Sends bytes without waiting, as {@link Wire#write(MemorySegment, long, int, boolean)} describes. */
    int send(MemorySegment source, long offset, int bytes, boolean more) throws IOException {
        long asked = Math.min(bytes, CALL_BYTES_MAX);
        long sent;
        try {
            sent = (long) SEND.invokeExact(stateOfSending, descriptor, source.asSlice(offset, asked), asked,
                    more ? NO_SIGNAL | MORE : NO_SIGNAL);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        return sent >= 0 ? (int) sent : noneOrThrow(stateOfSending);
    }

    /** Receives bytes without waiting, as {@link Wire#read(MemorySegment, long, int)} describes. */
    int receive(MemorySegment target, long offset, int bytes) throws IOException {
        long asked = Math.min(bytes, CALL_BYTES_MAX);
        long received;
        try {
            received = (long) RECEIVE.invokeExact(stateOfReceiving, descriptor, target.asSlice(offset, asked), asked,
                    0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        return received > 0 ? (int) received : received == 0 ? -1 : noneOrThrow(stateOfReceiving);
    }

    private static AssertionError unexpected(Throwable e) {
        if (e instanceof RuntimeException bug) {
            throw bug; // of an argument, before the call
        }
        return new AssertionError("a call of the C library has thrown", e);
    }

    /** Returns 0 if a call failed because it would have had to wait. Throws if it failed for another reason. */
    @SuppressWarnings("restricted")
    private static int noneOrThrow(MemorySegment state) throws IOException {
        int error = (int) ERROR.get(state, 0L);
        if (error == TRY_AGAIN || error == INTERRUPTED) {
            return 0;
        }
        String text;
        try {
            text = ((MemorySegment) ERROR_TEXT.invokeExact(error)).reinterpret(ERROR_TEXT_BYTES_MAX).getString(0);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        throw new IOException(text);
    }

    private static int descriptorOf(SocketChannel channel) {
        try (Arena arena = Arena.ofConfined(); DirectoryStream<Path> all = Files.newDirectoryStream(DESCRIPTORS)) {
            MemorySegment name = arena.allocate(ADDRESS_BYTES, Long.BYTES);
            MemorySegment length = arena.allocate(ValueLayout.JAVA_INT);
            SocketAddress local = channel.getLocalAddress();
            SocketAddress remote = channel.getRemoteAddress();
            for (Path path : all) {
                int descriptor = Integer.parseInt(path.getFileName().toString());
                if (isNamed(local, LOCAL_NAME, descriptor, name, length)
                        && isNamed(remote, REMOTE_NAME, descriptor, name, length)) {
                    return descriptor;
                }
            }
        } catch (IOException | RuntimeException e) {
            LOG.log(Level.DEBUG, "the descriptor of a connection cannot be found", e);
        }
        return -1;
    }

    private static boolean isNamed(SocketAddress address, MethodHandle nameOf, int descriptor, MemorySegment name,
            MemorySegment length) {
        length.set(ValueLayout.JAVA_INT, 0, ADDRESS_BYTES);
        int failed;
        try {
            failed = (int) nameOf.invokeExact(descriptor, name, length);
        } catch (Throwable e) {
            throw unexpected(e);
        }
        return failed == 0 && address instanceof InetSocketAddress inet
                && Short.toUnsignedInt(name.get(BIG_ENDIAN, PORT)) == inet.getPort()
                && Arrays.equals(ofIpv6(inet.getAddress().getAddress()), addressIn(name));
    }

    /** Returns the address in a {@code struct sockaddr} as one of IPv6. Returns null if it is of another family. */
    private static byte[] addressIn(MemorySegment name) {
        return switch (name.get(ValueLayout.JAVA_SHORT, 0)) {
            case IPV4 -> ofIpv6(name.asSlice(IPV4_ADDRESS, IPV4_BYTES).toArray(ValueLayout.JAVA_BYTE));
            case IPV6 -> name.asSlice(IPV6_ADDRESS, IPV6_BYTES).toArray(ValueLayout.JAVA_BYTE);
            default -> null;
        };
    }

    /** Returns an address of IPv4 as IPv6 writes it, because a socket of IPv6 may have a connection of IPv4. */
    private static byte[] ofIpv6(byte[] address) {
        if (address.length == IPV6_BYTES) {
            return address;
        }
        byte[] mapped = new byte[IPV6_BYTES];
        Arrays.fill(mapped, IPV6_BYTES - IPV4_BYTES - 2, IPV6_BYTES - IPV4_BYTES, (byte) 0xff);
        System.arraycopy(address, 0, mapped, IPV6_BYTES - IPV4_BYTES, IPV4_BYTES);
        return mapped;
    }
}
