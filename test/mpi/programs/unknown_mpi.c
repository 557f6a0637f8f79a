/* An unknown MPI library. It has few functions, which do nothing. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static int initialized, finalized;

#define BOTH(name, parameters, body)                                                               \
    int P##name parameters { body return 0; }                                                      \
    int name parameters { body return 0; }

BOTH(MPI_Init, (int* count, char*** arguments), initialized = 1;)
BOTH(MPI_Initialized, (int* flag), *flag = initialized;)
BOTH(MPI_Finalized, (int* flag), *flag = finalized;)
BOTH(MPI_Finalize, (void), finalized = 1;)
BOTH(MPI_Comm_rank, (long comm, int* rank), *rank = 0;)
BOTH(MPI_Send, (void* data, int count, long type, int to, int tag, long comm), ;)
