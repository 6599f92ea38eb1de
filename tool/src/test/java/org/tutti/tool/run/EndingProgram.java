/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

import org.tutti.Job;
import org.tutti.Reduction;
import org.tutti.Tutti;

/** A program that lets rank 1 end in the way that its argument names, while the other ranks wait for it. */
final class EndingProgram {
    private static final List<Object> KEPT = new ArrayList<>();

    private EndingProgram() {}

    public static void main(String[] arguments) throws Exception {
        var way = arguments[0];
        if (way.endsWith(" with the job open")) {
            run(Tutti.join(), way);
        } else {
            try (var job = Tutti.join()) {
                run(job, way);
            } finally {
                Thread.interrupted();
                Thread.sleep(way.contains("slowly") ? 300 : 0);
            }
        }
    }

    private static void run(Job job, String way) throws Exception {
        var world = job.world();
        world.barrier();
        if (way.equals("leaves with a daemon thread")) {
            Thread.ofPlatform().daemon().start(EndingProgram::stay);
            return;
        }
        var failing = Reduction.ofInts("failing", true, (left, right) -> {
            throw new IllegalStateException("the cause");
        });
        if (way.startsWith("fails in an operator")) {
            world.reduce(new int[]{1}, failing, 1);
        } else if (job.rank() == 1) {
            end(job, way);
        }
        while (job.rank() != 1) {
            Thread.sleep(100); // whoever is interrupted notices when it waits
            world.barrier();
        }
    }

    private static void stay() {
        while (true) {
            LockSupport.park();
        }
    }

    private static void end(Job job, String way) throws Exception {
        switch (way.replaceFirst(" slowly| with the job open", "")) {
            case "returns" -> {
                return;
            }
            case "returns while a thread lives" -> Thread.ofPlatform().start(EndingProgram::stay);
            case "throws" -> throw new IllegalStateException("the cause");
            case "throws and cannot print" -> {
                System.setErr(new PrintStream(new OutputStream() {
                    @Override
                    public void write(int data) {
                        throw new OutOfMemoryError("no memory to print");
                    }
                }));
                throw new IllegalStateException("the cause");
            }
            case "throws an Error" -> throw new AssertionError("the cause");
            case "is interrupted" -> {
                Thread.currentThread().interrupt();
                while (true) {
                    job.world().barrier();
                }
            }
            case "exits" -> System.exit(3);
            case "exits with status 0" -> System.exit(0);
            case "halts" -> Runtime.getRuntime().halt(4);
            case "exits with a hook that waits" -> {
                Runtime.getRuntime().addShutdownHook(new Thread(EndingProgram::stay));
                System.exit(3);
            }
            case "is terminated with a hook that waits" -> {
                Runtime.getRuntime().addShutdownHook(new Thread(EndingProgram::stay));
                new ProcessBuilder("kill", "-TERM", "" + ProcessHandle.current().pid()).start();
                stay();
            }
            case "throws with a hook that waits" -> {
                Runtime.getRuntime().addShutdownHook(new Thread(EndingProgram::stay));
                throw new IllegalStateException("the cause");
            }
            case "fills the stack" -> descend(0);
            case "fills the heap" -> fill();
            case "fills the memory outside the heap" -> ByteBuffer.allocateDirect(Integer.MAX_VALUE);
            default -> throw new IllegalArgumentException(way);
        }
    }

    private static int descend(int depth) {
        return depth < 0 ? depth : descend(depth + 1) + depth;
    }

    /** Until there is no room for anything, and keeps it so. */
    private static void fill() {
        OutOfMemoryError full = null;
        for (int bytes = 1 << 20; bytes > 0; bytes >>= 1) {
            try {
                while (true) {
                    KEPT.add(new byte[bytes]);
                }
            } catch (OutOfMemoryError e) {
                full = e;
            }
        }
        throw full;
    }
}
