/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.tutti.job.launch.JobEnvironment;
import org.tutti.job.launch.NodeShape;
import org.tutti.job.node.Secret;
import org.tutti.tool.UsageException;

/**
 * The description of a job that the launcher sends to another host, including the secret.
 *
 * @param plan the host's node
 * @param program the program of its ranks; frames with its compiled classes follow if {@code compiled} is set
 * @param compiled whether compiled classes follow
 * @param recorded whether the job is recorded; the host chooses a directory of its own
 * @param host the launcher's name for the host
 * @param secret the job's secret
 */
record JobDescription(NodePlan plan, Program program, boolean compiled, boolean recorded, String host, Secret secret) {
    private static final int ITEMS_MAX = 1 << 16;

    /** {@return the frame that carries this description} */
    byte[] frame() {
        var shape = plan.shape();
        var share = plan.share();
        var frame = new SessionFrame.Builder(FrameKind.JOB)
                .text(shape.job()).number(shape.size()).number(shape.node()).number(shape.nodes())
                .number(shape.nodeRanks())
                .number(plan.firstRank()).number(plan.ranksPerProcess())
                .number(share.nodes()).number(share.processes()).number(share.firstProcess())
                .number(plan.bind() ? 1 : 0)
                .text(plan.directory().toString()).text(plan.memory().toString())
                .longNumber(plan.joinTimeout().toMillis()).longNumber(plan.heartbeat().toMillis())
                .text(plan.rails()).text(plan.ports());
        frame.number(plan.environment().size());
        plan.environment().forEach((name, value) -> frame.text(name).text(value));
        texts(frame, plan.jvmOptions());
        frame.text(program.mainClass()).text(program.classPath());
        texts(frame, program.arguments());
        frame.number(compiled ? 1 : 0).number(recorded ? 1 : 0).text(host).piece(secret.bytes(), 0, Secret.BYTES);
        try {
            return frame.bytes();
        } catch (IllegalStateException e) {
            throw new UsageException("the arguments of the program, its environment and the options of its JVMs are "
                    + "too long together for --hosts; put them into a file");
        }
    }

    private static void texts(SessionFrame.Builder frame, List<String> texts) {
        frame.number(texts.size());
        texts.forEach(frame::text);
    }

    /** {@return the description in a frame} */
    static JobDescription of(SessionFrame frame) throws IOException {
        var shape = new NodeShape(text(frame), frame.numberBelow(JobEnvironment.SIZE_MAX + 1), frame.number(),
                frame.number(), frame.number());
        int firstRank = frame.numberBelow(shape.size());
        int ranksPerProcess = Math.max(1, frame.numberBelow(JobEnvironment.SIZE_MAX + 1));
        var share = new MachineShare(atLeastOne(frame), atLeastOne(frame), frame.numberBelow(ITEMS_MAX));
        boolean bind = frame.number() == 1;
        var directory = Path.of(text(frame));
        var memory = Path.of(text(frame));
        var joinTimeout = Duration.ofMillis(frame.longNumber());
        var heartbeat = Duration.ofMillis(frame.longNumber());
        var rails = text(frame);
        var ports = text(frame);
        var plan = new NodePlan(shape, firstRank, ranksPerProcess, share, bind, directory, memory, joinTimeout,
                heartbeat, rails, ports, Optional.empty(), environment(frame), texts(frame));
        var program = new Program(text(frame), text(frame), Optional.empty(), texts(frame));
        return new JobDescription(plan, program, frame.number() == 1, frame.number() == 1, text(frame),
                Secret.of(frame.piece()));
    }

    /** Reads a text, and checks it: all texts become arguments, variables or paths of this host. */
    private static String text(SessionFrame frame) throws IOException {
        return SystemCharset.require(frame.text());
    }

    private static int atLeastOne(SessionFrame frame) throws IOException {
        return Math.max(1, frame.numberBelow(ITEMS_MAX));
    }

    private static Map<String, String> environment(SessionFrame frame) throws IOException {
        Map<String, String> environment = new LinkedHashMap<>();
        for (int left = frame.numberBelow(ITEMS_MAX); left > 0; left--) {
            environment.put(text(frame), text(frame));
        }
        return environment;
    }

    private static List<String> texts(SessionFrame frame) throws IOException {
        List<String> texts = new ArrayList<>();
        for (int left = frame.numberBelow(ITEMS_MAX); left > 0; left--) {
            texts.add(text(frame));
        }
        return texts;
    }
}
