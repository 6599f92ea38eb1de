/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.tool;

import java.util.concurrent.Callable;

import picocli.AutoComplete;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code tutti completion}: prints a script that teaches a shell the command line. */
@Command(name = "completion", mixinStandardHelpOptions = true,
        description = "Prints a script with which bash and zsh complete commands, options and their values.",
        footer = {"", "Example, for ~/.bashrc or ~/.zshrc:", "  source <(tutti completion)"})
public final class CompletionCommand implements Callable<Integer> {
    private static final String NO_FILES = "compopt +o default";

    /** Programs, class paths and arguments of programs are files, and the script has no values for them. */
    private static final String FILES = "compopt -o default";

    @Spec
    private CommandSpec spec;

    /** {@return the status to exit with} */
    @Override
    public Integer call() {
        var all = spec.parent();
        System.out.print(AutoComplete.bash(all.name(), all.commandLine()).replace(NO_FILES, FILES));
        return 0;
    }
}
