/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* The loops of tutti bench against an MPI: see BenchLoop.java, which this follows step by step.
 * Usage: collectives OPERATIONS SIZES REPEATS GATES, such as barrier,allreduce 8,65536 7 directory. For each cell there is
 * a turn to warm up and one for each repeat; a rank waits for it by reading a byte from the named pipe of its number in
 * the directory, and rank 0 then prints the figure of the turn. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALLS_MIN = 4, CALLS_MAX = 1000000, GROWTH_MAX = 8, PRIME = 31, STEADY_RUNS = 5, PATH_BYTES = 4096 };
static const double REPEAT_SECONDS = 0.05, WARM_UP_SECONDS_MIN = 0.4, WARM_UP_SECONDS_MAX = 5, STEADY_RATIO = 1.25;

enum operation { BARRIER, BROADCAST, REDUCE, ALLREDUCE, OPERATIONS };
static const char *const names[OPERATIONS] = {"barrier", "broadcast", "reduce", "allreduce"};

static int rank, size, gate;
static enum operation operation;
static long count, call;
static double *source, *target;

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
    MPI_Abort(MPI_COMM_WORLD, 1);
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

/* Returns the seconds of a call on the slowest rank. */
static double run(long calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD); /* the second one ends on all ranks at nearly the same time */
  double start = MPI_Wtime();
  for (long i = 0; i < calls; i++) {
    call_once();
  }
  double seconds = (MPI_Wtime() - start) / calls, slowest;
  MPI_Allreduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return slowest;
}

static long warm_up(void) {
  long calls = CALLS_MIN;
  int steady = 0;
  double first = 0;
  for (double total = 0; total < WARM_UP_SECONDS_MIN || (total < WARM_UP_SECONDS_MAX && steady < STEADY_RUNS);) {
    double seconds = run(calls);
    total += seconds * calls;
    int same = first / STEADY_RATIO <= seconds && seconds <= first * STEADY_RATIO;
    steady = same && seconds * calls >= REPEAT_SECONDS / 2 ? steady + 1 : 0;
    first = steady == 0 ? seconds : first;
    double wanted = REPEAT_SECONDS / seconds;
    long most = GROWTH_MAX * calls < CALLS_MAX ? GROWTH_MAX * calls : CALLS_MAX;
    calls = wanted < CALLS_MIN ? CALLS_MIN : wanted > most ? most : (long)wanted;
  }
  return calls;
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

static void open_gate(const char *gates) {
  char path[PATH_BYTES];
  int length = snprintf(path, sizeof path, "%s/%d", gates, rank);
  gate = length < (int)sizeof path ? open(path, O_RDONLY) : -1;
  if (gate < 0) {
    perror(path);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

static void await_turn(void) {
  char turn;
  if (read(gate, &turn, 1) != 1) {
    fprintf(stderr, "nobody gives turns to rank %d any more\n", rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
}

/* A repeat, after which all ranks are done with their checks. */
static void repeat(long calls, long bytes) {
  double microseconds = run(calls) * 1e6;
  check_all();
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) {
    printf("peer,%s,layout,%d,%ld,%.4f,%.4f,%.4f,%ld\n", names[operation], size, bytes, microseconds, microseconds,
           microseconds, calls);
    fflush(stdout);
  }
}

static void measure(long bytes, int repeats) {
  count = bytes / (long)sizeof(double);
  call = 0;
  source = malloc(bytes > 0 ? bytes : 1);
  target = operation == BROADCAST ? source : malloc(bytes > 0 ? bytes : 1);
  if (source == NULL || target == NULL) {
    fprintf(stderr, "no memory for %ld bytes on rank %d\n", bytes, rank);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  for (long i = 0; i < count; i++) {
    source[i] = element(rank, i, 0);
  }
  await_turn();
  long calls = warm_up();
  repeat(calls, bytes);
  for (int turn = 0; turn < repeats; turn++) {
    await_turn();
    repeat(calls, bytes);
  }
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
    MPI_Abort(MPI_COMM_WORLD, 2);
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
