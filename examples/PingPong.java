/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Sends messages of several lengths to and fro between ranks 0 and 1, and prints how long a message takes one way.
///
/// Run it with `./tutti run -n 2 examples/PingPong.java`.
void main() {
    try (var job = Tutti.join()) {
        var world = job.world();
        for (int length = 1; length <= 1 << 17; length *= 8) {
            var data = new double[length];
            double best = Double.MAX_VALUE;
            long sent = 0;
            for (int batch = 0; batch < 20; batch++) {
                int turns = Math.max(10, 20_000 / length);
                world.barrier();
                long start = System.nanoTime();
                for (int turn = 0; turn < turns; turn++) {
                    if (world.rank() == 0) {
                        data[length - 1] += 1;
                        world.send(data, 1);
                        world.receive(data, 1, 0);
                    } else if (world.rank() == 1) {
                        world.receive(data, 0, 0);
                        data[length - 1] += 1;
                        world.send(data, 0);
                    }
                }
                best = Math.min(best, (System.nanoTime() - start) / 2000.0 / turns);
                sent += 2L * turns;
                if (world.rank() == 0 && data[length - 1] != sent) { // each send adds 1
                    throw new IllegalStateException("the last element is " + data[length - 1] + ", not " + sent);
                }
            }
            if (world.rank() == 0) {
                IO.println("%8d bytes: %8.2f microseconds one way".formatted(8L * length, best));
            }
        }
    }
}
