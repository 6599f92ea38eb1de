/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import org.tutti.TuttiException;
import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Service;

/** Processes of a job in a JVM that is short of something: what {@link StarvedProcessTest} starts. */
final class StarvedMain {
    private static final int PROCESSES_MAX = 3;
    private static final long SILENCE_MILLIS_MAX = 2500;

    private final List<Object> taken = new ArrayList<>();
    private final List<TcpFabric> fabrics = new ArrayList<>();

    private StarvedMain() {}

    public static void main(String[] arguments) throws Exception {
        System.getLogger("test").log(Level.INFO, "so that logging has its files", new IOException("none"));
        var job = new StarvedMain();
        for (int self = 0; self < (arguments[0].equals("files") ? PROCESSES_MAX : 2); self++) {
            job.open(self);
        }
        if (arguments[0].equals("files")) {
            job.runShortOfFiles();
        } else {
            job.runShortOfMemory(arguments[0].equals("memory-for-a-while"));
        }
        job.fabrics.forEach(TcpFabric::close);
    }

    private void open(int self) {
        fabrics.add(new TcpFabric(
                new LocalProcess(self, new byte[32],
                        List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                        process -> fabrics.get(process).addresses(), SILENCE_MILLIS_MAX, SILENCE_MILLIS_MAX),
                PROCESSES_MAX, new FabricListener() {
                    @Override
                    public void news(int kind, long index, long value) {}

                    @Override
                    public void left(int process) {}

                    @Override
                    public void lost(int process, Loss loss, String reason) {
                        System.out.println(self + " lost " + process + ": " + reason);
                    }

                    @Override
                    public void failed(Throwable cause) {
                        System.out.println(self + " failed: " + cause);
                    }
                }, false, Service.SLEEP));
    }

    private boolean put(int process) {
        return fabrics.get(0).put(new PutTarget().at(process, 1 << 16, 0), MemorySegment.ofArray(new byte[8]), 0, 8,
                () -> {
                }) && fabrics.get(0).fence(process, () -> {
                });
    }

    private void runShortOfMemory(boolean forAWhile) throws InterruptedException {
        fabrics.get(0).isGone(1); // so that it knows the other one, which knows nobody
        takeMemory(64 << 10);
        takeMemory(1 << 10);
        Thread other = Thread.ofPlatform().start(() -> System.out.println("put: " + put(1)));
        if (forAWhile) {
            Thread.sleep(500);
            taken.clear();
        }
        other.join();
        System.out.println("taken: " + taken.size());
    }

    private void takeMemory(int bytes) {
        try {
            while (true) {
                taken.add(ByteBuffer.allocateDirect(bytes));
            }
        } catch (OutOfMemoryError e) {
            System.out.println(e.getMessage());
        }
    }

    /** The service thread tries again every 20 ms. */
    private void runShortOfFiles() throws IOException, InterruptedException {
        try (Socket stranger = new Socket()) { // so that its classes are there, which come from files
            stranger.connect(fabrics.get(1).addresses().get(0));
            stranger.getOutputStream().write(new byte[64]);
            while (stranger.getInputStream().read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (SocketException e) {
            System.out.println(e.getMessage()); // it may be reset
        }
        System.out.println(new TuttiException("put: " + put(2)).getMessage()); // nor can other classes be loaded then
        Socket waiting = new Socket();
        waiting.bind(null); // has its descriptor
        List<InputStream> files = new ArrayList<>();
        try {
            while (true) {
                files.add(new FileInputStream("/dev/null"));
            }
        } catch (IOException e) {
            System.out.println(e.getMessage());
        }
        waiting.connect(fabrics.get(1).addresses().get(0));
        Thread.sleep(1000);
        try {
            System.out.println("put: " + put(1));
        } catch (TuttiException e) { // its own trouble, and nobody else's
            System.out.println(e.getMessage());
        }
        for (InputStream file : files) {
            file.close();
        }
        System.out.println("put: " + put(1));
        waiting.close();
    }
}
