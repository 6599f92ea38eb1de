/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* The one-sided operations of an MPI, in a window that MPI has allocated and that stays open to all ranks. Locks use a
 * window of their own, because no rank may lock an open window. Offsets and counts are in doubles. */
#define PUTS
#include "ranks_mpi.h"

enum { WINDOW_BYTES_MIN = 4096 }; /* MPICH 4.0.2 loses data that are put into a window of 8 bytes */

static MPI_Win window, locks;
static MPI_Datatype section;

/* Makes puts of other ranks into this rank's part visible to it, and its own stores there visible to them. */
static void see(void) {
  MPI_Win_sync(window);
}

static double *expose(long bytes) {
  double *memory;
  void *unused;
  MPI_Win_allocate(bytes < WINDOW_BYTES_MIN ? WINDOW_BYTES_MIN : bytes, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &memory, &window);
  MPI_Win_allocate(WINDOW_BYTES_MIN, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &unused, &locks);
  for (long i = 0; i < bytes / (long)sizeof(double); i++) {
    memory[i] = 0;
  }
  MPI_Win_lock_all(0, window);
  see();
  meet();
  return memory;
}

static void conceal(void) {
  MPI_Win_unlock_all(window);
  MPI_Win_free(&window);
  MPI_Win_free(&locks);
  MPI_Type_free(&section);
}

static void define_section(long rows, long columns, long stride) {
  MPI_Type_vector((int)rows, (int)columns, (int)stride, MPI_DOUBLE, &section);
  MPI_Type_commit(&section);
}

static void put(int target, long offset, const double *source, long count) {
  MPI_Put(source, (int)count, MPI_DOUBLE, target, offset, (int)count, MPI_DOUBLE, window);
}

static void get(int target, long offset, double *to, long count) {
  MPI_Get(to, (int)count, MPI_DOUBLE, target, offset, (int)count, MPI_DOUBLE, window);
}

static void put_section(int target, const double *source) {
  MPI_Put(source, 1, section, target, 0, 1, section, window);
}

static void get_section(int target, double *to) {
  MPI_Get(to, 1, section, target, 0, 1, section, window);
}

static void accumulate(int target, long offset, const double *source, long count) {
  MPI_Accumulate(source, (int)count, MPI_DOUBLE, target, offset, (int)count, MPI_DOUBLE, MPI_SUM, window);
}

static void flush(int target) {
  MPI_Win_flush(target, window);
}

static void flush_all(void) {
  MPI_Win_flush_all(window);
}

static long fetch_add(int target) {
  long one = 1, before;
  MPI_Fetch_and_op(&one, &before, MPI_LONG, target, 0, MPI_SUM, window);
  MPI_Win_flush(target, window);
  return before;
}

static void lock(int target) {
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, locks);
}

static void unlock(int target) {
  MPI_Win_unlock(target, locks);
}
