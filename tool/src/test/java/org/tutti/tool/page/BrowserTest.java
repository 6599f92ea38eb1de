/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.page;

import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opentest4j.TestAbortedException;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The tests of pages on a machine without Chromium. */
class BrowserTest {
    private static final String SHELL = "/bin/sh"; // a program that is installed

    @ParameterizedTest
    @CsvSource({"/none/chromium," + SHELL, SHELL + ",/none/chromedriver", "/none/chromium,/none/chromedriver"})
    void shouldSkipTestsIfAProgramIsMissing(Path chromium, Path driver) {
        assertThatThrownBy(() -> Browser.requireInstalled(chromium, driver, false))
                .isInstanceOf(TestAbortedException.class).hasMessage("skipped: " + chromium + " or " + driver
                        + " is not installed; apt-get install chromium chromium-driver");
    }

    @ParameterizedTest
    @CsvSource({"/none/chromium," + SHELL, SHELL + ",/none/chromedriver", "/none/chromium,/none/chromedriver"})
    void shouldFailTestsOfContinuousIntegrationIfAProgramIsMissing(Path chromium, Path driver) {
        assertThatThrownBy(() -> Browser.requireInstalled(chromium, driver, true))
                .isInstanceOf(AssertionError.class).hasMessageContaining("apt-get install chromium chromium-driver");
    }

    @Test
    void shouldRunTestsIfBothAreThere() {
        assertThatCode(() -> Browser.requireInstalled(Path.of(SHELL), Path.of(SHELL), true))
                .doesNotThrowAnyException();
    }
}
