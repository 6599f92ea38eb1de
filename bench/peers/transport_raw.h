/* Copyright 2026 The Tutti authors. Licensed under the Apache License, Version 2.0; see the LICENSE file. */
/* The one-sided operations without a library, as a reference: the first of two processes operates on the memory of the
 * second one. On one node they share this memory, and an operation is plain C: memcpy, a loop, an atomic instruction.
 * With a namespace they share a TCP socket, which both poll. The second process serves requests only while it waits for
 * the first one in meet or most. A request has a header of 64 bytes. Requests without an answer are written together
 * with the next one that has an answer, if they fit. Offsets and counts are in doubles. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

enum { OUT_BYTES = 1 << 16, IN_BYTES = 1 << 16, CHUNK = 4096 };

enum kind { PUT_REQUEST, GET_REQUEST, ADD_REQUEST, SECTION_PUT_REQUEST, SECTION_GET_REQUEST, FETCH_REQUEST, LOCK_REQUEST,
  UNLOCK_REQUEST, FLUSH_REQUEST, MEET_REQUEST };

struct header {
  long kind, offset, count, pad[5];
};

/* The shared memory of two processes of a node: words for meeting, a value of each, and the second one's memory. */
struct shared {
  _Alignas(64) atomic_long arrived[2];
  _Alignas(64) double values[2];
  _Alignas(64) atomic_int taken;
  _Alignas(64) double memory[];
};

static struct shared *shared;
static size_t shared_bytes;
static double *memory;  /* of this process, or of the other one if they share memory */
static int peer = -1;   /* the socket, if there is one */
static pid_t child;
static long rounds, rows, columns_of_row, stride_of_row, locked;
static int written; /* since the last flush */
static char out[OUT_BYTES], in[IN_BYTES];
static size_t out_count, in_from, in_to;

static void give_up(int status) {
  exit(status);
}

/* ---- the socket */

static void fail(const char *what) {
  perror(what);
  give_up(1);
}

static void lost(void) {
  fprintf(stderr, "rank %d has lost the other process\n", rank);
  give_up(1);
}

static size_t move(int writes, void *bytes, size_t least, size_t most_bytes) {
  size_t moved = 0;
  while (moved < least) {
    ssize_t n = writes ? send(peer, (char *)bytes + moved, most_bytes - moved, MSG_NOSIGNAL)
                       : recv(peer, (char *)bytes + moved, most_bytes - moved, 0);
    if (n > 0) {
      moved += n;
    } else if (n == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
      lost();
    }
  }
  return moved;
}

static void push(void) {
  move(1, out, out_count, out_count);
  out_count = 0;
}

static void give(const void *bytes, size_t count) {
  if (count > OUT_BYTES - out_count) {
    push();
  }
  if (count > OUT_BYTES) {
    move(1, (void *)bytes, count, count);
    return;
  }
  memcpy(out + out_count, bytes, count);
  out_count += count;
}

static void take(void *bytes, size_t count) {
  while (count > 0) {
    size_t ready = in_to - in_from < count ? in_to - in_from : count;
    memcpy(bytes, in + in_from, ready);
    in_from += ready;
    bytes = (char *)bytes + ready;
    count -= ready;
    if (count >= IN_BYTES) {
      move(0, bytes, count, count);
      return;
    }
    if (count > 0) {
      in_to = move(0, in, 1, IN_BYTES);
      in_from = 0;
    }
  }
}

static void request(enum kind kind, long offset, long count) {
  struct header header = {.kind = kind, .offset = offset, .count = count};
  give(&header, sizeof header);
}

static long answer(void) {
  long value;
  push();
  take(&value, sizeof value);
  return value;
}

static void reply(long value) {
  give(&value, sizeof value);
  push();
}

static void add(double *to, const double *from, long count) {
  for (long i = 0; i < count; i++) {
    to[i] += from[i];
  }
}

static void take_sum(double *to, long count) {
  double chunk[CHUNK];
  for (long i = 0; i < count; i += CHUNK) {
    long length = count - i < CHUNK ? count - i : CHUNK;
    take(chunk, length * sizeof(double));
    add(to + i, chunk, length);
  }
}

