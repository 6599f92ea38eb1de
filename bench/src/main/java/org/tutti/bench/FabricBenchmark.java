/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;
import org.tutti.fabric.PutTarget;
import org.tutti.fabric.Service;
import org.tutti.fabric.tcp.LocalProcess;
import org.tutti.fabric.tcp.TcpFabric;
import org.tutti.memory.Waiter;
import org.tutti.memory.Words;

/**
 * Measures the tcp fabric between two processes of this host, over loopback: small puts back and forth, while both
 * sides poll; a stream of large puts; and puts with a fence to a process that computes and does not call Tutti.
 * {@code bench/fabric} starts it, and runs a C program for comparison.
 */
public final class FabricBenchmark {
    private static final int REGION_BYTES = 8 << 20;
    private static final int WARM_UP_ROUNDS = 20_000;
    private static final int ROUNDS = 20_000;
    private static final int REPEATS = 7;
    private static final int STREAM_PUTS = 400;
    private static final int FENCES = 2000;
    private static final int STREAM_BYTES = 1 << 20;
    private static final long WORD = 64;
    private static final long ANSWER = 128;
    private static final long CALL = 256;
    private static final long COMPUTE_NANOS = 3_000_000;
    private static final long SOON_NANOS = 100_000;
    private static final Waiter.Check NONE = () -> {
    };
    private static final FabricListener DEAF = new FabricListener() {
        @Override
        public void news(int kind, long index, long value) {}

        @Override
        public void left(int process) {}

        @Override
        public void lost(int process, Loss loss, String reason) {
            System.err.println("lost " + process + ": " + reason);
        }
    };

    private final TcpFabric fabric;
    private final MemorySegment memory = Arena.global().allocate(REGION_BYTES, Words.LINE_BYTES);
    private final PutTarget target = new PutTarget();
    private final Waiter waiter;
    private final long region;
    private InetSocketAddress other;
    private long otherRegion;

    private FabricBenchmark(int self) {
        this.fabric = new TcpFabric(new LocalProcess(self, new byte[32],
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)), _ -> List.of(other), 10_000,
                10_000), 2, DEAF, true, Service.SLEEP);
        this.waiter = new Waiter(true, fabric);
        this.region = fabric.register(memory);
    }

    /**
     * Runs the benchmark.
     *
     * @param arguments none; the benchmark starts its second process with "other"
     * @throws Exception if the second process cannot be started
     */
    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            new FabricBenchmark(1).serve();
            return;
        }
        Process child = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), FabricBenchmark.class.getName(),
                "other").redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try {
            new FabricBenchmark(0).measure(child);
        } finally {
            child.destroy();
        }
    }

    private String greeting() {
        return fabric.addresses().get(0).getPort() + " " + region;
    }

    private void hear(String greeting) {
        String[] parts = greeting.split(" ");
        other = new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(parts[0]));
        otherRegion = Long.parseLong(parts[1]);
    }

    // ---- the other process

    private void serve() throws IOException {
        var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        System.out.println(greeting());
        hear(in.readLine());
        for (long round = 1; round <= WARM_UP_ROUNDS + (long) REPEATS * ROUNDS; round++) {
            waiter.await(memory, WORD, round, NONE);
            put(0, 0, ANSWER, round);
        }
        waiter.await(memory, WORD, Long.MAX_VALUE, NONE); // until the stream has ended
        for (long round = 1; round <= FENCES; round++) {
            waiter.await(memory, CALL, round, NONE);
            compute(COMPUTE_NANOS);
        }
        compute(Long.MAX_VALUE);
    }

    /** Computes for a time, without reading a word and without calling Tutti. */
    private static void compute(long nanos) {
        long start = System.nanoTime();
        double sum = 0;
        while (System.nanoTime() - start < nanos) {
            for (int i = 0; i < 1000; i++) {
                sum += Math.sqrt(i + sum);
            }
        }
        if (sum < 0) {
            System.out.println(sum);
        }
    }

    private void put(int to, long bytes, long word, long value) {
        fabric.put(target.at(to, otherRegion, 4096).raise(word, value, 0), memory, 4096, bytes, NONE);
        fabric.flush();
    }

    // ---- this process

    private void measure(Process child) throws IOException, InterruptedException {
        var in = new BufferedReader(child.inputReader(StandardCharsets.UTF_8));
        hear(in.readLine());
        var out = new PrintStream(child.getOutputStream(), true, StandardCharsets.UTF_8);
        out.println(greeting());
        System.out.println("what,median,low,high");
        measurePings();
        measureStream();
        put(1, 8, WORD, Long.MAX_VALUE);
        measureFencesSoon();
        Thread.sleep(300);
        measureFences();
        fabric.close();
    }

    private void measurePings() {
        long round = 1;
        for (; round <= WARM_UP_ROUNDS; round++) {
            ping(round);
        }
        double[] micros = new double[REPEATS];
        for (int repeat = 0; repeat < REPEATS; repeat++) {
            long start = System.nanoTime();
            for (int i = 0; i < ROUNDS; i++) {
                ping(round++);
            }
            micros[repeat] = (System.nanoTime() - start) / 1e3 / ROUNDS / 2;
        }
        report("put of 8 bytes one way µs (both poll)", micros);
    }

    private void ping(long round) {
        put(1, 8, WORD, round);
        waiter.await(memory, ANSWER, round, NONE);
    }

    private void measureFences() throws InterruptedException {
        double[] micros = new double[FENCES];
        for (int i = 0; i < FENCES; i++) {
            Thread.sleep(3);
            micros[i] = fenced(i);
        }
        reportFences("put and fence to a process that computes µs", micros);
    }

    /** Measures fences shortly after the other process has polled for the last time and begun to compute. */
    private void measureFencesSoon() throws InterruptedException {
        double[] micros = new double[FENCES];
        for (int i = 0; i < FENCES; i++) {
            put(1, 8, CALL, i + 1);
            long start = System.nanoTime();
            while (System.nanoTime() - start < SOON_NANOS) {
                Thread.onSpinWait();
            }
            micros[i] = fenced(i);
            Thread.sleep(2 * COMPUTE_NANOS / 1_000_000);
        }
        reportFences("the same 0.1 ms after it has polled µs", micros);
    }

    private double fenced(int round) {
        long start = System.nanoTime();
        fabric.put(target.at(1, otherRegion, 4096).raise(192, round + 1, 0), memory, 4096, 8, NONE);
        fabric.fence(1, NONE);
        return (System.nanoTime() - start) / 1e3;
    }

    private static void reportFences(String what, double[] micros) {
        Arrays.sort(micros);
        System.out.printf("%s,%.1f,%.1f,%.1f%n", what, micros[FENCES / 2], micros[0], micros[FENCES * 9 / 10]);
    }

    private void measureStream() {
        double[] rates = new double[REPEATS + 1];
        for (int repeat = 0; repeat <= REPEATS; repeat++) {
            long start = System.nanoTime();
            for (int i = 0; i < STREAM_PUTS; i++) {
                fabric.put(target.at(1, otherRegion, 1 << 20), memory, 1 << 20, STREAM_BYTES, NONE);
            }
            fabric.fence(1, NONE);
            rates[repeat] = (double) STREAM_PUTS * STREAM_BYTES / (System.nanoTime() - start);
        }
        report("stream of 1 MB puts GB/s", Arrays.copyOfRange(rates, 1, REPEATS + 1));
    }

    private static void report(String what, double[] values) {
        Arrays.sort(values);
        System.out.printf("%s,%.2f,%.2f,%.2f%n", what, values[values.length / 2], values[0], values[values.length - 1]);
    }
}
