/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.simulator;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.tutti.Collective;
import org.tutti.choice.Catalogue;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Drawings are well-formed, and show what the run did. */
class DrawingTest {
    private static Prediction reduce() {
        return Prediction.of(Collective.REDUCE, Catalogue.find(Collective.REDUCE, "srm"), Sweep.even(3, 4), 800, 0,
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
    void shouldDrawACurveForEachAlgorithm() throws Exception {
        Document document = parse(Chart.svg("a < b", List.of("one", "two"), List.of(8L, 64L),
                new double[][]{{1, 2}, {30, 4}}));
        NodeList curves = document.getElementsByTagName("polyline");
        assertThat(curves.getLength()).isEqualTo(2);
        // 1 to 100 µs over 400 points from 440 up: 1 is at the bottom, 30 three quarters up
        assertThat(((Element) curves.item(0)).getAttribute("points").strip()).isEqualTo("80.0,440.0 720.0,144.6");
    }
}
