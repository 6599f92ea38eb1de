/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.tutti.Collective;
import org.tutti.choice.Catalogue;
import org.tutti.simulator.Chart.Line;
import org.tutti.simulator.Chart.Point;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Drawings are well-formed, and show what the run did. */
class DrawingTest {
    private static Prediction reduce() {
        return Prediction.of(Catalogue.find(Collective.REDUCE, "srm"), Sweep.even(3, 4), 800, 0,
                Model.forDrawing(800));
    }

    private static Document parse(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    private static List<Element> elements(Document document, String name, String attribute, String value) {
        List<Element> found = new ArrayList<>();
        NodeList all = document.getElementsByTagName(name);
        for (int i = 0; i < all.getLength(); i++) {
            if (((Element) all.item(i)).getAttribute(attribute).equals(value)) {
                found.add((Element) all.item(i));
            }
        }
        return found;
    }

    @Test
    void shouldDrawEveryCopyCombinationAndPut() throws Exception {
        Document document = parse(new Drawing(reduce()).svg());
        // a node of four: two leaves copy, three combinations; then two nodes put to the first, which combines twice;
        // the legend shows each colour once
        assertThat(elements(document, "rect", "fill", "#4c78a8")).hasSize(3 * 2 + 1);
        assertThat(elements(document, "rect", "fill", "#e45756")).hasSize(3 * 3 + 2 + 1);
        assertThat(elements(document, "line", "marker-end", "url(#head)")).hasSize(2);
        assertThat(elements(document, "rect", "stroke", "black")).isNotEmpty();
        assertThat(document.getDocumentElement().getTextContent()).contains("node 0", "node 2", "reduce srm", "µs");
    }

    @Test
    void shouldDrawInTheTerminal() {
        List<String> lines = new Drawing(reduce()).text().lines().toList();
        List<String> rows = lines.stream().filter(line -> line.endsWith("|")).toList();
        assertThat(rows).hasSize(12);
        assertThat(rows.get(1)).startsWith("             1 |").contains("ccc!").doesNotContain("+");
        assertThat(rows.get(4)).startsWith("node 1").contains("+").contains(">");
        assertThat(lines).anyMatch(line -> line.matches(" {16} *\\^+.*"));
    }

    @Test
    void shouldDrawALineForEachRowOfFigures() throws Exception {
        Chart chart = new Chart();
        chart.add("a < b", List.of(new Line("one", false, List.of(new Point(8, 1), new Point(64, 30))),
                new Line("two", true, List.of(new Point(16, 4)))));
        chart.endRow();
        chart.add("c", List.of(new Line("three", false, List.of(new Point(0, 0.02), new Point(1000, 0.2)))));
        chart.add("d", List.of(new Line("none", false, List.of())));
        chart.endRow();
        Document document = parse(chart.svg());
        NodeList curves = document.getElementsByTagName("polyline");
        assertThat(curves.getLength()).isEqualTo(3);
        // 1 to 100 over 200 points from 230 up: 1 is at the bottom, 30 at 0.739 of it; 8 to 64 over 300 from 60 on
        assertThat(points(curves, 0)).isEqualTo("60.0,230.0 360.0,82.3");
        assertThat(points(curves, 1)).isEqualTo("160.0,169.8");
        // 0.01 to 1 in the second row, 260 points below; 0 lies where 1 does
        assertThat(points(curves, 2)).isEqualTo("60.0,459.9 360.0,359.9");
        assertThat(elements(document, "polyline", "stroke-dasharray", "5 3")).hasSize(1);
        assertThat(elements(document, "polyline", "stroke", "#4c78a8")).as("dashed ones keep the colour").hasSize(3);
        assertThat(document.getElementsByTagName("circle").getLength()).isEqualTo(5);
        assertThat(document.getDocumentElement().getAttribute("width")).isEqualTo("1020");
        assertThat(document.getDocumentElement().getAttribute("height")).isEqualTo("520");
        assertThat(document.getDocumentElement().getTextContent()).contains("a < b", "two", "64", "100", "0.01");
    }

    private static String points(NodeList curves, int index) {
        return ((Element) curves.item(index)).getAttribute("points");
    }
}
