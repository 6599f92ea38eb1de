/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.fabric.tcp;

import java.nio.ByteBuffer;

/** A wire over which nothing arrives. */
abstract class SilentWire implements Wire {
    @Override
    public int read(ByteBuffer target) {
        return 0;
    }

    @Override
    public long read(ByteBuffer[] targets) {
        return 0;
    }

    @Override
    public void close() {}
}
