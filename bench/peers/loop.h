/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* What the peers' programs have in common: turns and figures, as MeasuredLoop.java has them. Who includes this
 * says what a run is. For each cell there is a turn to warm up and one for each repeat; a rank waits for it by reading a
 * byte from the named pipe of its number in the directory of the gates, and rank 0 then prints the figure of the turn. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { CALLS_MIN = 4, CALLS_MAX = 1000000, GROWTH_MAX = 8, STEADY_RUNS = 5, PATH_BYTES = 4096 };
static const double REPEAT_SECONDS = 0.05, WARM_UP_SECONDS_MIN = 0.4, WARM_UP_SECONDS_MAX = 5, STEADY_RATIO = 1.25;

static int rank, size, gate;
static int warm;  /* whether the warm-up of the cell is over */
static long done; /* the calls of the latest run */

static double run(long calls); /* returns the seconds of a call on the slowest rank */
static void check_all(void);   /* ends the program if a result of the run was wrong */
static void meet(void);        /* returns when all ranks are here */
static void give_up(int status);

static void open_gate(const char *gates) {
  char path[PATH_BYTES];
  int length = snprintf(path, sizeof path, "%s/%d", gates, rank);
  gate = length < (int)sizeof path ? open(path, O_RDONLY) : -1;
  if (gate < 0) {
    perror(path);
    give_up(2);
  }
}

static void await_turn(void) {
  char turn;
  if (read(gate, &turn, 1) != 1) {
    fprintf(stderr, "nobody gives turns to rank %d any more\n", rank);
    give_up(1);
  }
}

static void *allocate(size_t bytes) {
  void *memory = calloc(bytes > 0 ? bytes : 1, 1);
  if (memory == NULL) {
    fprintf(stderr, "no memory for %zu bytes on rank %d\n", bytes, rank);
    give_up(1);
  }
  return memory;
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

/* All turns of a cell; after each of them all ranks are done with their checks. */
static void take_turns(const char *operation, long bytes, int repeats) {
  await_turn();
  warm = 0;
  long calls = warm_up();
  warm = 1;
  for (int turn = 0; turn <= repeats; turn++) {
    if (turn > 0) {
      await_turn();
    }
    double microseconds = run(calls) * 1e6;
    check_all();
    meet();
    if (rank == 0) {
      printf("peer,%s,layout,%d,%ld,%.4f,%.4f,%.4f,%ld\n", operation, size, bytes, microseconds, microseconds,
             microseconds, done);
      fflush(stdout);
    }
  }
}
