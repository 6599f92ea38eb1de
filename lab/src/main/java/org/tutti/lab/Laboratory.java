/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.lab;

import java.util.List;

import org.tutti.lab.compare.CompareCommand;
import org.tutti.lab.simulate.ChartCommand;
import org.tutti.lab.simulate.DrawCommand;
import org.tutti.lab.simulate.ExplainCommand;
import org.tutti.lab.simulate.SimulateCommand;
import org.tutti.lab.simulate.TuneCommand;
import org.tutti.tool.Main;

/** The command line of a checkout: the commands of {@code tutti.jar}, and those for developing Tutti. */
public final class Laboratory {
    /** The commands that only a checkout has. */
    static final List<Class<?>> COMMANDS = List.of(CompareCommand.class, SimulateCommand.class,
            ExplainCommand.class, DrawCommand.class, ChartCommand.class, TuneCommand.class);

    private Laboratory() {}

    /** @param arguments the command line without {@code tutti} */
    public static void main(String[] arguments) {
        System.exit(Main.run(COMMANDS, arguments));
    }

    /** {@return the exit status of a command} */
    static int execute(String... arguments) {
        return Main.execute(COMMANDS, arguments);
    }
}
