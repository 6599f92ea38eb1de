/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.events;

import jdk.jfr.Label;

/** An event of one rank on a communicator. */
abstract class CommunicatorEvent extends RankEvent {
    /** The name of the communicator, as messages name it. */
    @Label("Communicator")
    public String communicator;

    /** The number by which all ranks know the communicator. */
    @Label("Communicator Number")
    public long communicatorNumber;
}
