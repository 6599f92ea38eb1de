/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import module org.tutti;

/// Computes pi as the area under 4 / (1 + x²) from 0 to 1. Every rank adds up its share of the strips, and one
/// allreduce adds up the shares.
///
/// Run it with `./tutti run -n 4 examples/Pi.java`.
void main() {
    try (var job = Tutti.join()) {
        var world = job.world();
        int strips = 100_000_000;
        double width = 1.0 / strips;

        double area = 0;
        for (int strip = world.rank(); strip < strips; strip += world.size()) {
            double x = (strip + 0.5) * width;
            area += 4 / (1 + x * x) * width;
        }

        double pi = world.allreduce(area, Reduction.SUM);
        if (world.rank() == 0) {
            IO.println("pi is %.12f, from %d process%s".formatted(pi, world.size(), world.size() == 1 ? "" : "es"));
        }
    }
}
