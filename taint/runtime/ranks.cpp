// The number of MPI ranks is a parameter, p. Linked to programs that query it.
#include "taint/runtime/parameters.hpp"
#include "taint/runtime/sanitizer.hpp"

// For both families of MPI libraries: a communicator is a number or a pointer, and both are passed
// in the same way.
extern "C" {

int MPI_Comm_size(void* communicator, int* size);
int PMPI_Comm_size(void* communicator, int* size);

int __dfsw_MPI_Comm_size(void* communicator, int* size, Label, Label, Label* result) {
    *result = 0;
    const int status = MPI_Comm_size(communicator, size);
    dfsan_set_label(vftrace::taint::label_of_ranks(), size, sizeof *size);
    return status;
}

int __dfsw_PMPI_Comm_size(void* communicator, int* size, Label, Label, Label* result) {
    *result = 0;
    const int status = PMPI_Comm_size(communicator, size);
    dfsan_set_label(vftrace::taint::label_of_ranks(), size, sizeof *size);
    return status;
}

}  // extern "C"
