/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab.compare;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.tutti.lab.simulate.ChartCommand;
import org.tutti.tool.UsageException;
import org.xml.sax.InputSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Tables and charts of one-sided operations, against figures by hand. */
class OneSidedFiguresTest {
    private static final String HEADER = "contender,operation,layout,ranks,bytes,microseconds,low,high\n";

    @TempDir
    private Path directory;

    private OneSidedFigures figures(String lines) throws Exception {
        return new OneSidedFigures(Files.writeString(directory.resolve("onesided.csv"), HEADER + lines));
    }

    private OneSidedFigures known() throws Exception {
        return figures("""
                tutti,get,1x2,2,8,0.0200,0.0100,0.0300
                openmpi yield,get,1x2,2,8,0.6000,0.5000,0.7000
                openmpi spin,get,1x2,2,8,0.0400,0.0300,0.0500
                raw,get,1x2,2,8,0.0100,0.0100,0.0100
                tutti,get,1x2,2,1024,0.1000,0.1000,0.1000
                openmpi spin,get,1x2,2,1024,0.0500,0.0500,0.0500
                tutti,put-computing,2x1,2,8,87.6000,80.0000,90.0000
                mpich,put-computing,2x1,2,8,300100.0,300000.0,300200.0
                tutti,fence-each,4x1,4,8,90.0000,80.0000,100.0000
                tutti,fence-all,4x1,4,8,30.0000,20.0000,40.0000
                tutti,fence-each-everyone,4x1,4,8,80.0000,80.0000,80.0000
                tutti,fence-all-everyone,4x1,4,8,40.0000,40.0000,40.0000
                tutti,fence-each,8x1,8,8,90.0000,90.0000,90.0000
                """);
    }

    @Test
    void shouldPutTheLatenciesBesideEachOther() throws Exception {
        assertThat(known().markdown().lines().limit(6)).containsExactly(
                "| µs | 1x2: tutti | 1x2: openmpi | 1x2: raw | 2x1: tutti | 2x1: mpich |",
                "| --- | ---: | ---: | ---: | ---: | ---: |",
                "| get | 0.020 | 0.040 | 0.010 | – | – |",
                "| lock | – | – | – | – | – |",
                "| unlock | – | – | – | – | – |",
                "| fetch-add | – | – | – | – | – |");
    }

    @Test
    void shouldPutAllFiguresOfALayoutIntoATable() throws Exception {
        assertThat(known().markdown().lines()).containsSubsequence(
                "1x2, µs", "",
                "| operation | bytes | tutti | openmpi | raw | tutti ÷ |",
                "| --- | ---: | ---: | ---: | ---: | ---: |",
                "| get | 8 | 0.020 | 0.040 | 0.010 | 0.50 |",
                "| get | 1024 | 0.100 | 0.050 | – | **2.00** |",
                "| geometric mean |  |  |  |  | 1.00 |", "",
                "2x1, µs", "",
                "| operation | bytes | tutti | mpich | tutti ÷ |",
                "| --- | ---: | ---: | ---: | ---: |",
                "| put-computing | 8 | 87.6 | 300,100 | 0.00 |");
    }

    @Test
    void shouldDrawProtocolsApart() throws Exception {
        var chart = figures("""
                tutti,get,2x1,2,1024,30.0,30.0,30.0
                tutti,get,2x1,2,65536,60.0,60.0,60.0
                tutti streaming,get,2x1,2,65536,90.0,90.0,90.0
                mpich,get,2x1,2,65536,90.0,90.0,90.0
                """).chart();
        assertThat(chart).contains("2x1 get, MB/s over bytes", "2x1 get by protocol, MB/s over bytes")
                .containsOnlyOnce("— tutti streaming").containsOnlyOnce("— mpich");
    }

    @Test
    void shouldDrawRatesOverBytesAndWhatOneFenceForAllGains() throws Exception {
        var drawing = DocumentBuilderFactory.newInstance().newDocumentBuilder()
                .parse(new InputSource(new StringReader(known().chart())));
        // get of three contenders; fences by one caller and by all
        assertThat(drawing.getElementsByTagName("polyline").getLength()).isEqualTo(3 + 2);
        assertThat(drawing.getElementsByTagName("circle").getLength()).isEqualTo(2 + 2 + 1 + 1 + 1);
        assertThat(drawing.getDocumentElement().getTextContent()).contains("1x2 get, MB/s over bytes",
                "tutti, one rank calls", "tutti, all call").doesNotContain("put-computing");
    }

    @ParameterizedTest
    @ValueSource(strings = {"tutti,reduce,1x2,2,8,1,1,1", "tutti,put,1x2,2,8,fast,1,1", "nothing"})
    void shouldRefuseWhatIsNoFigureOfAOneSidedOperation(String line) {
        assertThatThrownBy(() -> figures("tutti,put,1x2,2,8,1,1,1\n" + line)).isInstanceOf(UsageException.class)
                .hasMessageContaining("line 3: \"" + line + "\" is no figure of a one-sided operation");
    }

    @Test
    void shouldBeDrawnByTuttiChart() throws Exception {
        known();
        assertThat(new CommandLine(new ChartCommand()).execute(directory.resolve("onesided.csv").toString())).isZero();
        assertThat(directory.resolve("onesided.svg")).content().isEqualTo(known().chart());
    }

    @Test
    void shouldKnowItsFiles() throws Exception {
        known();
        assertThat(OneSidedFigures.areIn(directory.resolve("onesided.csv"))).isTrue();
        assertThat(OneSidedFigures.areIn(Files.writeString(directory.resolve("other.csv"), "against,operation\n")))
                .isFalse();
        assertThat(OneSidedFigures.areIn(directory.resolve("missing.csv"))).isFalse();
    }
}
