/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* The loops of tutti bench --one-sided with an MPI, or with -DRAW with only memory or a socket. This program follows
 * OneSidedLoop.java step by step.
 * Usage: onesided CELLS REPEATS GATES FIGURES [NAMESPACE], such as put:8,get-computing:1024 7 directory means. */
#define _GNU_SOURCE /* for setns */
#include "loop.h"

#ifdef RAW
#include "transport_raw.h"
#else
#include "transport_mpi.h"
#endif

enum { TRAIN = 16, NAME_BYTES = 64 };
static const double STRETCH_SECONDS = 0.3, FIRST = 1, WRONG = 0.5;
static const char COMPUTING[] = "-computing";

enum operation {
  PUT, GET, ACCUMULATE, FETCH_ADD, PUT_TRAIN, PUT_STRIDED, GET_STRIDED, LOCK_UNLOCK, LOCK, UNLOCK, FENCE_EACH, FENCE_ALL,
  FENCE_EACH_EVERYONE, FENCE_ALL_EVERYONE, OPERATIONS
};
static const char *const names[OPERATIONS] = {
    "put", "get", "accumulate", "fetch-add", "put-train", "put-strided", "get-strided", "lock-unlock", "lock", "unlock",
    "fence-each", "fence-all", "fence-each-everyone", "fence-all-everyone"};

static char cell[NAME_BYTES];
static enum operation operation;
static int computing, target;
static long count, columns, generation, call, checked;
static double *part, *own, *sums;
static double timed; /* total seconds of the timed half, if a lock or an unlock is measured alone */

/* Small whole numbers, because their sums are exact in any order. */
static double element(long index, long at) {
  return value(FIRST, index, at);
}

static int strided(void) {
  return operation == PUT_STRIDED || operation == GET_STRIDED;
}

static int everyone(void) {
  return operation == FENCE_EACH_EVERYONE || operation == FENCE_ALL_EVERYONE;
}

static int fences(void) {
  return operation >= FENCE_EACH;
}

static int calls_here(void) {
  return rank == 0 || everyone();
}

/* The index of an element in memory: elements of a section lie in the left halves of the rows. */
static long place(long index) {
  return strided() ? index + (index & -columns) : index;
}

static void check(const double *memory, long at, double expected) {
  if (memory[at] != expected) {
    fprintf(stderr, "wrong result: %s of %ld bytes on rank %d, call %ld: element %ld is %g instead of %g\n", cell,
            count * (long)sizeof(double), rank, call, at, memory[at], expected);
    give_up(1);
  }
}

static long own_count(void) {
  return strided() ? 2 * count : count;
}

/* Rewrites all elements for the next call. */
static void rewrite(void) {
  call++;
  write_values(own, own_count(), call);
}

/* Makes all elements wrong, and chooses the one to check after the call: the next one in each call. */
static void spoil(void) {
  rewrite();
  checked = checked + 1 == count ? 0 : checked + 1;
}

static int has_much_data(void) {
  return count > 1;
}

static void rewrite_only(void) {
  if (calls_here()) {
    write_values(own, own_count(), call);
  }
}

static void fence_call(int each) {
  rewrite();
  for (int other = 0; other < size; other++) {
    if (other != rank) {
      put(other, rank, own, 1);
    }
  }
  if (!each) {
    flush_all();
    return;
  }
  for (int other = 0; other < size; other++) {
    if (other != rank) {
      flush(other);
    }
  }
}

static void lock_call(void) {
  double start = operation == LOCK ? now() : 0;
  lock(target);
  timed += operation == LOCK ? now() - start : 0;
  start = operation == UNLOCK ? now() : 0;
  unlock(target);
  timed += operation == UNLOCK ? now() - start : 0;
}

static void call_once(void) {
  switch (operation) {
  case PUT:
    rewrite();
    put(target, 0, own, count);
    flush(target);
    break;
  case PUT_TRAIN:
    rewrite();
    put(target, (call - 1) % TRAIN * count, own, count);
    if (call % TRAIN == 0) {
      flush(target);
    }
    break;
  case PUT_STRIDED:
    rewrite();
    put_section(target, own);
    flush(target);
    break;
  case GET:
    spoil();
    get(target, 0, own, count);
    flush(target);
    check(own, checked, element(checked, generation));
    break;
  case GET_STRIDED:
    spoil();
    get_section(target, own);
    flush(target);
    check(own, place(checked), element(checked, generation));
    break;
  case ACCUMULATE:
    rewrite();
    accumulate(target, 0, own, count);
    flush(target);
    break;
  case FETCH_ADD:
    if (fetch_add(target) != call++) {
      fprintf(stderr, "wrong result: fetch-add on rank %d, call %ld: another number than that of the calls before\n",
              rank, call);
      give_up(1);
    }
    break;
  case LOCK_UNLOCK:
  case LOCK:
  case UNLOCK:
    lock_call();
    break;
  default:
    fence_call(operation == FENCE_EACH || operation == FENCE_EACH_EVERYONE);
  }
}

/* Changes the data to get, before each run. */
static void prepare(void) {
  generation++;
  for (long i = 0; rank == target && (operation == GET || operation == GET_STRIDED) && i < count; i++) {
    part[place(i)] = element(i, generation);
  }
  see();
}

/* The work of a computing rank: it only reads the clock. */
static void compute(double until) {
  while (now() < until) {
  }
}

