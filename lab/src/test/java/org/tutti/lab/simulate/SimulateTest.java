/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.simulator.Levels;
import org.tutti.simulator.Model;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.CommandProcess.Ended;
import org.tutti.tool.UsageException;
import org.tutti.tool.page.WrittenPage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

/** The commands {@code tutti simulate} and {@code tutti draw}: what they print, write and refuse. */
@Timeout(300)
class SimulateTest {
    @TempDir
    private Path directory;

    private Ended tutti(String... arguments) throws Exception {
        return CommandProcess.run(directory, Map.of(), arguments);
    }

    @Test
    void shouldPredictOneCall() throws Exception {
        Ended ended = tutti("simulate", "allreduce", "--algorithm", "srm", "--nodes", "16", "--ranks-per-node", "4");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("allreduce srm of 8 bytes", "64 ranks on 16 nodes, model gigabit")
                .containsPattern("messages between nodes +64\\n").containsPattern("bytes on the busiest rail +32\\n")
                .contains("shared memory of a node", "critical path", "puts 8 bytes, node");
    }

    /** Around a ring of 1,100 nodes more messages go than are simulated. */
    @Tag("thorough")
    @Test
    void shouldSayInATableWhatWasNotSimulated() throws Exception {
        Ended ended = tutti("simulate", "allreduce", "--algorithm", "ring,srm", "--nodes", "1100", "--bytes",
                "8");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("(?m)^ +8 +[0-9.]+\\* +[0-9.]+ +srm$")
                .containsPattern("(?m)^\\* by the algorithm's formula, as it takes too many steps or messages");
    }

    @Test
    void shouldPrintATableWithCrossoversAndDrawAChart() throws Exception {
        Ended ended = tutti("simulate", "allreduce", "--algorithm", "flat,index-range", "--ranks-per-node", "8",
                "--bytes", "8,64k", "--chart", "chart.svg");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("(?m)^ +8 +.* +flat$").containsPattern("(?m)^ +65536 +.* +index-range$")
                .contains("crossover: index-range instead of flat between 8 and 65536 bytes");
        assertThat(directory.resolve("chart.svg")).content().startsWith("<svg").contains("index-range");
    }

    /** The table has each time; the divisor is that of the algorithm that the table marks. */
    @Test
    void shouldWriteAPageWithRatiosToTheChosenAlgorithm() throws Exception {
        Ended ended =
                tutti("simulate", "allreduce", "--algorithm", "flat,ring,index-range,srm", "--nodes", "4", "--bytes",
                        "8,64k", "--html", "page.html");
        assertThat(ended.status()).as(ended.err()).isZero();
        var page = new WrittenPage(directory.resolve("page.html"));
        assertThat(page.titles()).containsExactly("allreduce over bytes", "allreduce, µs over bytes");
        assertThat(page.groups("allreduce over bytes")).containsExactly("8", "64k");
        for (int size = 0; size < 2; size++) {
            var bytes = size == 0 ? "8" : "65,536";
            var rows = page.rows().stream().filter(row -> row.getFirst().equals(bytes)).toList();
            assertThat(rows).hasSize(4);
            var chosen = rows.stream().filter(row -> row.get(4).equals("yes")).toList();
            assertThat(chosen).hasSize(1);
            for (var row : rows) {
                double ratio = micros(row) / micros(chosen.getFirst());
                assertThat(page.values("allreduce over bytes", row.get(1)).get(size)).isCloseTo(ratio, within(1e-3));
                assertThat(page.values("allreduce, µs over bytes", row.get(1)).get(size))
                        .isCloseTo(micros(row), within(1e-3));
            }
        }
        assertThat(directory.resolve("page.html")).content()
                .contains("divided by that of the algorithm that Tutti chooses", "model gigabit");
    }

    private static double micros(List<String> row) {
        return Double.parseDouble(row.get(2).replace(",", ""));
    }

    @Test
    void shouldReplayARun() throws Exception {
        Ended ended = tutti("simulate", "--replay", "reduce:srm:0.0.1.1.1:1:5");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("1 runs, 0 of them not right");
    }

