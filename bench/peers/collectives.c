/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* The loops of tutti bench with an MPI. This program follows BenchLoop.java, MakingLoop.java and Communicators.java
 * step by step.
 * Usage: collectives OPERATIONS SIZES REPEATS GATES COMMUNICATOR FIGURES, such as
 * barrier,allreduce 8,65536 7 directory world means. */
#include "loop.h"

#include <mpi.h>

static const double WRONG = 0.5; /* all right values are whole numbers */

enum operation {
  BARRIER, BROADCAST, REDUCE, ALLREDUCE, GATHER, SCATTER, ALLGATHER, ALL_TO_ALL, REDUCE_SCATTER, SCAN, EXCLUSIVE_SCAN,
  SPLIT, CREATE, DUPLICATE, OPERATIONS
};
static const char *const names[OPERATIONS] = {
  "barrier", "broadcast", "reduce", "allreduce", "gather", "scatter", "allgather", "all-to-all", "reduce-scatter",
  "scan", "exclusive-scan", "split", "create", "duplicate"
};

static enum operation operation;
static long count, call; /* count: the elements of a message, or of a block */
static int source_blocks, target_blocks;
static double *source, *target;

enum { CALLED_MAX = 2 };
static MPI_Comm called[CALLED_MAX]; /* the communicators to call on, in turns */
static int called_count = 1, latest, member, members; /* members: the size of each of them */
static MPI_Group mates[CALLED_MAX]; /* the even ranks of each, or the odd ones */

static void give_up(int status) {
  MPI_Abort(MPI_COMM_WORLD, status);
}

