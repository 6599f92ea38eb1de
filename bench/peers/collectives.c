/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* The loops of tutti bench against an MPI: see BenchLoop.java, which this follows step by step.
 * Usage: collectives OPERATIONS SIZES REPEATS GATES, such as barrier,allreduce 8,65536 7 directory. */
#include "loop.h"

#include <mpi.h>
#include <string.h>

enum { PRIME = 31 };

enum operation { BARRIER, BROADCAST, REDUCE, ALLREDUCE, OPERATIONS };
static const char *const names[OPERATIONS] = {"barrier", "broadcast", "reduce", "allreduce"};

static enum operation operation;
static long count, call;
static double *source, *target;

static void give_up(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
}

static void meet(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Small whole numbers, so that sums are exact in any order. */
static double element(int contributor, long index, long at) {
  return contributor + 1 + index % PRIME + at % PRIME;
}

static double expected(long index, long at) {
  double own = element(0, index, at);
  return operation == BROADCAST ? own : size * own + size * (size - 1) / 2;
}

static void check(long index, double value) {
  if (target[index] != value) {
    fprintf(stderr, "wrong result: %s of %ld doubles on rank %d, call %ld: element %ld is %g instead of %g\n",
            names[operation], count, rank, call, index, target[index], value);
    give_up(1);
  }
}

/* Changes an element of this rank's source, the next one in each call. */
static long change(int contributor) {
  call++;
  long changed = call % count;
  if (contributor == rank) {
    source[changed] = element(rank, changed, call);
  }
  return changed;
}

static void call_once(void) {
  long changed;
  switch (operation) {
  case BARRIER:
    MPI_Barrier(MPI_COMM_WORLD);
    break;
  case BROADCAST:
    changed = change(0);
    MPI_Bcast(source, (int)count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    check(changed, expected(changed, call));
    break;
  case REDUCE:
    changed = change(rank);
    MPI_Reduce(source, target, (int)count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
      check(changed, expected(changed, call));
    }
    break;
  default:
    changed = change(rank);
    MPI_Allreduce(source, target, (int)count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    check(changed, expected(changed, call));
  }
}

static double run(long calls) {
  meet();
  meet(); /* the second one ends on all ranks at nearly the same time */
  double start = MPI_Wtime();
  for (long i = 0; i < calls; i++) {
    call_once();
  }
  double seconds = (MPI_Wtime() - start) / calls, slowest;
  done = calls;
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static void check_all(void) {
  if (operation == BARRIER || (operation == REDUCE && rank != 0)) {
    return;
  }
  for (long i = 0; i < count; i++) {
    long changed_at = call - ((call - i) % count + count) % count;
    check(i, expected(i, changed_at > 0 ? changed_at : 0));
  }
}

static void measure(long bytes, int repeats) {
  count = bytes / (long)sizeof(double);
  call = 0;
  source = allocate(bytes);
  target = operation == BROADCAST ? source : allocate(bytes);
  for (long i = 0; i < count; i++) {
    source[i] = element(rank, i, 0);
  }
  take_turns(names[operation], bytes, repeats);
  if (target != source) {
    free(target);
  }
  free(source);
}

static int contains(const char *list, const char *name) {
  size_t length = strlen(name);
  for (const char *at = list; (at = strstr(at, name)) != NULL; at += length) {
    if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
      return 1;
    }
  }
  return 0;
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int repeats = argc == 5 ? atoi(argv[3]) : 0;
  if (repeats < 1) {
    fprintf(stderr, "usage: collectives OPERATIONS SIZES REPEATS GATES\n");
    give_up(2);
  }
  open_gate(argv[4]);
  for (operation = BARRIER; operation < OPERATIONS; operation++) {
    if (!contains(argv[1], names[operation])) {
      continue;
    }
    if (operation == BARRIER) {
      measure(0, repeats);
      continue;
    }
    for (char *at = argv[2]; *at != '\0';) {
      measure(strtol(at, &at, 10), repeats);
      at += *at == ',';
    }
  }
  MPI_Finalize();
  return 0;
}
