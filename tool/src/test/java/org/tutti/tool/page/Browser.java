/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.ScriptTimeoutException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

/**
 * A Chromium without a window, in which tests open pages. It resolves no host name, and it is as wide as a page unless
 * a test says otherwise.
 */
public final class Browser implements AutoCloseable {
    private static final Logger SELENIUM = Logger.getLogger("org.openqa.selenium");
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int WIDTH = 1140;
    private static final int HEIGHT = 900;

    /** The script of a function pixels(canvas). It reads a copy, because the browser warns of canvases read often. */
    static final String PIXELS = """
            const pixels = canvas => {
              const copy = document.createElement("canvas");
              copy.width = canvas.width;
              copy.height = canvas.height;
              const context = copy.getContext("2d", {willReadFrequently: true});
              context.drawImage(canvas, 0, 0);
              return new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
            };
            """;

    private final ChromeDriver driver;

    /** For files of the browser, which leaves some when it ends. */
    private final Path directory;

    private Browser(ChromeDriver driver, Path directory) {
        this.driver = driver;
        this.directory = directory;
    }

    /** Starts a browser. If it is not installed, the test fails in continuous integration, and is skipped elsewhere. */
    public static Browser start() throws IOException {
        requireInstalled(CHROMIUM, DRIVER, System.getenv("CI") != null);
        SELENIUM.setLevel(Level.SEVERE); // it warns, because it lacks types for the newest protocol
        var options = new ChromeOptions();
        options.setBinary(CHROMIUM.toFile());
        options.addArguments("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu",
                "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1", "--force-device-scale-factor=1");
        var logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        logs.enable(LogType.PERFORMANCE, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        var directory = Files.createTempDirectory("tutti-browser");
        var service = new ChromeDriverService.Builder().usingDriverExecutable(DRIVER.toFile()).usingAnyFreePort()
                .withLogFile(new File("/dev/null")).withEnvironment(Map.of("TMPDIR", directory.toString())).build();
        var browser = new Browser(new ChromeDriver(service, options), directory);
        browser.driver.manage().timeouts().scriptTimeout(PATIENCE);
        browser.setScheme("light");
        browser.setWidth(WIDTH);
        return browser;
    }

    /** Ends the test if a program of the browser is not installed: it fails if that is an error, else it is skipped. */
    static void requireInstalled(Path chromium, Path driver, boolean isError) {
        if (Files.isExecutable(chromium) && Files.isExecutable(driver)) {
            return;
        }
        String sentence = "skipped: " + chromium + " or " + driver
                + " is not installed; apt-get install chromium chromium-driver";
        if (isError) {
            fail(sentence);
        }
        abort(sentence);
    }

    /** Opens a page, and waits until its scripts have run. */
    public void open(Path page) {
        log(LogType.BROWSER);
        log(LogType.PERFORMANCE);
        driver.get(page.toUri().toString());
        try {
            await("return document.documentElement.dataset.ready !== undefined");
        } catch (ScriptTimeoutException e) {
            throw new AssertionError("the scripts of the page have not run: " + log(LogType.BROWSER), e);
        }
    }

    /** Waits until a script returns true. */
    public void await(String script) {
        driver.executeAsyncScript("const done = arguments[0]; const holds = () => {" + script + "};"
                + "(function look() { holds() ? done() : setTimeout(look, 20); })();");
    }

    /** Waits until the browser has drawn all changes so far. */
    public void awaitFrame() {
        driver.executeAsyncScript("requestAnimationFrame(() => requestAnimationFrame(arguments[0]))");
    }

    /** Moves the pointer to the middle of the first element that a selector finds. */
    public void pointAt(String selector) {
        new Actions(driver).moveToElement(all(selector).getFirst()).perform();
        awaitFrame();
    }

    /** {@return the result of a script; arguments are its {@code arguments}} */
    public Object run(String script, Object... arguments) {
        return driver.executeScript(script, arguments);
    }

    /** Sets the colour scheme that the system prefers: light or dark. */
    public void setScheme(String scheme) {
        driver.executeCdpCommand("Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    /** Sets the width of the page in pixels. */
    public void setWidth(int width) {
        driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", HEIGHT, "deviceScaleFactor", 1, "mobile", false));
    }

    /** {@return the elements that a selector finds} */
    public List<WebElement> all(String selector) {
        return driver.findElements(By.cssSelector(selector));
    }

    /** {@return the texts of the elements that a selector finds} */
    public List<String> texts(String selector) {
        return all(selector).stream().map(WebElement::getText).toList();
    }

    /** {@return how many pixels of each chart differ from its first pixel} */
    public List<Long> drawnPixels() {
        @SuppressWarnings("unchecked")
        var counts = (List<Long>) run(PIXELS + """
                return Array.from(document.querySelectorAll("figure canvas"), canvas => {
                  const all = pixels(canvas);
                  return all.filter(pixel => pixel !== all[0]).length;
                });""");
        return counts;
    }

    /** Asserts that the page has written nothing to the console, and that the browser has requested only the page. */
    public void assertQuiet(Path page) {
        assertThat(log(LogType.BROWSER)).as("the console").isEmpty();
        assertThat(log(LogType.PERFORMANCE).stream().filter(line -> line.contains("\"Network.requestWillBeSent\"")))
                .as("requests").hasSize(1).first().asString().contains(page.toUri().toString());
    }

    /** {@return the lines of a log since the last call} */
    public List<String> log(String type) {
        return driver.manage().logs().get(type).getAll().stream().map(entry -> entry.getMessage()).toList();
    }

    /** Writes a picture of the whole page into the directory of build products, for people. */
    public void keepPicture(String name) throws Exception {
        var directory = Files.createDirectories(Path.of("target", "pages"));
        long height = ((Number) run("return document.documentElement.scrollHeight")).longValue();
        long width = ((Number) run("return innerWidth")).longValue();
        var taken = driver.executeCdpCommand("Page.captureScreenshot", Map.of("captureBeyondViewport", true, "clip",
                Map.of("x", 0, "y", 0, "width", width, "height", height, "scale", 1)));
        Files.write(directory.resolve(name + ".png"),
                OutputType.BYTES.convertFromBase64Png((String) taken.get("data")));
    }

    @Override
    public void close() throws IOException {
        driver.quit();
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
