/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.recording;

import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

import org.tutti.tool.UsageException;

/**
 * The directory in which the processes of a job record. While a process runs, JFR writes chunks to {@code
 * rank-3.chunks}. When the process has ended, the chunks are gathered to {@code rank-3.jfr}. A process that is killed
 * leaves the chunks that it has flushed, so it needs no other treatment.
 *
 * @param directory an absolute path
 */
public record RecordingFiles(Path directory) {
    /** The end of the name of a recording. */
    public static final String SUFFIX = ".jfr";

    /** The largest recording of a process. JFR deletes the oldest chunks of a larger one. */
    public static final long BYTES_MAX = 4L << 30;

    private static final String CHUNKS_SUFFIX = ".chunks";
    private static final String NAME = "tutti-";
    private static final byte[] FINISHED = {0};
    private static final long ROOM_BYTES_MIN = 1 << 20;
    private static final String NOT_READ_BY_JFR = "[,\"'\\n]";

    /**
     * The events of the JDK that a recording has in addition to Tutti's: pauses of the garbage collector, which make a
     * rank late; the use of the machine, once a second; and the name of the recording, which names the job. Other
     * events, such as the parking of threads or samples of stacks, would outnumber Tutti's. Events with system
     * properties, variables of the environment or arguments of the JVM stay off, because these may hold secrets.
     */
    private static final List<String> SETTINGS = List.of("jdk.GCPhasePause#enabled=true", "jdk.CPULoad#enabled=true",
            "jdk.CPULoad#period=1s", "jdk.ActiveRecording#enabled=true", "tutti.OneSided#threshold=10us");

    /**
     * Makes the directory for a new job.
     *
     * @param directory the directory, which may exist
     * @return the files in it
     * @throws UsageException if the directory cannot be used, or has recordings
     */
    public static RecordingFiles create(Path directory) {
        Path absolute = directory.toAbsolutePath().normalize();
        if (absolute.toString().matches("(?s).*" + NOT_READ_BY_JFR + ".*")) {
            throw new UsageException("--record " + directory + " is not possible, because JFR cannot write to "
                    + absolute + ", whose name has a comma or a quotation mark; name another directory");
        }
        try {
            Files.createDirectories(absolute);
            try (Stream<Path> files = Files.list(absolute)) {
                files.filter(RecordingFiles::isOfRecordings).sorted().findFirst().ifPresent(file -> {
                    throw new UsageException("--record " + directory + " has recordings of another job, such as "
                            + file.getFileName() + "; delete them, or name another directory");
                });
            }
            Files.delete(Files.createTempFile(absolute, NAME, CHUNKS_SUFFIX)); // tries whether it can be written to
        } catch (FileAlreadyExistsException _) {
            throw new UsageException("--record " + directory + " is no directory; name another one");
        } catch (FileSystemException e) {
            throw new UsageException("--record " + directory + " cannot be used ("
                    + (e.getReason() == null ? "there is no " + e.getFile() : e.getReason())
                    + "); make room or a directory there, or name another one");
        } catch (IOException e) {
            throw new UsageException("--record " + directory + " cannot be used (" + e.getMessage()
                    + "); make room or a directory there, or name another one");
        }
        return new RecordingFiles(absolute);
    }

    private static boolean isOfRecordings(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(SUFFIX) || name.endsWith(CHUNKS_SUFFIX);
    }

    /** {@return the job that a name of a recording names, or an empty text if another program has chosen the name} */
    public static String job(String name) {
        return name.startsWith(NAME) ? name.substring(NAME.length()) : "";
    }

    /**
     * Returns the options that let a JVM record.
     *
     * @param job the name of the job
     * @param process the name of the process, such as "rank-3" or "ranks-4-7"
     * @return the options
     */
    public List<String> options(String job, String process) {
        return List.of("-XX:FlightRecorderOptions:repository=" + chunks(process) + ",preserve-repository=true",
                "-XX:StartFlightRecording:settings=none,name=" + NAME + job + ",maxsize=" + BYTES_MAX + ",+"
                        + String.join(",+", SETTINGS),
                "-Xlog:jfr+startup=off");
    }

    /** {@return whether the disk of the directory has room for more; JFR ends a JVM that cannot write its recording} */
    public boolean hasRoom() {
        try {
            return Files.getFileStore(directory).getUsableSpace() >= ROOM_BYTES_MIN;
        } catch (IOException _) {
            return true; // the system does not say how much room there is
        }
    }

    private Path chunks(String process) {
        return directory.resolve(process + CHUNKS_SUFFIX);
    }

    /** {@return the recording of a process, by the name of the process} */
    public Path recording(String process) {
        return directory.resolve(process + SUFFIX);
    }

