/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import mpi.MPI;

/** The calls of MPJ Express for {@link PeerLoop}. */
public final class MpjCollectives implements PeerLoop.Calls {
    public static void main(String[] arguments) throws Exception {
        String[] own = MPI.Init(arguments);
        PeerLoop.measureAll(new MpjCollectives(), MPI.COMM_WORLD.Rank(), MPI.COMM_WORLD.Size(), own);
        MPI.Finalize();
    }

    @Override
    public void barrier() {
        MPI.COMM_WORLD.Barrier();
    }

    @Override
    public void broadcast(double[] data) {
        MPI.COMM_WORLD.Bcast(data, 0, data.length, MPI.DOUBLE, 0);
    }

    @Override
    public void reduce(double[] source, double[] target) {
        MPI.COMM_WORLD.Reduce(source, 0, target, 0, source.length, MPI.DOUBLE, MPI.SUM, 0);
    }

    @Override
    public void allreduce(double[] source, double[] target) {
        MPI.COMM_WORLD.Allreduce(source, 0, target, 0, source.length, MPI.DOUBLE, MPI.SUM);
    }

    @Override
    public double slowest(double nanos) {
        double[] slowest = new double[1];
        MPI.COMM_WORLD.Allreduce(new double[]{nanos}, 0, slowest, 0, 1, MPI.DOUBLE, MPI.MAX);
        return slowest[0];
    }
}