static void meet(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

/* Small whole numbers, because their sums are exact in any order. */
static double element(int contributor, long index, long at) {
  return value(contributor + 1, index, at);
}

static double sum(int ranks, long index, long at) {
  return ranks * element(0, index, at) + ranks * (ranks - 1) / 2;
}

/* The right value of an element of the latest call's result. */
static double expected(long index) {
  long of_block = member * count + index % count;
  switch (operation) {
  case BROADCAST:
    return element(0, index, call);
  case GATHER:
  case ALLGATHER:
    return element((int)(index / count), index % count, call);
  case SCATTER:
    return element(0, of_block, call);
  case ALL_TO_ALL:
    return element((int)(index / count), of_block, call);
  case REDUCE_SCATTER:
    return sum(members, of_block, call);
  case SCAN:
    return sum(member + 1, index, call);
  case EXCLUSIVE_SCAN:
    return sum(member, index, call);
  default:
    return sum(members, index, call);
  }
}

static int receives(void) {
  return operation == REDUCE || operation == GATHER ? member == 0 : operation != EXCLUSIVE_SCAN || member > 0;
}

static void check(long index) {
  double right = expected(index);
  if (target[index] != right) {
    fprintf(stderr, "wrong result: %s of %ld doubles on rank %d, call %ld: element %ld is %g instead of %g\n",
            names[operation], count, rank, call, index, target[index], right);
    give_up(1);
  }
}

/* Rewrites this rank's source for the next call; returns the element of a block to check after it. */
static long rewrite(void) {
  call++;
  write_values(source, source_blocks * count, call);
  return call % count;
}

static int has_much_data(void) {
  return count > 1; /* groups may have different sizes, so their sources may differ */
}

static void rewrite_only(void) {
  write_values(source, source_blocks * count, call);
}

static void make_and_free(void) {
  MPI_Comm from = called[latest];
  MPI_Comm group;
  int color = member % 2, in_group, of_group;
  if (operation == SPLIT) {
    MPI_Comm_split(from, color, 0, &group);
  } else if (operation == CREATE) {
    MPI_Comm_create_group(from, mates[latest], 0, &group);
  } else {
    MPI_Comm_dup(from, &group);
  }
  MPI_Comm_rank(group, &in_group);
  MPI_Comm_size(group, &of_group);
  int all = operation == DUPLICATE;
  if (of_group != (all ? members : (members + 1 - color) / 2) || in_group != (all ? member : member / 2)) {
    fprintf(stderr, "wrong result: rank %d has become rank %d of %d by a %s\n", member, in_group, of_group,
            names[operation]);
    give_up(1);
  }
  MPI_Comm_free(&group);
}

static void call_with_blocks(MPI_Comm communicator) {
  int each = (int)count;
  switch (operation) {
  case GATHER:
    MPI_Gather(source, each, MPI_DOUBLE, target, each, MPI_DOUBLE, 0, communicator);
    break;
  case SCATTER:
    MPI_Scatter(source, each, MPI_DOUBLE, target, each, MPI_DOUBLE, 0, communicator);
    break;
  case ALLGATHER:
    MPI_Allgather(source, each, MPI_DOUBLE, target, each, MPI_DOUBLE, communicator);
    break;
  case ALL_TO_ALL:
    MPI_Alltoall(source, each, MPI_DOUBLE, target, each, MPI_DOUBLE, communicator);
    break;
  case REDUCE_SCATTER:
    MPI_Reduce_scatter_block(source, target, each, MPI_DOUBLE, MPI_SUM, communicator);
    break;
  case SCAN:
    MPI_Scan(source, target, each, MPI_DOUBLE, MPI_SUM, communicator);
    break;
  default:
    MPI_Exscan(source, target, each, MPI_DOUBLE, MPI_SUM, communicator);
  }
}

static void call_once(void) {
  long checked;
  latest = latest + 1 == called_count ? 0 : latest + 1;
  MPI_Comm communicator = called[latest];
  switch (operation) {
  case BARRIER:
    MPI_Barrier(communicator);
    break;
  case BROADCAST:
    checked = rewrite();
    MPI_Bcast(source, (int)count, MPI_DOUBLE, 0, communicator);
    check(checked);
    break;
  case REDUCE:
    checked = rewrite();
    MPI_Reduce(source, target, (int)count, MPI_DOUBLE, MPI_SUM, 0, communicator);
    if (member == 0) {
      check(checked);
    }
    break;
  case ALLREDUCE:
    checked = rewrite();
    MPI_Allreduce(source, target, (int)count, MPI_DOUBLE, MPI_SUM, communicator);
    check(checked);
    break;
  case GATHER:
  case SCATTER:
  case ALLGATHER:
  case ALL_TO_ALL:
  case REDUCE_SCATTER:
  case SCAN:
  case EXCLUSIVE_SCAN:
    checked = rewrite();
    call_with_blocks(communicator);
    if (receives()) {
      check(checked + call % target_blocks * count);
    }
    break;
  default:
    make_and_free();
  }
}

static double clock_of_calls(void) {
  return now();
}

static double most(double value) {
  double result;
  MPI_Allreduce(&value, &result, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return result;
}

static double run(long calls) {
  meet();
  meet(); /* the second one ends on all ranks at nearly the same time */
  double start = now();
  make_calls(calls);
  double seconds = (now() - start) / calls;
  done = calls;
  return pace = most(seconds);
}

static void check_all(void) {
  if (count == 0 || !receives()) {
    return;
  }
  for (long i = 0; i < target_blocks * count; i++) {
    check(i);
  }
}

static void measure(long bytes, int repeats) {
  count = bytes / (long)sizeof(double);
  call = 0;
  int all_to_all = operation == ALL_TO_ALL;
  int gathers = operation == ALLGATHER || (operation == GATHER && member == 0);
  int scatters = operation == REDUCE_SCATTER || operation == SCATTER; /* all ranks rewrite the bytes of the root */
  source_blocks = all_to_all || scatters ? members : 1;
  target_blocks = all_to_all || gathers ? members : 1;
  source = allocate(source_blocks * bytes);
  target = operation == BROADCAST ? source : allocate(target_blocks * bytes);
  fill_table(operation == BROADCAST && member > 0 ? WRONG : member + 1); /* a receiver holds no right value */
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

static void make_called(const char *kind) {
  called[0] = MPI_COMM_WORLD;
  if (strcmp(kind, "node") == 0) {
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, called);
  } else if (strcmp(kind, "interleaved") == 0) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, called);
  } else if (strcmp(kind, "alternating") == 0) {
    MPI_Comm_dup(MPI_COMM_WORLD, called + called_count++);
  }
  MPI_Comm_rank(called[0], &member);
  MPI_Comm_size(called[0], &members);
  int range[1][3] = {{member % 2, members - 1, 2}};
  for (int i = 0; i < called_count; i++) { /* MPICH 4.0.2 fails with groups of another communicator */
    MPI_Group everybody;
    MPI_Comm_group(called[i], &everybody);
    MPI_Group_range_incl(everybody, 1, range, mates + i);
    MPI_Group_free(&everybody);
  }
}

int main(int argc, char **argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int repeats = argc == 7 ? atoi(argv[3]) : 0;
  if (repeats < 1) {
    fprintf(stderr, "usage: collectives OPERATIONS SIZES REPEATS GATES COMMUNICATOR FIGURES\n");
    give_up(2);
  }
  open_gate(argv[4]);
  make_called(argv[5]);
  choose_figures(argv[6]);
  for (operation = BARRIER; operation < OPERATIONS; operation++) {
    if (!contains(argv[1], names[operation])) {
      continue;
    }
    if (operation == BARRIER || operation >= SPLIT) {
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