    @Test
    void shouldReplayARunWithSeveralOperationsInFlight() throws Exception {
        Ended ended = tutti("simulate", "--replay", "in-flight:0.0.1:1:5");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).contains("1 runs, 0 of them not right");
    }

    @Tag("thorough")
    @Test
    void shouldVerifyAPieceOfTheWhole() throws Exception {
        Ended ended = tutti("simulate", "--verify", "--seeds", "1", "--part", "3/9000");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("^\\d\\d? runs, 0 of them not right");
    }

    @Test
    void shouldVerifyTheAlgorithmsThatAreNamed() throws Exception {
        Ended all = tutti("simulate", "barrier", "--verify", "--seeds", "1", "--part", "2/200");
        assertThat(all.status()).as(all.err()).isZero();
        Ended one = tutti("simulate", "barrier", "--algorithm", "tree", "--verify", "--seeds", "1", "--part", "2/200");
        assertThat(one.status()).as(one.err()).isZero();
        assertThat(runs(one)).isPositive().isLessThan(runs(all));
    }

    private static int runs(Ended verification) {
        return Integer
                .parseInt(verification.out().substring(0, verification.out().indexOf(" runs, 0 of them not right")));
    }

    @Test
    void shouldDraw() throws Exception {
        Ended ended = tutti("draw", "broadcast", "--algorithm", "srm", "--nodes", "2", "--ranks-per-node", "2");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(directory.resolve("broadcast-srm.svg")).content().startsWith("<svg").contains("node 1");
        assertThat(tutti("draw", "barrier", "--algorithm", "srm", "--text").out()).contains("node 0       0 |");
    }

    private static final String HEADER =
            "contender,operation,layout,ranks,bytes,microseconds,low,high,calls,rewriting\n";

    @Test
    void shouldPutPredictionsBesideMeasurements() throws Exception {
        // only crossing a rail costs, 4 µs, and a call 0.5; so a barrier of two nodes takes 4.5. Four ranks
        // have two cores, so each call takes two times 0.5
        Files.writeString(directory.resolve("own.model"), FreeModel.with("callMicros = 0.5", "railLatencyMicros = 4",
                "cores = 2", "nodesPerHost = 4"));
        Files.writeString(directory.resolve("figures.csv"), HEADER + """
                tutti,barrier,2 nodes,2,0,4.0000,3.0000,5.0000,7,0.0000
                tutti srm,barrier,2 nodes,2,0,9.5000,9.0000,10.0000,7,0.0000
                tutti srm,barrier,one node,2,0,0.2500,0.2000,0.3000,7,0.0000
                """ + HEADER + "tutti srm,barrier,one node,4,0,2.7500,2.5000,3.0000,7,0.0000\n");
        Ended ended = tutti("simulate", "--against", "figures.csv", "--model", "own.model");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).isEqualTo("""
                | operation | algorithm | layout | ranks | bytes | lowest measured, µs | predicted, µs | ratio |
                |---|---|---|---:|---:|---:|---:|---:|
                | barrier | srm | 2 nodes | 2 | 0 | 9.00 | 4.50 | 0.50 |
                | barrier | srm | one node | 2 | 0 | 0.20 | 0.50 | 2.50 |
                | barrier | srm | one node | 4 | 0 | 2.50 | 1.00 | 0.40 |

                With no more ranks than cores, 1 of 2 cells (50 %) are predicted within a factor of 2.
                With more ranks than cores, 0 of 1 cells (0 %) are predicted within a factor of 2.
                """);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"nothing | does not begin with",
            "HEADER | has no figures of named algorithms",
            "HEADER tutti,barrier,one node,2,0,1,1,1 | has no figures of named algorithms",
            "HEADER mpich,barrier,one node,2,0,1,1,1,7,0 | line 2: \"mpich\" is not \"tutti\" with the name",
            "HEADER tutti srm,barrier,one node,2,0,1 | line 2: there are 6 columns instead of 10",
            "HEADER tutti srm,gossip,one node,2,0,1,1,1,7,0 | line 2: there is no collective \"gossip\"",
            "HEADER tutti best,barrier,one node,2,0,1,1,1,7,0 | line 2: there is no algorithm \"best\" for barrier",
            "HEADER tutti srm,barrier,one process,2,0,1,1,1,7,0 | line 2: \"one process\" is not \"one node\"",
            "HEADER tutti srm,barrier,2 nodes,3,0,1,1,1,7,0 | line 2: 3 ranks on 2 nodes cannot be predicted",
            "HEADER tutti srm,barrier,0 nodes,2,0,1,1,1,7,0 | line 2: 2 ranks on 0 nodes cannot be predicted",
            "HEADER tutti srm,barrier,one node,1,0,1,1,1,7,0 | line 2: \"1\" is no number from 2 to",
            "HEADER tutti srm,barrier,one node,2,-8,1,1,1,7,0 | line 2: \"-8\" is no number from 0 to",
            "HEADER tutti srm,barrier,one node,2,0,0,1,1,7,0 | line 2: \"0\" is no time in microseconds",
            "HEADER tutti srm,barrier,one node,2,0,NaN,1,1,7,0 | line 2: \"NaN\" is no time in microseconds"})
    void shouldRefuseFiguresThatCannotBeRead(String text, String message) throws Exception {
        Path file = Files.writeString(directory.resolve("figures.csv"), text.replace("HEADER ", HEADER)
                .replace("HEADER", HEADER));
        assertThatThrownBy(() -> Measurements.read("--against", file)).isInstanceOf(UsageException.class)
                .hasMessageStartingWith("--against " + file).hasMessageContaining(message);
    }

    @Tag("thorough")
    @Test
    void shouldTuneAndWriteWhatWasMeasured() throws Exception {
        Ended ended = tutti("tune", "-n", "2", "--model", "gigabit", "--collective", "reduce", "--algorithm",
                "index-range", "--bytes", "64k", "--repeats", "1", "--csv", "sweep.csv");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out())
                .containsPattern("\\| reduce \\| index-range \\| 65536 \\| \\d+k \\| [\\d.]+ \\| [\\d.]+ ")
                .contains("The proposed chunks take ");
        // the choice and its name, the algorithm with its usual chunks, and chunks of 4, 8, 16, 32, 64, 128 and 256 KiB
        assertThat(directory.resolve("sweep.csv")).content().hasLineCount(1 + 3 + 7)
                .contains("\ntutti index-range@4k,reduce,", "\ntutti index-range@256k,reduce,");
    }

    @Tag("thorough")
    @Test
    void shouldWriteRulesThatARunTakes() throws Exception {
        Ended ended = tutti("tune", "-n", "2", "--collective", "barrier,reduce", "--algorithm", "tree,chain", "--bytes",
                "8,64k", "--repeats", "1", "--output", "rules");
        assertThat(ended.status()).as(ended.err()).isZero();
        String rules = Files.readString(directory.resolve("rules"));
        assertThat(rules).startsWith("# algorithms that take at least 5 % less time than Tutti's choices");
        assertThat(rules.lines().skip(1)).allMatch(
                line -> line.matches("1x2: (barrier=\\w+:0-|reduce=\\w+:(8-64k|64k-)) {4}# .* µs; .* µs"));
        assertThat(ended.out()).endsWith("\n" + rules);
        assertThat(tutti("info", "--choices", "--tuning", "rules").status()).isZero();
    }

    /** Between two nodes that is srm with chunks of 240 KiB. */
    @Tag("thorough")
    @Test
    void shouldTuneWhatIsChosenWithOtherChunksThanUsual() throws Exception {
        Ended ended = tutti("tune", "-n", "2", "--nodes", "2", "--model", "gigabit", "--collective", "reduce",
                "--bytes", "512k", "--repeats", "1", "--csv", "sweep.csv");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(ended.out()).containsPattern("\\| reduce \\| srm \\| 524288 \\| \\d+k \\| [\\d.]+ \\| [\\d.]+ ");
        assertThat(directory.resolve("sweep.csv")).content().contains("\ntutti srm,reduce,", "\ntutti srm@4k,reduce,")
                .doesNotContain("srm@240k@");
    }

    @Tag("thorough")
    @Test
    void shouldMeasureAModelThatCanBeReadBack() throws Exception {
        Ended ended = tutti("simulate", "--measure-model", "own.model");
        assertThat(ended.status()).as(ended.err()).isZero();
        Path file = directory.resolve("own.model");
        Model model = Model.of(file.toString());
        assertThat(Files.readString(file)).isEqualTo(ended.out());
        assertThat(model.cores()).isEqualTo(Runtime.getRuntime().availableProcessors());
        assertThat(model.levels()).isEqualTo(Levels.NONE);
        assertThat(model.isFlat()).isFalse();
        for (RecordComponent part : Model.class.getRecordComponents()) {
            if (part.getType().isPrimitive() && part.getType() != boolean.class) {
                assertThat(((Number) part.getAccessor().invoke(model)).doubleValue()).as(part.getName()).isPositive();
            }
        }
    }

    @Test
    void shouldNotMeasureWithoutTheCommandThatBindsThreads() throws Exception {
        Ended ended =
                CommandProcess.run(directory, Map.of("PATH", "/nowhere"), "simulate", "--measure-model", "own.model");
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err())
                .isEqualTo("tutti: --measure-model needs Linux and the command taskset, and there is none "
                        + "on PATH; install util-linux or leave --measure-model out\n");
        assertThat(directory.resolve("own.model")).doesNotExist();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {"simulate | no collective is named",
            "simulate gossip | there is no collective \"gossip\"",
            "simulate barrier --nodes 0 | --nodes 0 with --ranks-per-node 4 is not possible",
            "simulate barrier --ranks-per-node 2000000 | is not possible",
            "simulate barrier --model nothing | there is no model \"nothing\"; give a file, or one of gigabit",
            "simulate reduce --algorithm best | there is no algorithm \"best\" for reduce",
            "simulate reduce --bytes 7 | --bytes 7 is not possible", "simulate reduce --root 4 | --root 4 is no rank",
            "simulate reduce --nodes x | --nodes", "simulate --replay nonsense | is not of the form",
            "simulate --replay reduce:srm:0.1:x:1 | something else where a number is expected",
            "simulate --replay reduce:srm:1.0:0:1 | nodes must be numbered",
            "simulate --replay in-flight:0.1:1 | is not of the form in-flight:node.of.each.rank/levels:part:seed",
            "simulate --replay in-flight:0.1:-1:1 | has part -1",
            "simulate --measure-model /nowhere/own.model | --measure-model /nowhere/own.model cannot be written",
            "simulate --against nothing.csv | --against nothing.csv cannot be read",
            "simulate --against nothing.csv --verify | mutually exclusive",
            "simulate --verify --algorithm srm | no collective is named",
            "simulate reduce --verify --algorithm best | there is no algorithm \"best\" for reduce",
            "simulate reduce --verify --nodes 2 | --nodes means nothing here",
            "simulate reduce --verify-sample 7 | a collective is for predictions and --verify",
            "simulate --replay reduce:srm:0.1:0:1 --seeds 5 | --seeds means nothing here",
            "simulate --verify --seeds 0 | --seeds 0 is not possible",
            "simulate --verify --part 0/3 | --part 0/3 is not possible",
            "simulate --verify --part 3 | --part 3 is not possible",
            "simulate barrier --algorithm srm,tree --chart no/chart.svg | no/chart.svg cannot be written",
            "simulate barrier --algorithm srm,tree --html no/page.html | no/page.html cannot be written",
            "simulate barrier --algorithm srm --html page.html | --html page.html has no meaning with one algorithm",
            "simulate barrier --verify --html page.html | --html means nothing here",
            "draw barrier --algorithm srm --output no/chart.svg | no/chart.svg cannot be written",
            "draw barrier --algorithm srm --output . | cannot be written; name a file",
            "draw reduce --algorithm srm --nodes 2 --ranks-per-node 500 | cannot be drawn",
            "draw reduce | one algorithm and one size can be drawn",
            "tune -n 2 --output no/rules | --output",
            "tune -n 2 --csv no/sweep.csv --model gigabit | --csv",
            "tune -n 1 --csv sweep.csv --model gigabit | one rank has nothing to tune",
            "tune -n 3 --nodes 2 --csv sweep.csv --model gigabit | give each node as many ranks",
            "tune -n 2 --collective reduce --algorithm bruck | --algorithm bruck is no algorithm of reduce; tutti info",
            "tune -n 2 --collective barrier | has no chunks; name others",
            "chart nothing.txt | does not end with .csv", "chart nothing.csv | cannot be read"})
    void shouldRefuseWhatIsImpossible(String arguments, String message) throws Exception {
        Ended ended = CommandProcess.runShared(arguments.split(" "));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).startsWith("tutti: ").contains(message);
    }
}
