/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
package org.tutti.job;

import org.tutti.Communicator;
import org.tutti.Job;
import org.tutti.Reduction;
import org.tutti.Tutti;

/** The program of the training run that makes the ranks' AOT cache. It makes a few calls of each common kind. */
final class TrainingProgram {
    private static final int COUNT = 10_000;

    private TrainingProgram() {}

    public static void main(String[] arguments) {
        try (Job job = Tutti.join()) {
            Communicator world = job.world();
            double[] one = new double[1];
            double[] many = new double[COUNT];
            world.barrier();
            for (double[] values : new double[][]{one, many}) {
                world.broadcast(values, 0);
                world.reduce(values, Reduction.SUM, 0);
                world.allreduce(values, Reduction.SUM);
            }
        }
    }
}
