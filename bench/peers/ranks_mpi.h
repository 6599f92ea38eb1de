/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* The ranks of an MPI: how they begin, meet and end. */
#include <mpi.h>
#include <stdlib.h>

static void give_up(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
  exit(status);
}

static void transport_open(int *argc, char ***argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* Leaves MPI_Finalize out with MPICH: 4.0.2 over UCX's tcp, with three nodes or more, often hangs there after puts. */
static void transport_close(void) {
#ifdef MPICH_VERSION
  MPI_Barrier(MPI_COMM_WORLD);
  fflush(stdout);
  _exit(0);
#else
  MPI_Finalize();
#endif
}

static void meet(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

static double most(double value) {
  double result;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return result;
}