    /**
     * Gathers the chunks of a process that has ended to its recording, and deletes them. The first chunk becomes the
     * recording, and the others are appended to it, so a recording of one chunk needs no room on the disk.
     *
     * @param process the name of the process
     * @throws IOException if there is no chunk, the chunks cannot be read, or the recording cannot be written
     */
    public void gather(String process) throws IOException {
        SortedMap<Chunk, Path> chunks = gatheredChunks(process);
        if (chunks.isEmpty()) {
            throw new IOException("the process has not recorded anything");
        }
        Chunk first = chunks.firstKey();
        Path path = chunks.remove(first);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            file.truncate(first.bytes());
            file.write(ByteBuffer.wrap(FINISHED), Chunk.STATE);
        }
        Path recording = recording(process);
        Files.move(path, recording);
        try (OutputStream out = Files.newOutputStream(recording, StandardOpenOption.APPEND)) {
            gather(chunks, out);
        }
        deleteEmpty(process);
    }

    /**
     * Writes the chunks of a process that has ended to a stream, and deletes each chunk that is written.
     *
     * @param process the name of the process
     * @param out takes the recording, nothing if the process has not recorded anything
     * @throws IOException if the chunks cannot be read or written
     */
    public void gather(String process, OutputStream out) throws IOException {
        gather(gatheredChunks(process), out);
        deleteEmpty(process);
    }

    private static void gather(Map<Chunk, Path> chunks, OutputStream out) throws IOException {
        for (Map.Entry<Chunk, Path> each : chunks.entrySet()) {
            write(each.getKey(), each.getValue(), out);
            Files.delete(each.getValue());
        }
    }

    /** {@return the files of a process with the chunks in them, in the order in which they were recorded} */
    private SortedMap<Chunk, Path> gatheredChunks(String process) throws IOException {
        SortedMap<Chunk, Path> found =
                new TreeMap<>(Comparator.comparingLong(Chunk::startNanos).thenComparingLong(Chunk::bytes));
        for (Path path : below(chunks(process))) {
            if (path.toString().endsWith(SUFFIX)) {
                try (FileChannel file = FileChannel.open(path)) {
                    Chunk chunk = Chunk.read(file, 0);
                    if (chunk.bytes() > Chunk.HEADER_BYTES && chunk.end() <= file.size()) {
                        found.put(chunk, path);
                    }
                } catch (EOFException _) {
                    continue; // the JVM has not written anything to it
                }
            }
        }
        return found;
    }

    private static List<Path> below(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> paths = Files.walk(directory)) {
            return paths.toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /** Writes a chunk as a finished one, and leaves out bytes that its header does not count yet. */
    private static void write(Chunk chunk, Path path, OutputStream out) throws IOException {
        try (FileChannel file = FileChannel.open(path)) {
            WritableByteChannel target = Channels.newChannel(out);
            copy(file, 0, Chunk.STATE, target);
            out.write(FINISHED);
            copy(file, Chunk.STATE + 1L, chunk.end(), target);
        }
    }

    private static void copy(FileChannel file, long from, long to, WritableByteChannel target) throws IOException {
        for (long at = from; at < to;) {
            long copied = file.transferTo(at, to - at, target);
            if (copied <= 0) {
                throw new EOFException(file + " is shorter than its header says");
            }
            at += copied;
        }
    }

    private void deleteEmpty(String process) throws IOException {
        List<Path> paths = new ArrayList<>(below(chunks(process)));
        for (Path path : paths.reversed()) { // a directory comes before its files
            Files.delete(path);
        }
    }

    /**
     * Checks that a file is a whole recording. JFR's own reader waits for ever for the end of a chunk that is not
     * finished.
     *
     * @param path the file
     * @throws IOException if the file is not a whole recording; the message is a clause that says why
     */
    public static void requireWhole(Path path) throws IOException {
        try (FileChannel file = FileChannel.open(path)) {
            long size = file.size();
            if (size == 0) {
                throw new IOException("it is empty");
            }
            for (long start = 0; start < size;) {
                Chunk chunk = chunk(file, start);
                if (!chunk.finished()) {
                    throw new IOException("its recording goes on");
                }
                if (chunk.bytes() < Chunk.HEADER_BYTES || chunk.end() > size) {
                    throw new IOException("it ends before its data does");
                }
                start = chunk.end();
            }
        }
    }

    private static Chunk chunk(FileChannel file, long start) throws IOException {
        try {
            return Chunk.read(file, start);
        } catch (EOFException e) {
            throw new IOException("it ends before its data does", e);
        } catch (IOException e) {
            throw new IOException(start == 0 ? "it is no recording of JFR" : "it is damaged at byte " + start, e);
        }
    }
}
