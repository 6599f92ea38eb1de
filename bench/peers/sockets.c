/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* Measures two C processes over a plain TCP socket on loopback, both polling: the reference of the tcp fabric. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MESSAGE = 72, ROUNDS = 20000, REPEATS = 7, PUTS = 400, PUT = 1 << 20 };

static char memory[PUT];

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec + t.tv_nsec * 1e-9;
}

static void transfer(int socket, char *bytes, size_t count, int writes) {
  while (count > 0) {
    ssize_t n = writes ? write(socket, bytes, count) : read(socket, bytes, count);
    if (n > 0) {
      bytes += n;
      count -= n;
    } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK)) {
      exit(1);
    }
  }
}

static int compare(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void report(const char *what, double *values) {
  qsort(values, REPEATS, sizeof *values, compare);
  printf("%s,%.2f,%.2f,%.2f\n", what, values[REPEATS / 2], values[0], values[REPEATS - 1]);
}

static int prepare(int socket) {
  int on = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(socket, F_SETFL, O_NONBLOCK);
  return socket;
}

int main(void) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  int door = socket(AF_INET, SOCK_STREAM, 0);
  bind(door, (struct sockaddr *)&address, sizeof address);
  listen(door, 1);
  getsockname(door, (struct sockaddr *)&address, &length);
  pid_t child = fork();
  if (child == 0) {
    int s = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(s, (struct sockaddr *)&address, sizeof address) != 0) exit(1);
    prepare(s);
    for (int i = 0; i < (REPEATS + 1) * ROUNDS; i++) {
      transfer(s, memory, MESSAGE, 0);
      transfer(s, memory, MESSAGE, 1);
    }
    for (int repeat = 0; repeat <= REPEATS; repeat++) {
      for (int i = 0; i < PUTS; i++) transfer(s, memory, PUT, 0);
      transfer(s, memory, 1, 1);
    }
    return 0;
  }
  int s = prepare(accept(door, NULL, NULL));
  double micros[REPEATS + 1], rates[REPEATS + 1];
  for (int repeat = 0; repeat <= REPEATS; repeat++) {
    double start = now();
    for (int i = 0; i < ROUNDS; i++) {
      transfer(s, memory, MESSAGE, 1);
      transfer(s, memory, MESSAGE, 0);
    }
    micros[repeat] = (now() - start) * 1e6 / ROUNDS / 2;
  }
  for (int repeat = 0; repeat <= REPEATS; repeat++) {
    double start = now();
    for (int i = 0; i < PUTS; i++) transfer(s, memory, PUT, 1);
    transfer(s, memory, 1, 0);
    rates[repeat] = (double)PUTS * PUT / (now() - start) / 1e9;
  }
  report("C: 72 bytes one way µs (both poll)", micros + 1);
  report("C: stream of 1 MB GB/s", rates + 1);
  waitpid(child, NULL, 0);
  return 0;
}