static void give_section(const double *from) {
  for (long row = 0; row < rows; row++) {
    give(from + row * stride_of_row, columns_of_row * sizeof(double));
  }
}

static void take_section(double *to) {
  for (long row = 0; row < rows; row++) {
    take(to + row * stride_of_row, columns_of_row * sizeof(double));
  }
}

/* Serves the other process until it wants to meet. */
static void serve(void) {
  struct header header;
  do {
    take(&header, sizeof header);
    double *at = memory + header.offset;
    switch ((enum kind)header.kind) {
    case PUT_REQUEST:
      take(at, header.count * sizeof(double));
      break;
    case GET_REQUEST:
      give(at, header.count * sizeof(double));
      push();
      break;
    case ADD_REQUEST:
      take_sum(at, header.count);
      break;
    case SECTION_PUT_REQUEST:
      take_section(memory);
      break;
    case SECTION_GET_REQUEST:
      give_section(memory);
      push();
      break;
    case FETCH_REQUEST:
      reply((*(long *)memory)++);
      break;
    case LOCK_REQUEST:
      reply(locked++);
      break;
    case UNLOCK_REQUEST:
      locked--;
      break;
    case FLUSH_REQUEST:
      reply(0);
      break;
    case MEET_REQUEST:
      break;
    }
  } while (header.kind != MEET_REQUEST);
}

static struct sockaddr_in own_address(void) {
  struct ifaddrs *all;
  struct sockaddr_in found = {0};
  if (getifaddrs(&all) != 0) {
    fail("getifaddrs");
  }
  for (struct ifaddrs *each = all; each != NULL; each = each->ifa_next) {
    if (strcmp(each->ifa_name, "rail0") == 0 && each->ifa_addr != NULL && each->ifa_addr->sa_family == AF_INET) {
      found = *(struct sockaddr_in *)each->ifa_addr;
    }
  }
  freeifaddrs(all);
  found.sin_port = 0;
  return found;
}

static void enter(const char *namespace) {
  char path[PATH_BYTES];
  snprintf(path, sizeof path, "/run/netns/%s", namespace);
  int descriptor = open(path, O_RDONLY);
  if (descriptor < 0 || setns(descriptor, CLONE_NEWNET) != 0) {
    fail(path);
  }
  close(descriptor);
}

static void end(int signal) {
  (void)signal;
  _exit(1);
}

/* Starts the second process; each of the two ends when the other one ends. */
static void split(void) {
  pid_t parent = getpid();
  signal(SIGCHLD, end);
  child = fork();
  if (child < 0) {
    fail("fork");
  }
  rank = child == 0;
  if (rank == 1) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
      _exit(1);
    }
  }
}

static void open_socket(const char *namespace) {
  struct sockaddr_in address = own_address();
  socklen_t length = sizeof address;
  int door = socket(AF_INET, SOCK_STREAM, 0), on = 1;
  if (bind(door, (struct sockaddr *)&address, length) != 0 || listen(door, 1) != 0 ||
      getsockname(door, (struct sockaddr *)&address, &length) != 0) {
    fail("the socket of rank 0");
  }
  split();
  if (rank == 0) {
    peer = accept(door, NULL, NULL);
  } else {
    enter(namespace);
    peer = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(peer, (struct sockaddr *)&address, sizeof address) != 0) {
      fail("the socket of rank 1");
    }
  }
  close(door);
  setsockopt(peer, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  fcntl(peer, F_SETFL, O_NONBLOCK);
}

/* ---- both */

