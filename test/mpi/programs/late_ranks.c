/* Three ranks, one of which is late in the way that the argument names, so that the others' waits
   are known. */
#include <mpi.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { tag_first = 1, tag_second = 2, late = 2 };

static int rank;
static int size;
static int number;

void late_work(void) {
    struct timespec time = {0, 400 * 1000 * 1000};
    nanosleep(&time, NULL);
}

static void send_to(int to, int tag, MPI_Comm comm) {
    MPI_Send(&number, 1, MPI_INT, to, tag, comm);
}
static void receive_from(int source, int tag, MPI_Comm comm) {
    MPI_Recv(&number, 1, MPI_INT, source, tag, comm, MPI_STATUS_IGNORE);
}

void late_sender(void) {
    if (rank == late) {
        late_work();
        send_to(0, tag_first, MPI_COMM_WORLD);
    } else if (rank == 0) {
        receive_from(late, tag_first, MPI_COMM_WORLD);
    }
}

void late_sender_of_request(void) {
    MPI_Request request;
    if (rank == late) {
        late_work();
        MPI_Isend(&number, 1, MPI_INT, 0, tag_first, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 0) {
        MPI_Irecv(&number, 1, MPI_INT, late, tag_first, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

void late_sender_of_several(void) {
    MPI_Request requests[2];
    int numbers[2];
    if (rank == late)
        late_work();
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&numbers[i], 1, MPI_INT, i + 1, tag_first, MPI_COMM_WORLD, &requests[i]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    } else {
        send_to(0, tag_first, MPI_COMM_WORLD);
    }
}

/* Receives from any sender: first from the other rank, then from the late one, which waits until
   the other has sent. */
void any_sender(void) {
    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            receive_from(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD);
        return;
    }
    if (rank == late) {
        receive_from(1, tag_first, MPI_COMM_WORLD);
        late_work();
    }
    send_to(0, rank, MPI_COMM_WORLD);
    if (rank == 1)
        send_to(late, tag_first, MPI_COMM_WORLD);
}

void late_receiver(void) {
    if (rank == late) {
        late_work();
        receive_from(0, tag_first, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Ssend(&number, 1, MPI_INT, late, tag_first, MPI_COMM_WORLD);
    }
}

void wrong_order(void) {
    if (rank == late) {
        send_to(0, tag_first, MPI_COMM_WORLD);
        late_work();
        send_to(0, tag_second, MPI_COMM_WORLD);
    } else if (rank == 0) {
        receive_from(late, tag_second, MPI_COMM_WORLD);
        receive_from(late, tag_first, MPI_COMM_WORLD);
    }
}

void barrier(void) {
    if (rank == late)
        late_work();
    MPI_Barrier(MPI_COMM_WORLD);
}

void nonblocking_barrier(void) {
    MPI_Request request;
    if (rank == late)
        late_work();
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void all_to_all(void) {
    int sum;
    if (rank == late)
        late_work();
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

void late_broadcast(void) {
    if (rank == late)
        late_work();
    MPI_Bcast(&number, 1, MPI_INT, late, MPI_COMM_WORLD);
}

void early_reduce(void) {
    int sum;
    if (rank == late)
        late_work();
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
}

void early_scan(void) {
    int sum;
    if (rank == 0)
        late_work();
    MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

/* Ranks 0 and 2 are in the same communicator. */
void sub_communicator(void) {
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
    if (rank == late)
        late_work();
    MPI_Barrier(half);
    MPI_Comm_free(&half);
}

/* The ranks use two communicators of the same group in different orders. */
void two_of_one_group(void) {
    MPI_Comm first, second;
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    if (rank == late) {
        send_to(0, tag_first, second);
        late_work();
        send_to(0, tag_first, first);
    } else if (rank == 0) {
        receive_from(late, tag_first, first);
        receive_from(late, tag_first, second);
    }
    MPI_Comm_free(&first);
    MPI_Comm_free(&second);
}

void intercommunicator(void) {
    MPI_Comm group, both;
    MPI_Comm_split(MPI_COMM_WORLD, rank == late, 0, &group);
    MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, rank == late ? 0 : late, tag_first, &both);
    if (rank == late) {
        late_work();
        send_to(0, tag_first, both);
    } else if (rank == 0) {
        receive_from(0, tag_first, both);
    }
    MPI_Barrier(both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&group);
}

/* No rank is late. */
void balanced(void) {
    for (int i = 0; i < 10; i++)
        MPI_Barrier(MPI_COMM_WORLD);
}

/* All ranks have the same work: they wait for each other for a small part of two seconds, even on a
   busy machine. */
void equal_work(void) {
    const struct timespec time = {2, 0};
    nanosleep(&time, NULL);
}

void equal(void) {
    int got;
    equal_work();
    MPI_Sendrecv(&number, 1, MPI_INT, (rank + 1) % size, tag_first, &got, 1, MPI_INT,
                 (rank + size - 1) % size, tag_first, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* All ranks are killed after their events have been written to the trace. */
void killed(void) {
    signal(SIGTERM, SIG_IGN); /* sent by the launcher to ranks that are still alive */
    sleep(2);
    kill(getpid(), SIGKILL);
}

static const struct {
    const char* name;
    void (*run)(void);
} scenarios[] = {{"late_sender", late_sender},
                 {"late_sender_of_request", late_sender_of_request},
                 {"late_sender_of_several", late_sender_of_several},
                 {"any_sender", any_sender},
                 {"late_receiver", late_receiver},
                 {"wrong_order", wrong_order},
                 {"barrier", barrier},
                 {"nonblocking_barrier", nonblocking_barrier},
                 {"all_to_all", all_to_all},
                 {"late_broadcast", late_broadcast},
                 {"early_reduce", early_reduce},
                 {"early_scan", early_scan},
                 {"sub_communicator", sub_communicator},
                 {"two_of_one_group", two_of_one_group},
                 {"intercommunicator", intercommunicator},
                 {"balanced", balanced},
                 {"equal", equal},
                 {"killed", killed}};

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int argument = 1; argument < argc; argument++)
        for (unsigned i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++)
            if (strcmp(argv[argument], scenarios[i].name) == 0) {
                MPI_Barrier(MPI_COMM_WORLD);
                scenarios[i].run();
                MPI_Barrier(MPI_COMM_WORLD);
            }
    MPI_Finalize();
    return 0;
}
