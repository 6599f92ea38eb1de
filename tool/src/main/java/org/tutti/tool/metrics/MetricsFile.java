/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.metrics;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.tutti.memory.FileReason;
import org.tutti.tool.OutputFiles;
import org.tutti.tool.UsageException;

/**
 * Writes the figures of a job to a file at regular intervals and at the end, for the textfile collector of Prometheus'
 * node_exporter. Each version is written to a file beside it, which then takes the file's name, so a reader sees whole
 * versions. If a version cannot be written, the job goes on, and the next version is tried.
 */
final class MetricsFile implements Metrics {
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final Duration LAST_WRITE_LIMIT = Duration.ofSeconds(3);

    private final Path file;
    private final Path next;
    private final Duration interval;
    private final CountDownLatch closing = new CountDownLatch(1);
    private Thread writer;
    private boolean isFailing;

    private MetricsFile(Path file, Path next, Duration interval) {
        this.file = file;
        this.next = next;
        this.interval = interval;
    }

    /** {@return a file that can be written, and is not written yet} */
    static MetricsFile open(Path file, String job) {
        return open(file, job, INTERVAL);
    }

    /** {@return a file that can be written at this interval, and is not written yet} */
    static MetricsFile open(Path file, String job, Duration interval) {
        var name = file.getFileName();
        if (name == null || Files.exists(file) && !Files.isRegularFile(file)) {
            throw new UsageException("--metrics " + file + " is no ordinary file; name another one");
        }
        var next = file.resolveSibling("." + name + "." + job + ".next"); // which node_exporter does not read
        try {
            Files.delete(Files.createFile(next));
        } catch (IOException e) {
            throw new UsageException("--metrics " + file + " cannot be written, because its directory "
                    + "takes no new files (" + FileReason.of(e) + "); make room or a directory there, or name another "
                    + "file");
        }
        return new MetricsFile(file, next, interval);
    }

    @Override
    public void start(Callable<Figures> figures, Consumer<String> say) {
        writer = Thread.ofPlatform().daemon().name("metrics").start(() -> {
            try {
                do {
                    write(figures, say);
                } while (!closing.await(interval.toNanos(), TimeUnit.NANOSECONDS));
                write(figures, say);
            } catch (InterruptedException _) {
                return; // nothing interrupts this thread
            }
        });
    }

    private void write(Callable<Figures> figures, Consumer<String> say) throws InterruptedException {
        try {
            byte[] text = MetricsText.of(figures.call());
            OutputFiles.replace(file, next, out -> out.write(text));
            isFailing = false;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) { // whatever it is, the job goes on
            if (!isFailing) {
                say.accept("--metrics " + file + " could not be written ("
                        + (e instanceof IOException failure ? FileReason.of(failure) : e.toString())
                        + "), and is tried again until the job ends; see whether its directory has room");
            }
            isFailing = true;
        }
    }

    @Override
    public void close() {
        closing.countDown();
        try {
            if (writer != null && !writer.join(LAST_WRITE_LIMIT)) {
                System.getLogger(MetricsFile.class.getName()).log(System.Logger.Level.DEBUG, "a slow disk");
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }
}
