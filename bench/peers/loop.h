/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* The common part of the peers' programs: turns and figures, as in MeasuredLoop.java. The including program defines a
 * run. Each cell has a turn to warm up, and a turn for each repeat. A rank waits for its turn by reading a byte from
 * the named pipe with its number in the directory of the gates. Rank 0 then prints the figure of the turn: microseconds
 * a call without rewriting, the number of calls, and the subtracted microseconds of rewriting. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CALLS_MIN = 4, CALLS_MAX = 1000000, GROWTH_MAX = 8, STEADY_RUNS = 5, PATH_BYTES = 4096 };
enum { REWRITING_RUNS = 5 };
static const double REWRITING_RUN_SECONDS = 0.01; /* some time slices, if ranks share a core */
static const double RUN_SECONDS = 0.05, WARM_UP_SECONDS = 0.4, WARM_UP_SECONDS_MAX = 5, STEADY_RATIO = 1.25;

/* Limits of a repeat with calls that are timed one by one. */
enum { TIMED_CALLS = 2000 };
static const double TIMED_SECONDS = 1, TIMED_SECONDS_MAX = 10;

/* Counters of the times of calls, as in HdrHistogram: one for each time below 2048 ns; longer times share a counter if
 * they have the same eleven leading bits. */
enum { HALF = 1 << 10, COUNTERS = 54 * HALF };
static long counters[COUNTERS], counted;
static int times_each; /* whether each call is timed by itself */

static int rank, size, gate;
static int warm;  /* whether the warm-up of the cell is over */
static long done; /* the calls of the latest run, or repeat */
static long counts_as = 1; /* the number that a call counts as in the figures */
static double rewriting; /* seconds a call, measured before the latest repeat */
static double pace; /* seconds a call of the latest run, with what is not measured, on the slowest rank */

static void call_once(void);
static int has_much_data(void); /* whether a message or block has several elements, the same on every rank */
static void rewrite_only(void); /* rewrites the data of a call, as before a call */
static double run(long calls); /* returns the seconds of a call on the slowest rank, and notes the pace */
static double clock_of_calls(void); /* seconds of a clock that runs while the measured operation does */
static double most(double value); /* returns the greatest of all ranks */
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

/* The values that a rank writes to all its elements before each call, as Pattern.java says. */
enum { PERIOD = 251, BLOCK = 2 * PERIOD };
static double values[BLOCK + PERIOD];

/* The value of an element in a call, given the least value. */
static double value(double first, long index, long call) {
  return first + (index + call) % PERIOD;
}

static void fill_table(double first) {
  for (long i = 0; i < BLOCK + PERIOD; i++) {
    values[i] = value(first, i, 0);
  }
}

/* Writes the values of a call to as many elements. A compiler that inlined this function could leave out a write that
 * the next one overwrites. */
static __attribute__((noinline)) void write_values(double *elements, long number, long call) {
  const double *from = values + call % PERIOD;
  for (long at = 0; at < number; at += BLOCK) {
    memcpy(elements + at, from, (number - at < BLOCK ? number - at : BLOCK) * sizeof *elements);
  }
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec * 1e-9;
}

static void note_time(long nanos) {
  int shift = 0;
  for (; nanos >> shift >= 2 * HALF; shift++) {
  }
  counters[shift * HALF + (nanos >> shift)]++;
  counted++;
}

/* The time in microseconds that this many of a thousand calls of this rank did not exceed; 0 if it made no calls. */
static double percentile(long per_thousand) {
  long wanted = (counted * per_thousand + 999) / 1000, found = 0;
  int at = 0;
  while (counted > 0 && (found += counters[at]) < wanted) {
    at++;
  }
  int shift = at < 2 * HALF ? 0 : at / HALF - 1;
  return counted > 0 ? (((at - shift * HALF + 1L) << shift) - 1) * 1e-3 : 0;
}

/* The seconds of a call, given those of a call with rewriting; at least a nanosecond, also if it does nothing. */
static double without_rewriting(double seconds) {
  return seconds - rewriting > 1e-9 ? seconds - rewriting : 1e-9;
}

/* Makes the calls of a run. If each call is timed, its time begins when that of the call before ends; the time of
 * rewriting is subtracted. */
static void make_calls(long calls) {
  if (!times_each) {
    for (long i = 0; i < calls; i++) {
      call_once();
    }
    return;
  }
  double before = clock_of_calls();
  for (long i = 0; i < calls; i++) {
    call_once();
    double after = clock_of_calls();
    note_time((long)(without_rewriting(after - before) * 1e9 + 0.5));
    before = after;
  }
}

