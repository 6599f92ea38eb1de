/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.simulate;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.tutti.Collective;
import org.tutti.lab.simulate.PaperFigures.Contender;
import org.tutti.lab.simulate.PaperFigures.Layout;
import org.tutti.simulator.Model;
import org.tutti.tool.CommandProcess;
import org.tutti.tool.page.WrittenPage;

import static org.assertj.core.api.Assertions.assertThat;

/** The experiments of papers are predicted beside their baselines. */
@Timeout(120)
class PaperTest {
    /** Only crossing costs: a rail 4 µs, the memory of a host 1 µs; so a barrier of two hosts takes 4. */
    private static final Model MODEL =
            Model.parse("own", FreeModel.with("railLatencyMicros = 4", "railNanosPerByte = 1, 1",
                    "rails = 2", "cores = 4", "hostLatencyMicros = 1"));

    private static final Contender NODES = Contender.ofNodes("nodes", "srm");
    private static final Contender RANKS = Contender.ofRanks("ranks", "srm");

    private final PaperFigures figures = new PaperFigures(MODEL, () -> {
    });

    @Test
    void shouldPredictABaselineInWhichTheRanksOfAHostSendEachOtherMessages() {
        figures.overRanks(Collective.BARRIER, 0, List.of(Layout.of(2, 2), Layout.of(4, 2), Layout.of(8, 2)),
                List.of(NODES, RANKS));
        assertThat(figures.csv()).containsExactly("contender,operation,algorithm,rails,layout,ranks,bytes,microseconds",
                "nodes,barrier,srm,1,1x2,2,0,0.0", "nodes,barrier,srm,1,2x2,4,0,4.0", "nodes,barrier,srm,1,4x2,8,0,8.0",
                "ranks,barrier,srm@flat,1,1x2,2,0,1.0", "ranks,barrier,srm@flat,1,2x2,4,0,5.0",
                "ranks,barrier,srm@flat,1,4x2,8,0,9.0");
        assertThat(figures.chart()).contains("barrier, µs over ranks", "— nodes", "— ranks");
    }

    @Test
    void shouldUseAsManyRailsAsTheContender() {
        figures.overBytes(Collective.BROADCAST, new Layout(2, 1), List.of(2048L), List.of(NODES, NODES.over(2)));
        assertThat(figures.csv().stream().skip(1)).containsExactly("nodes,broadcast,srm,1,2x1,2,2048,6.0",
                "nodes,broadcast,srm,2,2x1,2,2048,5.0");
    }

    @Test
    void shouldDrawATimeInPercentOfAnother() {
        figures.percentOverBytes(Collective.BROADCAST, List.of(new Layout(2, 2)), List.of(8L), NODES, RANKS);
        assertThat(figures.csv().stream().skip(1)).containsExactly("nodes,broadcast,srm,1,2x2,4,8,4.0",
                "ranks,broadcast,srm@flat,1,2x2,4,8,5.0");
        assertThat(figures.chart()).contains("broadcast, nodes in % of ranks, over bytes", "— 4 ranks");
    }

    @Test
    void shouldWriteTheFiguresOfAPaper(@TempDir Path directory) throws Exception {
        var ended = CommandProcess.run(directory, Map.of(), "simulate", "--paper", "cheng", "--csv", "cheng.csv",
                "--chart", "cheng.svg", "--html", "cheng.html");
        assertThat(ended.status()).as(ended.err()).isZero();
        assertThat(Files.readAllLines(directory.resolve("cheng.csv"))).hasSize(1 + 4 * 8);
        assertThat(directory.resolve("cheng.svg")).content().contains("allreduce of 8 B, µs over ranks");
        var page = new WrittenPage(directory.resolve("cheng.html"));
        assertThat(page.titles()).contains("allreduce of 8 B, µs over ranks");
        assertThat(page.rows()).hasSize(4 * 8);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
            "simulate --paper chen --csv c.csv | there are no experiments of \"chen\"; name one of srm, cheng,",
            "simulate --paper cheng             | --paper cheng needs --csv",
            "simulate allreduce --csv c.csv     | --csv means nothing"})
    void shouldSayWhatIsWrong(String arguments, String sentence, @TempDir Path directory) throws Exception {
        var ended = CommandProcess.run(directory, Map.of(), arguments.split(" "));
        assertThat(ended.status()).isEqualTo(2);
        assertThat(ended.err()).startsWith("tutti: " + sentence);
    }
}
