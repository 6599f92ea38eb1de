/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
import mpi.MPI;
import mpi.MPIException;

/** The calls of Open MPI's Java bindings for {@link PeerLoop}, with arrays. */
public final class OpenMpiCollectives implements PeerLoop.Calls {
    public static void main(String[] arguments) throws Exception {
        String[] own = MPI.Init(arguments);
        PeerLoop.measureAll(new OpenMpiCollectives(), MPI.COMM_WORLD.getRank(), MPI.COMM_WORLD.getSize(), own);
        MPI.Finalize();
    }

    @Override
    public void barrier() throws MPIException {
        MPI.COMM_WORLD.barrier();
    }

    @Override
    public void broadcast(double[] data) throws MPIException {
        MPI.COMM_WORLD.bcast(data, data.length, MPI.DOUBLE, 0);
    }

    @Override
    public void reduce(double[] source, double[] target) throws MPIException {
        MPI.COMM_WORLD.reduce(source, target, source.length, MPI.DOUBLE, MPI.SUM, 0);
    }

    @Override
    public void allreduce(double[] source, double[] target) throws MPIException {
        MPI.COMM_WORLD.allReduce(source, target, source.length, MPI.DOUBLE, MPI.SUM);
    }

    @Override
    public double slowest(double nanos) throws MPIException {
        double[] slowest = new double[1];
        MPI.COMM_WORLD.allReduce(new double[]{nanos}, slowest, 1, MPI.DOUBLE, MPI.MAX);
        return slowest[0];
    }
}