/* The number of calls of the next run, given that of the latest run. */
static long resized(long calls) {
  double wanted = RUN_SECONDS / pace;
  long greatest = GROWTH_MAX * calls < CALLS_MAX ? GROWTH_MAX * calls : CALLS_MAX;
  return wanted < CALLS_MIN ? CALLS_MIN : wanted > greatest ? greatest : (long)wanted;
}

static int compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

/* The seconds of rewriting the data of a call on the slowest rank: the median of several runs that only rewrite. */
static double measured_rewriting(void) {
  double seconds[REWRITING_RUNS];
  static long rewritings = 1;
  for (int i = 0; i < REWRITING_RUNS;) {
    meet();
    meet(); /* the second one ends on all ranks at nearly the same time */
    double start = now();
    for (long made = 0; made < rewritings; made++) {
      rewrite_only();
    }
    double each = seconds[i] = most((now() - start) / rewritings);
    i += each * rewritings >= REWRITING_RUN_SECONDS / 2; /* a shorter run sizes the next one */
    double wanted = REWRITING_RUN_SECONDS / each, greatest = (double)GROWTH_MAX * rewritings;
    rewritings = wanted < 1 ? 1 : wanted > greatest ? (long)greatest : (long)wanted;
  }
  qsort(seconds, REWRITING_RUNS, sizeof *seconds, compare);
  return seconds[REWRITING_RUNS / 2];
}

/* Finds how many calls make a run, and makes runs until several in a row take about as long as the first of them. With
 * few repeats the user only tries something, so fewer runs are enough. */
static long warm_up(int repeats) {
  int wanted = repeats < STEADY_RUNS ? repeats : STEADY_RUNS;
  double least = WARM_UP_SECONDS * (wanted - 1) / (STEADY_RUNS - 1);
  long calls = CALLS_MIN;
  int steady = 0;
  double first = 0;
  for (double total = 0; total < least || (total < WARM_UP_SECONDS_MAX && steady < wanted);) {
    double seconds = run(calls);
    total += pace * calls;
    int same = first / STEADY_RATIO <= seconds && seconds <= first * STEADY_RATIO;
    int is_long = pace * calls >= RUN_SECONDS / 2 || calls == CALLS_MAX;
    steady = same && is_long ? steady + 1 : 0;
    first = steady == 0 ? seconds : first;
    calls = resized(calls);
  }
  return calls;
}

/* Makes a run, or as many as rare times need if each call is timed; returns the seconds of a call. */
static double repeat(long *calls) {
  rewriting = has_much_data() ? measured_rewriting() : 0;
  if (!times_each) {
    return without_rewriting(run(*calls));
  }
  long made = 0;
  double total = 0;
  memset(counters, 0, sizeof counters);
  counted = 0;
  for (double passed = 0; passed < TIMED_SECONDS || (made < TIMED_CALLS && passed < TIMED_SECONDS_MAX);) {
    double seconds = run(*calls);
    made += done;
    total += seconds * done;
    passed += pace * done;
    *calls = resized(*calls);
  }
  done = made;
  return without_rewriting(total / made);
}

static void print_figure(const char *operation, long bytes, double first, double second, double third) {
  if (rank == 0) {
    printf("peer,%s,layout,%d,%ld,%.4f,%.4f,%.4f,%ld,%.4f\n", operation, size, bytes, first, second, third,
           done * counts_as, rewriting * 1e6);
    fflush(stdout);
  }
}

/* Chooses the figures: "means" of repeats, or "percentiles". */
static void choose_figures(const char *figures) {
  times_each = strcmp(figures, "percentiles") == 0;
}

/* Takes all turns of a cell; after each turn, all ranks have checked their results. */
static void take_turns(const char *operation, long bytes, int repeats) {
  await_turn();
  warm = 0;
  long calls = warm_up(repeats);
  warm = 1;
  for (int turn = 0; turn <= repeats; turn++) {
    if (turn > 0) {
      await_turn();
    }
    double microseconds = repeat(&calls) * 1e6;
    check_all();
    meet();
    if (times_each) {
      double p50 = most(percentile(500)), p99 = most(percentile(990)), p999 = most(percentile(999));
      print_figure(operation, bytes, p50, p99, p999);
    } else {
      print_figure(operation, bytes, microseconds, microseconds, microseconds);
    }
  }
}
