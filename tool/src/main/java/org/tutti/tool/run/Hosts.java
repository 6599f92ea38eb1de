/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

import org.tutti.job.launch.JobEnvironment;
import org.tutti.tool.UsageException;

/**
 * The hosts of a job, each entry a node of its own, and the way in which the launcher reaches them.
 *
 * @param entries the hosts
 * @param agent the words of the command that runs another command on a host; {@value #PLACE} in them stands for its
 *            name
 * @param script the path of the script {@code tutti} on every host
 */
record Hosts(List<Entry> entries, List<String> agent, String script) {
    private static final String PLACE = "{host}";
    private static final List<String> AGENT_DEFAULT = List.of("ssh", "-o", "BatchMode=yes", PLACE);
    private static final Pattern ENTRY =
            Pattern.compile("([A-Za-z0-9_][A-Za-z0-9_.@-]{0,252}|\\[[0-9A-Fa-f:.]{2,45}(?:%[A-Za-z0-9_.-]+)?])"
                    + "(?::(\\d{1,4}))?");
    private static final Pattern PLAIN_PATH = Pattern.compile("[A-Za-z0-9/._+@=-]+");

    /**
     * A node.
     *
     * @param name the name of its host, as the agent knows it
     * @param ranks the number of its ranks
     */
    record Entry(String name, int ranks) {}

    /**
     * Reads the command line.
     *
     * @param list entries such as {@code a:4,b:4}
     * @param agent the agent's command, its words separated by blanks, or empty for ssh
     * @param script the path of the script {@code tutti} on every host, or empty for the path of this host
     */
    static Hosts parse(String list, Optional<String> agent, Optional<String> script) {
        List<Entry> entries = new ArrayList<>();
        int size = 0;
        for (var text : list.split(",", -1)) {
            var parts = ENTRY.matcher(text);
            int ranks = !parts.matches() ? 0 : parts.group(2) == null ? 1 : Integer.parseInt(parts.group(2));
            if (ranks < 1) {
                throw new UsageException("--hosts " + list + " is not possible: '" + text
                        + "' is no host with its number of ranks; write them like a:4,b:4, IPv6 addresses in brackets");
            }
            entries.add(new Entry(parts.group(1).replaceAll("[\\[\\]]", ""), ranks));
            size += ranks;
            if (size > JobEnvironment.SIZE_MAX) {
                throw new UsageException("--hosts " + list + " is not possible: a job has at most "
                        + JobEnvironment.SIZE_MAX + " ranks");
            }
        }
        return new Hosts(List.copyOf(entries), agent.map(Hosts::words).orElse(AGENT_DEFAULT),
                script.map(Hosts::plain).orElseGet(Hosts::ownScript));
    }

    private static List<String> words(String agent) {
        var words = new ArrayList<>(List.of(agent.strip().split("\\s+")));
        if (words.getFirst().isEmpty()) {
            throw new UsageException("--agent is empty; name the command that runs another one on a host, such as "
                    + "ssh or 'ip netns exec {host}'");
        }
        if (words.equals(List.of("ssh"))) {
            return AGENT_DEFAULT;
        }
        if (words.stream().noneMatch(word -> word.contains(PLACE))) {
            words.add(PLACE);
        }
        return List.copyOf(words);
    }

    /** Checks the path, because the agent may hand its arguments to a shell, as ssh does. */
    private static String plain(String script) {
        if (!PLAIN_PATH.matcher(script).matches()) {
            throw new UsageException("--hosts cannot use the script " + script + ", as a remote shell would change its "
                    + "path; keep to letters, digits and /._+@=-, or name another path with --remote-tutti");
        }
        return script;
    }

    /** Finds the script three directories above the jar, or the classes, of the tool. */
    private static String ownScript() {
        var script = RankCache.codeOf(Hosts.class).resolve("../../../tutti").normalize();
        if (!Files.isExecutable(script)) {
            throw new UsageException("--hosts needs the script tutti, and there is none at " + script
                    + "; name its path on the hosts with --remote-tutti");
        }
        return plain(script.toString());
    }

    /** {@return the name of the host of a node} */
    String name(int node) {
        return entries.get(node).name();
    }

    /** {@return the command that runs the script with an argument on the host of a node} */
    List<String> command(int node, String argument) {
        List<String> command = new ArrayList<>();
        agent.forEach(word -> command.add(word.replace(PLACE, name(node))));
        var first = Path.of(command.getFirst());
        if (first.getNameCount() > 1) { // a relative path starts at this directory, wherever the agent starts
            command.set(0, first.toAbsolutePath().normalize().toString());
        }
        command.add(script);
        command.add(argument);
        return command;
    }
}
