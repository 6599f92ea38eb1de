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

/* Leaves MPI_Finalize out where it hangs: with MPICH 4.0.2 over UCX's tcp, with three nodes or more, after puts. On a node
 * every rank must finalize, because MPICH's launcher kills those that have not ended when the first one has. */
static void transport_close(void) {
#if defined(MPICH_VERSION) && defined(PUTS)
  MPI_Comm node;
  int node_size;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &node_size);
  if (size / node_size >= 3) {
    MPI_Barrier(MPI_COMM_WORLD);
    fflush(stdout);
    _exit(0);
  }
#endif
  MPI_Finalize();
}

static void meet(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

static double most(double value) {
  double result;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return result;
}