static void transport_open(int *argc, char ***argv) {
  size = 2;
  if (*argc == 6) {
    open_socket((*argv)[5]);
    return;
  }
  shared_bytes = (size_t)1 << 30; /* reserved, not used */
  shared = mmap(NULL, shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (shared == MAP_FAILED) {
    fail("mmap");
  }
  split();
}

static void transport_close(void) {
  int status = 0;
  signal(SIGCHLD, SIG_DFL); /* the child may end now */
  meet();
  if (rank == 0 && (waitpid(child, &status, 0) != child || status != 0)) {
    give_up(1);
  }
}

static void meet(void) {
  rounds++;
  if (peer < 0) {
    atomic_store(&shared->arrived[rank], rounds);
    while (atomic_load(&shared->arrived[1 - rank]) < rounds) {
    }
  } else if (rank == 0) {
    request(MEET_REQUEST, 0, 0);
    answer();
  } else {
    serve();
    reply(0);
  }
}

static double most(double value) {
  double other;
  if (peer < 0) {
    shared->values[rank] = value;
    meet();
    other = shared->values[1 - rank];
    meet();
  } else {
    meet();
    give(&value, sizeof value);
    push();
    take(&other, sizeof other);
  }
  return value > other ? value : other;
}

static void see(void) {
  atomic_thread_fence(memory_order_seq_cst);
}

static double *expose(long bytes) {
  locked = 0;
  if (peer < 0 && sizeof *shared + bytes > shared_bytes) {
    fprintf(stderr, "%ld bytes are too many\n", bytes);
    give_up(1);
  }
  memory = peer < 0 ? shared->memory : allocate(bytes);
  if (rank == 1) {
    memset(memory, 0, bytes);
  }
  meet();
  return memory;
}

static void conceal(void) {
  meet();
  if (peer >= 0) {
    free(memory);
  }
}

static void define_section(long row_count, long columns, long stride) {
  rows = row_count;
  columns_of_row = columns;
  stride_of_row = stride;
}

/* Orders earlier stores before later operations, and keeps the compiler from leaving a call out. */
static void flush(int target) {
  (void)target;
  atomic_signal_fence(memory_order_seq_cst);
  if (written && peer < 0) {
    atomic_thread_fence(memory_order_seq_cst);
  } else if (written) {
    request(FLUSH_REQUEST, 0, 0);
    answer();
  }
  written = 0;
}

static void flush_all(void) {
  flush(1);
}

static void put(int target, long offset, const double *source, long count) {
  (void)target;
  written = 1;
  if (peer < 0) {
    memcpy(memory + offset, source, count * sizeof(double));
    return;
  }
  request(PUT_REQUEST, offset, count);
  give(source, count * sizeof(double));
}

static void get(int target, long offset, double *to, long count) {
  (void)target;
  if (peer < 0) {
    memcpy(to, memory + offset, count * sizeof(double));
    return;
  }
  request(GET_REQUEST, offset, count);
  push();
  take(to, count * sizeof(double));
}

static void copy_section(double *to, const double *from) {
  for (long row = 0; row < rows; row++) {
    memcpy(to + row * stride_of_row, from + row * stride_of_row, columns_of_row * sizeof(double));
  }
}

static void put_section(int target, const double *source) {
  (void)target;
  written = 1;
  if (peer < 0) {
    copy_section(memory, source);
    return;
  }
  request(SECTION_PUT_REQUEST, 0, 0);
  give_section(source);
}

static void get_section(int target, double *to) {
  (void)target;
  if (peer < 0) {
    copy_section(to, memory);
    return;
  }
  request(SECTION_GET_REQUEST, 0, 0);
  push();
  take_section(to);
}

static void accumulate(int target, long offset, const double *source, long count) {
  (void)target;
  written = 1;
  if (peer < 0) {
    add(memory + offset, source, count);
    return;
  }
  request(ADD_REQUEST, offset, count);
  give(source, count * sizeof(double));
}

static long fetch_add(int target) {
  (void)target;
  if (peer < 0) {
    return atomic_fetch_add((atomic_long *)memory, 1);
  }
  request(FETCH_REQUEST, 0, 0);
  return answer();
}

static void lock(int target) {
  (void)target;
  if (peer < 0) {
    while (atomic_exchange(&shared->taken, 1) != 0) {
    }
    return;
  }
  request(LOCK_REQUEST, 0, 0);
  answer();
}

static void unlock(int target) {
  (void)target;
  if (peer < 0) {
    atomic_store_explicit(&shared->taken, 0, memory_order_release);
    return;
  }
  request(UNLOCK_REQUEST, 0, 0);
  push();
}
