/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.junit;

import java.lang.reflect.Method;

import org.junit.platform.commons.support.HierarchyTraversalMode;
import org.junit.platform.commons.support.ReflectionSupport;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineExecutionResults;
import org.junit.platform.testkit.engine.EngineTestKit;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

/** Runs tests inside a test. */
final class TestRuns {
    private TestRuns() {}

    /** {@return what becomes of a test, by the name of its method} */
    static TestExecutionResult of(Class<?> type, String name) {
        Method method = ReflectionSupport.findMethods(type, each -> each.getName().equals(name),
                HierarchyTraversalMode.TOP_DOWN).getFirst();
        EngineExecutionResults results = EngineTestKit.engine("junit-jupiter").selectors(selectMethod(type, method))
                .execute();
        return results.allEvents().finished().stream().findFirst().orElseThrow()
                .getRequiredPayload(TestExecutionResult.class);
    }
}
