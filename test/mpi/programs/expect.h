/* What a test program really does, recorded by the program: the messages that its MPI calls send
   and receive, for comparison with the profile, and the results of the calls, for comparison with a
   run without a profiler. Nothing here calls MPI. Each rank writes into files of its own in the
   current folder:

       expected.RANK   lines
           calls FUNCTION number
           total FUNCTION sent_messages sent_bytes received_messages received_bytes
           pair PEER FUNCTION sent_messages sent_bytes received_messages received_bytes
       reported.RANK       the texts passed to report() */
#ifndef EXPECT_H
#define EXPECT_H

/* To be called first. The rank is that in MPI_COMM_WORLD, as are all peers below. */
void expect_rank(int rank);

/* One message that a point-to-point or one-sided function sends to, or receives from, a rank. */
void expect_sent(const char* function, int peer, long long bytes);
void expect_received(const char* function, int peer, long long bytes);

/* Messages of one collective call; their bytes are those of one message. */
void expect_collective_sent(const char* function, int messages, long long bytes);
void expect_collective_received(const char* function, int messages, long long bytes);

/* The number of calls of a function, if it matters. */
void expect_calls(const char* function, int calls);

/* Writes expected.RANK; called early by programs that do not end well. */
void expect_write(void);

/* A result that must be the same with and without a profiler; the format does not end with a
   newline. */
void report(const char* format, ...) __attribute__((format(printf, 1, 2)));

/* The same for Fortran, which cannot call functions with variable arguments. */
void report_number(const char* what, int number);

/* Sum over the bytes of a buffer, weighted by position, so that it differs if anything is
   misplaced. */
unsigned checksum(const void* data, long long bytes);

#endif
