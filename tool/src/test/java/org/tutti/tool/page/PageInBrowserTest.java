/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.logging.LogType;
import org.tutti.tool.CommandProcess;

import static org.assertj.core.api.Assertions.assertThat;

/** A page with every kind of part, in a real browser. */
@Timeout(300)
class PageInBrowserTest {
    /** Ends a script, a comment, an attribute and an element, if it is not escaped. */
    private static final String HOSTILE =
            "</script><script>document.title='gone'</script><!--<script> \"'><img src=x onerror=\"document.title=1\">"
                    + "&amp;";

    private static final int CHARTS = 7;

    @TempDir
    private static Path directory;

    private static Browser browser;
    private static Path file;

    @BeforeAll
    static void openPage() throws Exception {
        browser = Browser.start();
        file = directory.resolve("page.html");
        page().write("--html", file);
    }

    @AfterAll
    static void closeBrowser() throws Exception {
        if (browser != null) {
            browser.close();
        }
    }

    private static Page page() {
        var page = new Page("Each part of a page " + HOSTILE);
        Origin.addTo(page, List.of("bench", "-n", "2", "--agent", "ssh " + HOSTILE));
        page.heading("Ratios").legend();
        page.figure(BarChart.ofRatios("Time ÷ that of the best MPI", List.of("barrier", "broadcast", "allreduce",
                "all-to-all", "reduce-scatter"),
                List.of(new Series("tutti", Arrays.asList(0.65, 1.1, 0.32, 0.9, 2.4)),
                        new Series("tutti virtual", Arrays.asList(1.23, null, 0.7, 1.0, 3.1)),
                        new Series(HOSTILE, Arrays.asList(1.0, 1.0, 1.9, 0.51, 1.2))),
                true));
        page.figure(BarChart.ofRatios("One series", List.of("8", "1k", "64k", "1m"),
                List.of(new Series("tutti", List.of(0.5, 0.8, 1.2, 1.9))), false));
        page.figure(new LineChart(HOSTILE, "bytes", Scale.LOGARITHMIC, List.of(8.0, 1024.0, 65536.0, 1048576.0), "µs",
                Scale.LOGARITHMIC, List.of(new Series("tutti", List.of(0.3, 0.9, 15.5, 254.7)),
                        new Series("openmpi", Arrays.asList(0.7, null, 16.0, 343.2)))));
        page.figure(new LineChart("Bytes in use", "s", Scale.LINEAR, IntStream.range(0, 200).mapToObj(i -> i / 10.0)
                .toList(), "bytes", Scale.LINEAR,
                List.of(new Series("node 0",
                        IntStream.range(0, 200).mapToObj(i -> 1e6 * (i + 30 * Math.sin(i / 9.0) + 40))
                                .toList()))));
        page.figure(new Histogram("Waiting", "ns", new double[]{0, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8}, Scale.LOGARITHMIC,
                new long[]{90_000, 30_000, 0, 1200, 14, 1}));
        page.figure(new Histogram("Waiting, linear", "ns", new double[]{0, 1e3, 1e4, 1e5, 1e6}, Scale.LINEAR,
                new long[]{400, 900, 350, 1200}));
        page.heading("Bytes between ranks");
        double[][] bytes = new double[16][16];
        for (int from = 0; from < bytes.length; from++) {
            for (int to = 0; to < bytes.length; to++) {
                bytes[from][to] = from == to ? 0 : Math.pow(2, 3 + (from * 7 + to * 3) % 24);
            }
        }
        page.figure(new Matrix("Sent", "bytes", "from rank", "to rank", IntStream.range(0, bytes.length)
                .mapToObj(String::valueOf).toList(), bytes, true));
        page.heading("All figures").paragraph("Text of a paragraph. " + HOSTILE);
        page.table(new Table("Figures", List.of("operation", "host", "bytes", "µs", "sent"))
                .row("allreduce", HOSTILE, 1024L, 12.25, new Table.Cell("2.0 KiB", 2048))
                .row("barrier", "b", 0L, 0.5, null)
                .row("broadcast", "a", 65536L, Double.NaN, new Table.Cell("1.5 MiB", 1572864))
                .row("scan", "c", 8L, 1234567.0, new Table.Cell("900 B", 900)));
        return page.data("numbers", "some bytes".getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> column(int number) {
        return browser.texts("tbody td:nth-child(" + number + ")");
    }

    private static void sortBy(int column) {
        browser.all("th button").get(column).click();
    }

    @BeforeEach
    void openPageAnew() {
        browser.setWidth(1140);
        browser.setScheme("light");
        browser.open(file);
    }

    @Test
    void shouldDrawEveryChartInBothSchemesAndWidths() throws Exception {
        for (var scheme : List.of("light", "dark")) {
            browser.setWidth(1140);
            browser.setScheme(scheme);
            browser.open(file);
            for (int width : List.of(1140, 600)) {
                browser.setWidth(width);
                browser.awaitFrame();
                assertThat(browser.drawnPixels()).hasSize(CHARTS).allMatch(count -> count > 1000);
                assertThat(browser.run("return document.documentElement.scrollWidth <= innerWidth"))
                        .as("no part is wider than %d pixels", width).isEqualTo(true);
                assertThat(browser.run("""
                        return Array.from(document.querySelectorAll("figure canvas"))
                          .every(canvas => canvas.clientWidth <= canvas.closest(".plot").clientWidth);"""))
                        .as("each chart is as wide as its place at %d pixels", width).isEqualTo(true);
                browser.keepPicture("parts-" + scheme + "-" + width);
            }
            browser.assertQuiet(file);
        }
    }

    @Test
    void shouldShowTextsOfUsersAsTexts() {
        assertThat(browser.run("return document.title")).isEqualTo("Each part of a page " + HOSTILE);
        assertThat(browser.texts("h1")).containsExactly("Each part of a page " + HOSTILE);
        assertThat(browser.texts("dd.command").getFirst()).startsWith("tutti bench -n 2 --agent 'ssh </script>");
        assertThat(browser.texts("figcaption")).contains(HOSTILE);
        assertThat(browser.texts(".legend button")).containsExactly("tutti", "tutti virtual", HOSTILE, "openmpi",
                "node 0");
        assertThat(column(2)).contains(HOSTILE);
        assertThat(browser.all("img")).isEmpty();
    }

    @Test
    void shouldSortATableByAClickOnAHead() {
        sortBy(2);
        assertThat(column(3)).containsExactly("0", "8", "1,024", "65,536");
        sortBy(2);
        assertThat(column(3)).containsExactly("65,536", "1,024", "8", "0");
        sortBy(3);
        assertThat(column(4)).containsExactly("0.500", "12.250", "1,234,567.000", "–");
        sortBy(3);
        assertThat(column(4)).containsExactly("1,234,567.000", "12.250", "0.500", "–");
        sortBy(4);
        assertThat(column(5)).containsExactly("900 B", "2.0 KiB", "1.5 MiB", "–");
        sortBy(0);
        assertThat(column(1)).containsExactly("allreduce", "barrier", "broadcast", "scan");
        assertThat(browser.all("th[aria-sort]")).hasSize(1).first()
                .satisfies(head -> assertThat(head.getAttribute("aria-sort")).isEqualTo("ascending"));
    }

    @Test
    void shouldBeDarkAsTheSystemPrefersOrTheSwitchSays() {
        var lights = colours();
        browser.setScheme("dark");
        browser.await("return document.getElementById('scheme').textContent === 'Light'");
        var darks = colours();
        assertThat(darks.getFirst()).isEqualTo("rgb(21, 24, 28)").isNotEqualTo(lights.getFirst());
        assertThat(darks.getLast()).as("the colour of a bar").isNotEqualTo(lights.getLast());
        browser.all("#scheme").getFirst().click();
        assertThat(colours()).isEqualTo(lights);
        browser.all("#scheme").getFirst().click();
        assertThat(colours()).isEqualTo(darks);
    }

    /** The background of the page, and the most frequent colour of the first chart except its background. */
    private static List<Object> colours() {
        return List.of(browser.run("return getComputedStyle(document.body).backgroundColor"),
                browser.run(Browser.PIXELS + """
                const counts = new Map();
                for (const pixel of pixels(document.querySelector("figure canvas"))) {
                  counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
                }
                return Array.from(counts).sort((one, other) => other[1] - one[1])[1][0];"""));
    }

    @Test
    void shouldHideASeriesInAllChartsByAClickInTheLegend() {
        var before = browser.drawnPixels();
        browser.all(".legend button").getFirst().click();
        browser.awaitFrame();
        var hidden = browser.drawnPixels();
        assertThat(hidden.subList(0, 3)).as("the charts with the series")
                .allSatisfy(count -> assertThat(count).isPositive()).isNotEqualTo(before.subList(0, 3));
        for (int chart = 0; chart < 3; chart++) {
            assertThat(hidden.get(chart)).isNotEqualTo(before.get(chart));
        }
        assertThat(hidden.subList(3, CHARTS)).isEqualTo(before.subList(3, CHARTS));
        browser.all(".legend button").getFirst().click();
        browser.awaitFrame();
        assertThat(browser.drawnPixels()).isEqualTo(before);
    }

    @Test
    void shouldTellTheFiguresUnderThePointer() {
        browser.pointAt("figure:nth-of-type(1) .u-over");
        assertThat(browser.texts(".tip:not([hidden])")).singleElement().asString().startsWith("allreduce")
                .contains("0.32 ×", "0.7 ×", "1.9 ×");
    }

    @Test
    void shouldShowABenchmark() throws Exception {
        var ended = CommandProcess.run(directory, Map.of(), "bench", "-n", "2", "--repeats", "1", "--collective",
                "barrier,allreduce", "--bytes", "8,1k", "--algorithm", "ring", "--html", "bench.html");
        assertThat(ended.status()).as(ended.err()).isZero();
        var bench = directory.resolve("bench.html");
        browser.open(bench);
        assertThat(browser.texts("dd.command")).containsExactly("tutti bench -n 2 --repeats 1 --collective "
                + "barrier,allreduce --bytes 8,1k --algorithm ring --html bench.html");
        assertThat(browser.texts("h2")).containsExactly("Ratios", "Times", "All figures");
        assertThat(browser.texts(".legend button")).containsExactly("tutti", "tutti ring");
        assertThat(browser.drawnPixels()).hasSize(3).allMatch(count -> count > 500);
        assertThat(browser.all("tbody tr")).hasSize(1 + 2 * 2);
        browser.keepPicture("bench");
        browser.assertQuiet(bench);
    }

    @Test
    void shouldGiveScriptsTheBytesOfAName() {
        browser.run("tutti.bytes('numbers').then(bytes => { window.got = new TextDecoder().decode(bytes); });");
        browser.await("return window.got === 'some bytes'");
    }

    /** A server on this host, so that a request that leaves the page would arrive. */
    @Test
    void shouldRequestNothingNotEvenForAForeignScript() throws Exception {
        var requests = new AtomicInteger();
        var server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            requests.incrementAndGet();
            exchange.sendResponseHeaders(204, -1);
            exchange.close();
        });
        server.start();
        try {
            var url = "http://127.0.0.1:" + server.getAddress().getPort() + "/";
            browser.run("""
                    const [url] = arguments;
                    fetch(url).catch(() => { window.refused = true; });
                    const image = new Image();
                    image.onerror = () => { window.refusedImage = true; };
                    image.src = url;
                    const script = document.createElement("script");
                    script.textContent = "window.ran = true";
                    document.body.append(script);""", url);
            browser.await("return window.refused === true && window.refusedImage === true");
            assertThat(browser.run("return window.ran === undefined")).isEqualTo(true);
            assertThat(requests).hasValue(0);
            assertThat(browser.log(LogType.BROWSER)).hasSizeGreaterThanOrEqualTo(3)
                    .allMatch(line -> line.contains("Content Security Policy"));
        } finally {
            server.stop(0);
        }
    }
}
