/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.tutti.tool.page.Browser;

import static org.assertj.core.api.Assertions.assertThat;

/** The page of a report in a real browser: 8 ranks with 100,000 calls each. */
@Timeout(300)
class ReportInBrowserTest {
    private static final int RANKS = 8;
    private static final int OPERATIONS = 99_000;
    private static final int MESSAGES = 8_000;
    private static final int PERIOD = 60; // microseconds
    private static final double OPEN_MILLIS_MAX = 6_000; // on slow cores, beside another test
    private static final double DRAW_MILLIS_MAX = 1_000;
    private static final String READY = "return document.querySelector('.plot').dataset.ready !== undefined";

    @TempDir
    private static Path directory;

    private static Browser browser;
    private static Path file;

    @BeforeAll
    static void openPage() throws IOException {
        browser = Browser.start();
        file = directory.resolve("report.html");
        ReportPage.write(Analysis.of(job()), file);
    }

    @AfterAll
    static void closeBrowser() throws IOException {
        if (browser != null) {
            browser.close();
        }
    }

    /** Calls of a collective; rank 3 is late to each, and rank 5 sends messages to the others in between. */
    private static JobRecording job() {
        var random = new Random(7);
        var job = new RecordedJob("host-a", "host-a", "host-a", "host-a", "host-b", "host-b", "host-b", "host-b");
        var names = new String[]{"allreduce", "allreduce", "barrier", "allgather", "broadcast"};
        for (int call = 0; call < OPERATIONS; call++) {
            long start = (long) PERIOD * call;
            long last = start + 12 + random.nextInt(20);
            var name = names[random.nextInt(names.length)];
            for (int rank = 0; rank < RANKS; rank++) {
                long begin = rank == 3 ? last : start + random.nextInt(10);
                job.collective(rank, name, "srm", name.equals("barrier") ? 0 : 8L << 2 * random.nextInt(6), call + 1,
                        begin, last + 4, last - begin);
            }
            if (call < MESSAGES) {
                int to = call % RANKS == 5 ? 0 : call % RANKS;
                job.message(Kind.SEND, 5, to, call, last + 5, last + 7, 100L * (call % 50))
                        .message(Kind.RECEIVE, to, 5, call, last + 6, last + 16, 100L * (call % 50));
            }
        }
        return job.recording();
    }

    private static void openReady() {
        browser.open(file);
        browser.await(READY);
    }

    private static double slowest(String measure) {
        return ((Number) browser.run("return Math.max(...performance.getEntriesByName('" + measure
                + "').map(each => each.duration))")).doubleValue();
    }

    private static void turnWheel(int times, double part) {
        for (int turn = 0; turn < times; turn++) {
            var drawn = browser.run("""
                    const canvas = document.querySelector('canvas.timeline');
                    const box = canvas.getBoundingClientRect();
                    canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: -100, cancelable: true,
                      clientX: box.left + box.width * arguments[0], clientY: box.top + 100}));
                    return document.querySelector('.plot').dataset.drawn;""", part);
            browser.await("return document.querySelector('.plot').dataset.drawn !== '" + drawn + "'");
        }
    }

    private static void point(double x, double y) {
        browser.run("""
                const canvas = document.querySelector('canvas.timeline');
                const box = canvas.getBoundingClientRect();
                canvas.dispatchEvent(new PointerEvent('pointermove', {clientX: box.left + box.width * arguments[0],
                  clientY: box.top + arguments[1]}));""", x, y);
    }

    @Test
    void shouldOpenAndZoomWithoutAStall() throws Exception {
        openReady();
        assertThat(slowest("timeline open")).isLessThan(OPEN_MILLIS_MAX);
        assertThat(browser.drawnPixels()).allMatch(count -> count > 1000);
        browser.keepPicture("report-light");
        turnWheel(40, 0.1);
        assertThat(slowest("timeline draw")).isLessThan(DRAW_MILLIS_MAX);
        browser.keepPicture("report-zoomed");
        browser.assertQuiet(file);
    }

    @Test
    void shouldNameTheCallUnderThePointer() {
        openReady();
        turnWheel(46, 0.5);
        boolean found = false;
        for (double x = 0.3; x < 0.7 && !found; x += 0.01) {
            point(x, 40);
            var tip = String.join(" ", browser.texts(".plot .tip:not([hidden])"));
            found = tip.matches("(?s)(allreduce|barrier|allgather|broadcast), srm.*rank\\s+0.*duration.*µs.*");
        }
        assertThat(found).isTrue();
    }

    @Test
    void shouldHideCallsFromTheLegend() {
        openReady();
        long before = browser.drawnPixels().getFirst();
        browser.all(".legend button").forEach(button -> button.click());
        assertThat(browser.texts(".legend button")).startsWith("waiting").contains("allreduce", "send", "receive");
        assertThat(browser.drawnPixels().getFirst()).isLessThan(before / 2);
    }

    @Test
    void shouldSortRanksByTheTimeForWhichOthersWaited() throws Exception {
        openReady();
        var head = browser.all("th button").stream().filter(each -> each.getText().equals("others waited")).findFirst()
                .orElseThrow();
        head.click();
        head.click();
        assertThat(browser.texts("table:first-of-type tbody tr:first-child td:first-child").getFirst()).isEqualTo("3");
    }

    @Test
    void shouldBeReadableInTheDark() throws Exception {
        browser.setScheme("dark");
        openReady();
        assertThat(browser.drawnPixels()).allMatch(count -> count > 1000);
        browser.keepPicture("report-dark");
        browser.setScheme("light");
    }
}