static long call_until(long calls, double until) {
  long made = 0;
  do {
    call_once();
    made++;
  } while (made < calls && now() < until);
  return made;
}

/* For a lock or an unlock alone, the clock stands still during the other half. */
static double clock_of_calls(void) {
  return operation == LOCK || operation == UNLOCK ? timed : now();
}

static double run(long calls) {
  int stretch = warm && computing;
  long made = 0;
  prepare();
  meet();
  meet(); /* the second one ends on all ranks at nearly the same time */
  double start = now(), begin = clock_of_calls();
  if (!calls_here()) {
    if (stretch) {
      compute(start + STRETCH_SECONDS);
    }
  } else if (stretch) {
    made = call_until(calls, start + STRETCH_SECONDS);
  } else {
    make_calls(calls);
    made = calls;
  }
  if (calls_here() && operation == PUT_TRAIN) {
    flush(target);
  }
  double seconds = clock_of_calls() - begin, passed = now() - start;
  done = (long)most(made);
  if (!calls_here()) {
    call += done;
  }
  for (long at = call - done + 1; operation == ACCUMULATE && at <= call; at++) {
    for (long i = 0; i < count; i++) {
      sums[i] += element(i, at);
    }
  }
  pace = most(calls_here() ? passed / made : 0);
  return most(calls_here() ? seconds / made : 0);
}

/* The last call, up to a given one, with a number that equals another one modulo a period; 0 if there was none. */
static long last_call(long at, long like, long period) {
  long last = at - ((at - like) % period + period) % period;
  return last > 0 ? last : 0;
}

static void check_train(void) {
  for (long slot = 0; slot < TRAIN; slot++) {
    long last = last_call(call, slot + 1, TRAIN);
    for (long i = 0; i < count; i++) {
      check(part, slot * count + i, last == 0 ? 0 : element(i, last));
    }
  }
}

static void check_part(void) {
  for (long i = 0; i < count; i++) {
    check(part, place(i), operation == ACCUMULATE ? sums[i] : element(place(i), call));
    if (strided()) {
      check(part, place(i) + columns, 0);
    }
  }
}

static void check_all(void) {
  see();
  if (operation == GET || operation == GET_STRIDED) {
    for (long i = 0; rank == 0 && i < count; i++) {
      check(own, place(i), element(i, generation));
    }
  } else if (fences()) {
    for (int other = 0; other < size; other++) {
      if (other != rank && (everyone() || other == 0)) {
        check(part, other, element(0, call));
      }
    }
  } else if (rank != target || operation == LOCK_UNLOCK || operation == LOCK || operation == UNLOCK) {
    return;
  } else if (operation == FETCH_ADD) {
    if (*(long *)part != call) {
      fprintf(stderr, "wrong result: fetch-add left %ld on rank %d instead of %ld\n", *(long *)part, rank, call);
      give_up(1);
    }
  } else if (operation == PUT_TRAIN) {
    check_train();
  } else {
    check_part();
  }
}

static void measure(long bytes, int repeats) {
  target = size - 1;
  timed = 0;
  count = bytes / (long)sizeof(double) > 0 ? bytes / (long)sizeof(double) : 1;
  call = checked = generation = 0;
  for (columns = 1; count % (2 * columns) == 0 && columns * columns < count;) {
    columns *= 2;
  }
  long elements = operation == PUT_TRAIN ? TRAIN * count : strided() ? 2 * count : fences() ? size : count;
  part = expose(elements * (long)sizeof(double));
  own = allocate(own_count() * sizeof(double));
  fill_table(operation == GET || operation == GET_STRIDED ? WRONG : FIRST);
  sums = allocate(count * sizeof(double));
  define_section(count / columns, columns, 2 * columns);
  take_turns(cell, bytes, repeats);
  free(sums);
  free(own);
  conceal();
}

/* Reads a cell such as put-computing:8 and returns the beginning of the next one. */
static char *read_cell(char *at, long *bytes) {
  size_t length = strcspn(at, ":");
  if (at[length] == '\0' || length >= sizeof cell) {
    return NULL;
  }
  memcpy(cell, at, length);
  cell[length] = '\0';
  size_t suffix = strlen(COMPUTING);
  computing = length > suffix && strcmp(cell + length - suffix, COMPUTING) == 0;
  length -= computing ? suffix : 0;
  for (operation = 0; operation < OPERATIONS; operation++) {
    if (strlen(names[operation]) == length && strncmp(names[operation], cell, length) == 0) {
      char *end = strchr(at, ':') + 1;
      *bytes = strtol(end, &end, 10);
      return end + (*end == ',');
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  transport_open(&argc, &argv);
  int repeats = argc >= 5 ? atoi(argv[2]) : 0;
  if (repeats < 1) {
    fprintf(stderr, "usage: onesided CELLS REPEATS GATES FIGURES [NAMESPACE]\n");
    give_up(2);
  }
  open_gate(argv[3]);
  choose_figures(argv[4]);
  for (char *at = argv[1]; *at != '\0';) {
    long bytes;
    char *next = read_cell(at, &bytes);
    if (next == NULL) {
      fprintf(stderr, "there is no cell %s\n", at);
      give_up(2);
    }
    measure(bytes, repeats);
    at = next;
  }
  transport_close();
  return 0;
}
