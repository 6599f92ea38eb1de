/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;

import jdk.jfr.DataAmount;
import jdk.jfr.Timespan;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmc.common.item.IAccessorKey;
import org.openjdk.jmc.common.item.IItem;
import org.openjdk.jmc.common.item.IItemIterable;
import org.openjdk.jmc.common.item.IType;
import org.openjdk.jmc.common.unit.IQuantity;
import org.openjdk.jmc.common.unit.QuantityConversionException;
import org.openjdk.jmc.common.unit.UnitLookup;
import org.openjdk.jmc.flightrecorder.JfrAttributes;
import org.openjdk.jmc.flightrecorder.JfrLoaderToolkit;
import org.openjdk.jmc.flightrecorder.internal.FlightRecordingLoader;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

/** Reads the recording of a job with the parsers of JDK Mission Control and of the JDK, and compares the values. */
@Timeout(300)
class MissionControlTest {
    private static final String PROGRAM = """
            import module org.tutti;

            void main() {
                try (var job = Tutti.join()) {
                    int other = 1 - job.rank();
                    var world = job.world();
                    for (int call = 0; call < 20; call++) {
                        world.allreduce(new double[1 << call % 8], Reduction.SUM);
                        world.broadcast(new int[3], 1);
                    }
                    world.exchange(new int[5], other, new int[5], other, 17);
                    world.nonBlocking().allreduce(new long[4], Reduction.MAX).await();
                    var memory = world.allocate(DataType.LONG, 100);
                    memory.at(other).put(0, new long[100]);
                    memory.fenceAll();
                    memory.at(other).fetchAddLong(0, 1);
                    memory.close();
                }
            }
            """;
    private static final Logger PARSER = Logger.getLogger("org.openjdk.jmc.flightrecorder");
    private static final Set<String> OF_JFR = Set.of("startTime", "duration", "eventThread", "stackTrace");

    @TempDir
    private static Path directory;

    private static Path file;
    private static Map<String, List<RecordedEvent>> expected;

    @BeforeAll
    static void recordJob() throws Exception {
        PARSER.setLevel(Level.SEVERE); // it warns of fields of the JDK's threads that are newer than it
        var recordings = directory.resolve("recordings");
        List<String> words = new ArrayList<>(List.of("-n", "2", "--nodes", "2", "--record", recordings.toString()));
        words.addAll(LauncherProcess.compiled(directory, PROGRAM));
        try (var launcher = LauncherProcess.run(directory, words.toArray(String[]::new))) {
            assertThat(launcher.status()).as(launcher.err()).isZero();
        }
        file = recordings.resolve("rank-0.jfr");
        expected = RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getCategoryNames().equals(List.of("Tutti")))
                .collect(groupingBy(event -> event.getEventType().getName(), TreeMap::new,
                        toList()));
        assertThat(expected.keySet()).contains("tutti.Join", "tutti.Collective", "tutti.Send", "tutti.Receive",
                "tutti.OneSided", "tutti.Await", "tutti.Memory");
    }

    /** The event browser shows an event in the folder of its category. */
    @Test
    void shouldShowTheEventsInTheCategoryTutti() throws Exception {
        try (var stream = Files.newInputStream(file)) {
            var found = Arrays.stream(FlightRecordingLoader.loadStream(stream, false, false).getArrays())
                    .filter(array -> Arrays.equals(array.getTypeCategory(), new String[]{"Tutti"})
                            && array.getEvents().length > 0)
                    .map(array -> array.getType().getIdentifier()).distinct();
            assertThat(found).containsExactlyInAnyOrderElementsOf(expected.keySet());
        }
    }

    @Test
    void shouldReadTheSameValuesWithTheirUnitsAndLabels() throws Exception {
        Map<String, List<IItemIterable>> found = JfrLoaderToolkit.loadEvents(file.toFile()).stream()
                .collect(groupingBy(each -> each.getType().getIdentifier())); // chunks may each have a type
        for (var type : expected.entrySet()) {
            List<ValueDescriptor> fields = type.getValue().getFirst().getFields().stream()
                    .filter(field -> !OF_JFR.contains(field.getName())).toList();
            List<List<Object>> rows = new ArrayList<>();
            for (IItemIterable items : found.get(type.getKey())) {
                requireLabels(items.getType(), fields);
                for (IItem item : items) {
                    rows.add(row(items.getType(), item, fields));
                }
            }
            assertThat(rows).as(type.getKey()).containsExactlyInAnyOrderElementsOf(
                    type.getValue().stream().map(event -> row(event, fields)).toList());
        }
    }

    private static void requireLabels(IType<IItem> type, List<ValueDescriptor> fields) {
        for (var field : fields) {
            assertThat(type.getAccessorKeys().get(key(type, field.getName())).getName()).as(type + "." + field)
                    .isEqualTo(field.getLabel());
        }
    }

    private static IAccessorKey<?> key(IType<IItem> type, String field) {
        return type.getAccessorKeys().keySet().stream().filter(key -> key.getIdentifier().equals(field)).findFirst()
                .orElseThrow();
    }

    /** Returns the values as Mission Control reads them. */
    private static List<Object> row(IType<IItem> type, IItem item, List<ValueDescriptor> fields)
            throws QuantityConversionException {
        List<Object> row = new ArrayList<>();
        row.add(JfrAttributes.START_TIME.getAccessor(type).getMember(item).longValueIn(UnitLookup.EPOCH_NS));
        row.add(JfrAttributes.DURATION.getAccessor(type).getMember(item).longValueIn(UnitLookup.NANOSECOND));
        for (var field : fields) {
            Object value = type.getAccessor(key(type, field.getName())).getMember(item);
            row.add(value instanceof IQuantity quantity ? number(quantity, field) : value);
        }
        return row;
    }

    private static long number(IQuantity quantity, ValueDescriptor field) throws QuantityConversionException {
        if (field.getAnnotation(Timespan.class) != null) {
            return quantity.longValueIn(UnitLookup.NANOSECOND);
        }
        return quantity.longValueIn(field.getAnnotation(DataAmount.class) != null ? UnitLookup.BYTE
                : UnitLookup.NUMBER_UNITY);
    }

    /** Returns the values as the JDK reads them. */
    private static List<Object> row(RecordedEvent event, List<ValueDescriptor> fields) {
        List<Object> row = new ArrayList<>();
        row.add(ChronoUnit.NANOS.between(Instant.EPOCH, event.getStartTime()));
        row.add(event.getDuration().toNanos());
        for (var field : fields) {
            Object value = event.getValue(field.getName());
            row.add(value instanceof Number number ? (Object) number.longValue() : value);
        }
        return row;
    }
}
