/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;

/** Sends the launcher's standard input to rank 0 on another host, never more than the host has room for. */
final class RemoteInput {
    private static final int PIECE_BYTES = 1 << 14;
    private static final Path STATUS = Path.of("/proc/self/stat");
    private static final int GROUP_FIELD = 2; // after the name in parentheses, from 0: state, parent, group, …
    private static final int TERMINALS_GROUP_FIELD = 5;

    private final Consumer<byte[]> send;
    private final Semaphore room = new Semaphore(0);
    private boolean started;

    /** @param send takes frames */
    RemoteInput(Consumer<byte[]> send) {
        this.send = send;
    }

    /** Notes that the host has room for this many more bytes. */
    synchronized void addRoom(int bytes) {
        room.release(bytes);
        if (!started) {
            started = true;
            Thread.ofPlatform().daemon().name("standard input").start(this::pass);
        }
    }

    private void pass() {
        if (StandardInput.isThere() && !isInBackground()) {
            try (var in = new FileInputStream(FileDescriptor.in)) {
                passAll(in);
            } catch (IOException e) {
                System.getLogger(RemoteInput.class.getName()).log(System.Logger.Level.DEBUG, "standard input", e);
            } catch (InterruptedException _) {
                return; // nothing interrupts this thread
            }
        }
        send.accept(new SessionFrame.Builder(FrameKind.INPUT).piece(new byte[0], 0, 0).bytes());
    }

    private void passAll(InputStream in) throws IOException, InterruptedException {
        var buffer = new byte[PIECE_BYTES];
        while (true) {
            room.acquire();
            int most = 1 + drain(buffer.length - 1);
            int count = in.read(buffer, 0, most);
            if (count < 0) {
                return;
            }
            room.release(most - count);
            send.accept(new SessionFrame.Builder(FrameKind.INPUT).piece(buffer, 0, count).bytes());
        }
    }

    private int drain(int most) {
        int count = Math.min(room.availablePermits(), most); // no other thread takes any
        room.acquireUninterruptibly(count);
        return count;
    }

    /** Whether this job is in the background of its shell, which would stop it for reading from the terminal. */
    private static boolean isInBackground() {
        try {
            var line = Files.readString(STATUS);
            var fields = Arrays.asList(line.substring(line.lastIndexOf(')') + 2).split(" "));
            var terminals = fields.get(TERMINALS_GROUP_FIELD);
            return Path.of("/proc/self/fd/0").toRealPath().startsWith("/dev/pts") && !terminals.equals("-1")
                    && !terminals.equals(fields.get(GROUP_FIELD));
        } catch (IOException | IndexOutOfBoundsException _) {
            return false; // not Linux, or not a file
        }
    }
}
