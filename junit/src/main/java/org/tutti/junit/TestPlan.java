/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.junit;

import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The parameters of a test for the processes of its ranks. JUnit's process writes them to a file in the directory of
 * the test, and the processes read them from there.
 *
 * @param ranks the number of ranks
 * @param test JUnit's unique identifier of the test
 * @param properties the system properties of JUnit's process
 */
record TestPlan(int ranks, String test, HashMap<String, String> properties) implements Serializable {
    private static final String FILE = "plan";

    /** {@return the plan of a test, with the system properties of this process} */
    static TestPlan of(int ranks, String test) {
        var properties = new HashMap<String, String>();
        for (String name : System.getProperties().stringPropertyNames()) {
            properties.put(name, System.getProperty(name));
        }
        return new TestPlan(ranks, test, properties);
    }

    void write(Path directory) throws IOException {
        try (var out = new ObjectOutputStream(Files.newOutputStream(directory.resolve(FILE)))) {
            out.writeObject(this);
        }
    }

    static TestPlan read(Path directory) throws IOException {
        try (var in = new ObjectInputStream(Files.newInputStream(directory.resolve(FILE)))) {
            return (TestPlan) in.readObject();
        } catch (ClassNotFoundException e) {
            throw new IOException(e);
        }
    }

    /**
     * Sets the system properties that this process lacks, for example those that a build tool has set in JUnit's
     * process.
     */
    void setProperties() {
        for (Map.Entry<String, String> property : properties.entrySet()) {
            System.getProperties().putIfAbsent(property.getKey(), property.getValue());
        }
    }
}
