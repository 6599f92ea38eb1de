/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* Sum, minimum and maximum of two ranges in plain C loops, with the semantics of Java's Math.min and Math.max: the
   reference of the reduction kernels. Prints the same lines as org.tutti.bench.KernelBenchmark, which explains them. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINE = 64, ARRAY_HEADER = 16 };

static const double WARM_UP_SECONDS = 0.02, REPEAT_SECONDS = 0.004;
static const int REPEATS = 15;
static const size_t SIZES[] = {4 << 10, 64 << 10, 1 << 20, 64 << 20};

/* The processor's minimum and maximum choose the second operand if both are zeros, or if one is a NaN. These functions
   therefore put the right one of two zeros second, and choose a NaN in the first operand afterwards. This is faster
   than a distinction of cases. */
#define CHOICES(type, bits) \
  static inline int type##_is_negative(type a) { \
    bits sign; \
    memcpy(&sign, &a, sizeof sign); \
    return sign < 0; \
  } \
  static inline type type##_least(type a, type b) { \
    int negative = type##_is_negative(a); \
    type x = negative ? b : a; \
    type y = negative ? a : b; \
    type z = x < y ? x : y; \
    return x != x ? x : z; \
  } \
  static inline type type##_greatest(type a, type b) { \
    int negative = type##_is_negative(a); \
    type x = negative ? a : b; \
    type y = negative ? b : a; \
    type z = x > y ? x : y; \
    return x != x ? x : z; \
  }
CHOICES(double, int64_t)
CHOICES(float, int32_t)

typedef void combine(const void *left, const void *right, void *target, size_t bytes);

#define LOOPS(type, name, expression) \
  static void type##_##name(const void *left, const void *right, void *target, size_t bytes) { \
    const type *restrict l = left, *restrict r = right; \
    type *restrict t = target; \
    for (size_t i = 0; i < bytes / sizeof(type); i++) { \
      type a = l[i], b = r[i]; \
      t[i] = expression; \
    } \
  } \
  static void type##_##name##_in_place(const void *left, const void *right, void *target, size_t bytes) { \
    const type *restrict r = right; \
    type *restrict t = target; \
    (void)left; \
    for (size_t i = 0; i < bytes / sizeof(type); i++) { \
      type a = t[i], b = r[i]; \
      t[i] = expression; \
    } \
  }
LOOPS(int, sum, (int)((unsigned)a + (unsigned)b))
LOOPS(int, min, a < b ? a : b)
LOOPS(int, max, a > b ? a : b)
LOOPS(long, sum, (long)((unsigned long)a + (unsigned long)b))
LOOPS(long, min, a < b ? a : b)
LOOPS(long, max, a > b ? a : b)
LOOPS(float, sum, a + b)
LOOPS(float, min, float_least(a, b))
LOOPS(float, max, float_greatest(a, b))
LOOPS(double, sum, a + b)
LOOPS(double, min, double_least(a, b))
LOOPS(double, max, double_greatest(a, b))

static const struct {
  const char *type, *operator;
  size_t bytes;
  combine *apart, *in_place;
} KERNELS[] = {
#define KERNEL(type, name) {#type, #name, sizeof(type), type##_##name, type##_##name##_in_place}
#define KERNELS_OF(type) KERNEL(type, sum), KERNEL(type, min), KERNEL(type, max)
  KERNELS_OF(int), KERNELS_OF(long), KERNELS_OF(float), KERNELS_OF(double)
};

/* The elements of a Java array begin 16 bytes after the start of its header, which lies anywhere; memory off the heap
   begins with a cache line. */
static const struct {
  const char *name;
  size_t left, right, target;
  int in_place;
} OPERANDS[] = {
  {"heap", ARRAY_HEADER, ARRAY_HEADER, ARRAY_HEADER, 1},
  {"off-heap", 0, 0, 0, 1},
  {"mixed", ARRAY_HEADER, 0, ARRAY_HEADER, 1},
  {"apart", ARRAY_HEADER, 0, 0, 0},
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static char *allocate(size_t bytes, size_t offset) {
  char *memory = aligned_alloc(LINE, bytes + LINE);
  if (!memory) {
    exit(1);
  }
  memset(memory, 0, bytes + LINE);
  return memory + offset;
}

static double best(combine *run, const char *left, const char *right, char *target, size_t bytes) {
  long calls = 0;
  for (double end = now() + WARM_UP_SECONDS; now() < end; calls++) {
    run(left, right, target, bytes);
  }
  calls = 1 + calls * (REPEAT_SECONDS / WARM_UP_SECONDS);
  double highest = 0;
  for (int repeat = 0; repeat < REPEATS; repeat++) {
    double start = now();
    for (long i = 0; i < calls; i++) {
      run(left, right, target, bytes);
    }
    double speed = bytes * calls / (now() - start) * 1e-9;
    highest = speed > highest ? speed : highest;
  }
  return highest;
}

int main(void) {
  for (size_t k = 0; k < sizeof KERNELS / sizeof *KERNELS; k++) {
    for (size_t o = 0; o < sizeof OPERANDS / sizeof *OPERANDS; o++) {
      for (size_t s = 0; s < sizeof SIZES / sizeof *SIZES; s++) {
        char *left = allocate(SIZES[s], OPERANDS[o].left), *right = allocate(SIZES[s], OPERANDS[o].right);
        char *target = OPERANDS[o].in_place ? left : allocate(SIZES[s], OPERANDS[o].target);
        combine *run = OPERANDS[o].in_place ? KERNELS[k].in_place : KERNELS[k].apart;
        double speed = best(run, left, right, target, SIZES[s]);
        printf("c,%s,%s,%s,%zu,%.2f\n", KERNELS[k].operator, KERNELS[k].type, OPERANDS[o].name, SIZES[s], speed);
        if (target != left) {
          free(target - OPERANDS[o].target);
        }
        free(left - OPERANDS[o].left);
        free(right - OPERANDS[o].right);
      }
    }
  }
  return 0;
}
