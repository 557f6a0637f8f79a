/* What the stub MPI (stub_mpi.c) and the programs for it share: handles, constants and status of
   one of the two binary interfaces, -DMPICH_ABI or -DOPEN_MPI_ABI. Not the mpi.h of either. */
#ifndef STUB_MPI_H
#define STUB_MPI_H

#include <stddef.h>

#if defined MPICH_ABI
typedef int Handle;
typedef struct {
    int count_low, count_high_and_cancelled, source, tag, error;
} Status;
#define COMM_WORLD ((Handle)0x44000000)
#define REQUEST_NULL ((Handle)0x2c000000)
#define TYPE_BYTE ((Handle)0x4c00010d)
#define OP_SUM ((Handle)0x58000003)
#define STATUS_IGNORE ((Status*)1)
#elif defined OPEN_MPI_ABI
typedef void* Handle;
typedef struct {
    int source, tag, error, cancelled;
    size_t count;
} Status;
typedef struct {
    char content[64];
} Object;
extern Object ompi_mpi_comm_world, ompi_request_null, ompi_mpi_byte, ompi_mpi_op_sum;
#define COMM_WORLD ((Handle)&ompi_mpi_comm_world)
#define REQUEST_NULL ((Handle)&ompi_request_null)
#define TYPE_BYTE ((Handle)&ompi_mpi_byte)
#define OP_SUM ((Handle)&ompi_mpi_op_sum)
#define STATUS_IGNORE ((Status*)0)
#else
#error "-DMPICH_ABI or -DOPEN_MPI_ABI"
#endif

int MPI_Init(int* argc, char*** argv);
int MPI_Comm_rank(Handle comm, int* rank);
int MPI_Comm_size(Handle comm, int* size);
int MPI_Comm_dup(Handle comm, Handle* copy);
int MPI_Send(const void* data, int count, Handle type, int peer, int tag, Handle comm);
int MPI_Recv(void* data, int count, Handle type, int peer, int tag, Handle comm, Status* status);
int MPI_Isend(const void* data, int count, Handle type, int peer, int tag, Handle comm,
              Handle* request);
int MPI_Irecv(void* data, int count, Handle type, int peer, int tag, Handle comm, Handle* request);
int MPI_Wait(Handle* request, Status* status);
int MPI_Waitall(int count, Handle* requests, Status* statuses);
int MPI_Allreduce(const void* data, void* result, int count, Handle type, Handle op, Handle comm);

#endif
