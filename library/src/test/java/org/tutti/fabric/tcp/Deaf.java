/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import org.tutti.fabric.FabricListener;
import org.tutti.fabric.Loss;

/** Listens to nothing, where nobody is to be lost. */
final class Deaf implements FabricListener {
    @Override
    public void news(int kind, long index, long value) {}

    @Override
    public void left(int process) {}

    @Override
    public void lost(int process, Loss loss, String reason) {
        throw new AssertionError(reason);
    }
}
