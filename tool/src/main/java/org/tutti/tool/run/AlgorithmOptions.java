/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.tutti.choice.Choice;
import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.TuningFile;
import org.tutti.tool.UsageException;
import picocli.CommandLine.Option;

/** The options that request algorithms. Their variables count where the options are missing. */
public final class AlgorithmOptions {
    @Option(names = "--algorithm", paramLabel = "collective=name[:from-to]", split = ",",
            description = "Algorithms to use, such as reduce=srm, or allreduce=srm:0-64k,index-range:64k- for messages "
                    + "below 64 KiB and others, or qian-afsahi, that paper's choice; tutti info --algorithms and "
                    + "--choices list them.")
    private List<String> algorithms = new ArrayList<>();

    @Option(names = "--tuning", paramLabel = "file",
            description = "A file of algorithms to use, one rule a line as for --algorithm, which has precedence. "
                    + "4x2:allreduce=srm is for 4 nodes with 2 ranks each.")
    private String tuning = "";

    /**
     * Reads the file, and checks all rules.
     *
     * @return the requested algorithms, in the format of {@link Choice#parse}; empty if there are none
     */
    public String rules() {
        var named = RunCommand.given(JobEnvironment.ALGORITHM, "--algorithm", String.join(",", algorithms),
                Choice::parse);
        return Stream.of(ofFile(), named.orElse("")).filter(text -> !text.isEmpty()).collect(Collectors.joining(","));
    }

    private String ofFile() {
        boolean named = !tuning.isEmpty();
        String file = named ? tuning : System.getenv().getOrDefault(JobEnvironment.TUNING, "");
        try {
            return file.isEmpty() ? "" : TuningFile.read(file);
        } catch (IllegalArgumentException e) {
            throw new UsageException((named ? "--tuning " : JobEnvironment.TUNING + "=") + e.getMessage());
        }
    }
}
