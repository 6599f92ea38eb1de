/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* The loops of tutti bench --messages with an MPI. This program follows MessageLoop.java step by step.
 * Usage: messages CELLS REPEATS GATES FIGURES, such as latency:8,bandwidth:65536 7 directory means. */
#include "loop.h"

#include "ranks_mpi.h"

enum { WINDOW = 64, TAG = 0 };

enum operation { LATENCY, BANDWIDTH, MESSAGE_RATE, OPERATIONS };
static const char *const names[OPERATIONS] = {"latency", "bandwidth", "message-rate"};

static enum operation operation;
static int other, in_flight, sent_messages, received_messages;
static long count, call;
static double *sent, *received, reply; /* the messages of a call follow each other in memory */
static MPI_Request requests[WINDOW];

static double first(int sender) {
  return sender + 1;
}

static int takes_part(void) {
  return rank == 0 || rank == size - 1;
}

/* The number of a message of the latest call. */
static long number(int message) {
  return call * in_flight + message;
}

static void check(double found, long index, long message) {
  double expected = value(first(other), index, message);
  if (found != expected) {
    fprintf(stderr,
            "wrong result: %s of %ld bytes on rank %d, call %ld: element %ld of a message of rank %d is %g instead "
            "of %g\n",
            names[operation], count * (long)sizeof(double), rank, call, index, other, found, expected);
    give_up(1);
  }
}

/* Checks an element of each message of the latest call: the next one in each call. */
static void check_one(void) {
  long checked = call % count;
  for (int i = 0; i < in_flight; i++) {
    check(received[i * count + checked], checked, number(i));
  }
}

static void check_all(void) {
  for (int message = 0; message < received_messages; message++) {
    for (long i = 0; i < count; i++) {
      check(received[message * count + i], i, number(message));
    }
  }
}

/* Rewrites all elements of this rank's messages of the call. */
static void rewrite(void) {
  for (int i = 0; i < in_flight; i++) {
    write_values(sent + i * count, count, number(i));
  }
}

static int has_much_data(void) {
  return count > 1;
}

/* Rewrites messages in turns, because the time of a call is that of one message. */
static void rewrite_only(void) {
  static int next;
  if (sent_messages > 0) {
    next = (next + 1) % in_flight;
    write_values(sent + next * count, count, number(next));
  }
}

static void ping_pong(void) {
  if (rank == 0) {
    rewrite();
    MPI_Send(sent, (int)count, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD);
    MPI_Recv(received, (int)count, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_one();
  } else {
    MPI_Recv(received, (int)count, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check_one();
    rewrite();
    MPI_Send(sent, (int)count, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD);
  }
}

static void send_window(void) {
  MPI_Recv(&reply, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(reply, 0, call);
  rewrite();
  for (int i = 0; i < in_flight; i++) {
    MPI_Isend(sent + i * count, (int)count, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD, requests + i);
  }
  MPI_Waitall(in_flight, requests, MPI_STATUSES_IGNORE);
}

static void receive_window(void) {
  for (int i = 0; i < in_flight; i++) {
    MPI_Irecv(received + i * count, (int)count, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD, requests + i);
  }
  reply = value(first(rank), 0, call);
  MPI_Send(&reply, 1, MPI_DOUBLE, other, TAG, MPI_COMM_WORLD);
  MPI_Waitall(in_flight, requests, MPI_STATUSES_IGNORE);
  check_one();
}

static void call_once(void) {
  call++;
  if (operation == LATENCY) {
    ping_pong();
  } else if (rank == 0) {
    send_window();
  } else {
    receive_window();
  }
}

/* The messages of a call that follow each other share its time, so the clock is slower by their number. */
static double clock_of_calls(void) {
  return now() / (operation == LATENCY ? 2 : WINDOW);
}

static double run(long calls) {
  meet();
  meet(); /* the second one ends on all ranks at nearly the same time */
  double start = now(), begin = clock_of_calls();
  if (takes_part()) {
    make_calls(calls);
  }
  double seconds = clock_of_calls() - begin, passed = now() - start;
  done = calls;
  pace = most(takes_part() ? passed / calls : 0);
  return most(takes_part() ? seconds / calls : 0);
}

static void measure(long bytes, int repeats) {
  int last = rank == size - 1;
  other = rank == 0 ? size - 1 : 0;
  count = bytes / (long)sizeof(double);
  call = 0;
  in_flight = operation == LATENCY ? 1 : WINDOW;
  counts_as = in_flight;
  sent_messages = rank == 0 || (operation == LATENCY && last) ? in_flight : 0;
  received_messages = last || (operation == LATENCY && rank == 0) ? in_flight : 0;
  sent = allocate(sent_messages * bytes);
  received = allocate(received_messages * bytes);
  fill_table(first(rank));
  take_turns(names[operation], bytes, repeats);
  free(received);
  free(sent);
}

/* Reads a cell such as latency:8 and returns the beginning of the next one. */
static char *read_cell(char *at, long *bytes) {
  size_t length = strcspn(at, ":");
  for (operation = 0; at[length] != '\0' && operation < OPERATIONS; operation++) {
    if (strlen(names[operation]) == length && strncmp(names[operation], at, length) == 0) {
      char *end;
      *bytes = strtol(at + length + 1, &end, 10);
      return end + (*end == ',');
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  transport_open(&argc, &argv);
  int repeats = argc == 5 ? atoi(argv[2]) : 0;
  if (repeats < 1 || size < 2) {
    fprintf(stderr, "usage: messages CELLS REPEATS GATES FIGURES, on two ranks or more\n");
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
