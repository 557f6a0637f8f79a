// Collective MPI functions whose results depend on what the process itself contributes: the labels
// of that are the labels of the result. Linked to programs that call them.
//
// For both families of MPI libraries: handles are numbers or pointers, which are passed in the same
// way. What other processes contribute has labels only there; their programs do the same.
#include <cstdint>

#include "taint/runtime/sanitizer.hpp"

using Handle = std::uintptr_t;

extern "C" {
int MPI_Comm_rank(Handle communicator, int* rank);
int MPI_Comm_size(Handle communicator, int* size);
int MPI_Type_size(Handle type, int* size);
int MPI_Allreduce(const void* sent, void* received, int count, Handle type, Handle operation,
                  Handle communicator);
int MPI_Reduce(const void* sent, void* received, int count, Handle type, Handle operation, int root,
               Handle communicator);
int MPI_Scan(const void* sent, void* received, int count, Handle type, Handle operation,
             Handle communicator);
int MPI_Exscan(const void* sent, void* received, int count, Handle type, Handle operation,
               Handle communicator);
int MPI_Allgather(const void* sent, int count, Handle type, void* received, int received_count,
                  Handle received_type, Handle communicator);
int MPI_Alltoall(const void* sent, int count, Handle type, void* received, int received_count,
                 Handle received_type, Handle communicator);
}

namespace {

std::size_t size_of(Handle type) {
    int size = 0;
    return MPI_Type_size(type, &size) == 0 && size > 0 ? static_cast<std::size_t>(size) : 0;
}

void add_label(Label label, void* address, std::size_t bytes) {
    if (label != 0 && bytes > 0 && vftrace::taint::can_have_labels(address) &&
        vftrace::taint::can_have_labels(static_cast<char*>(address) + bytes - 1))
        dfsan_add_label(label, address, bytes);
}

// Each element of the result depends on the same element of what was sent. MPI_IN_PLACE is not an
// address: then they are in the same memory, which keeps its labels.
void label_elements(const void* sent, void* received, int count, Handle type) {
    const std::size_t size = size_of(type);
    for (int i = 0; i < count && size > 0; ++i) {
        const std::size_t at = static_cast<std::size_t>(i) * size;
        const Label label = vftrace::taint::label_at(
            reinterpret_cast<const char*>(reinterpret_cast<std::uintptr_t>(sent) + at), size);
        add_label(label, static_cast<char*>(received) + at, size);
    }
}

// The whole result depends on everything that was sent.
void label_all(const void* sent, std::size_t sent_bytes, void* received, int count, Handle type,
               Handle communicator) {
    int ranks = 0;
    if (MPI_Comm_size(communicator, &ranks) != 0 || count <= 0 || ranks <= 0)
        return;
    add_label(vftrace::taint::label_at(sent, sent_bytes), received,
              static_cast<std::size_t>(count) * static_cast<std::size_t>(ranks) * size_of(type));
}

std::size_t bytes_of(int count, Handle type) {
    return count > 0 ? static_cast<std::size_t>(count) * size_of(type) : 0;
}

}  // namespace

extern "C" {

int __dfsw_MPI_Allreduce(const void* sent, void* received, int count, Handle type, Handle operation,
                         Handle communicator, Label, Label, Label, Label, Label, Label,
                         Label* result) {
    *result = 0;
    const int status = MPI_Allreduce(sent, received, count, type, operation, communicator);
    label_elements(sent, received, count, type);
    return status;
}

int __dfsw_MPI_Reduce(const void* sent, void* received, int count, Handle type, Handle operation,
                      int root, Handle communicator, Label, Label, Label, Label, Label, Label,
                      Label, Label* result) {
    *result = 0;
    const int status = MPI_Reduce(sent, received, count, type, operation, root, communicator);
    int rank = -1;
    if (MPI_Comm_rank(communicator, &rank) == 0 && rank == root)
        label_elements(sent, received, count, type);
    return status;
}

int __dfsw_MPI_Scan(const void* sent, void* received, int count, Handle type, Handle operation,
                    Handle communicator, Label, Label, Label, Label, Label, Label, Label* result) {
    *result = 0;
    const int status = MPI_Scan(sent, received, count, type, operation, communicator);
    label_elements(sent, received, count, type);
    return status;
}

int __dfsw_MPI_Exscan(const void* sent, void* received, int count, Handle type, Handle operation,
                      Handle communicator, Label, Label, Label, Label, Label, Label,
                      Label* result) {
    *result = 0;
    const int status = MPI_Exscan(sent, received, count, type, operation, communicator);
    label_elements(sent, received, count, type);
    return status;
}

int __dfsw_MPI_Allgather(const void* sent, int count, Handle type, void* received,
                         int received_count, Handle received_type, Handle communicator, Label,
                         Label, Label, Label, Label, Label, Label, Label* result) {
    *result = 0;
    const int status =
        MPI_Allgather(sent, count, type, received, received_count, received_type, communicator);
    label_all(sent, bytes_of(count, type), received, received_count, received_type, communicator);
    return status;
}

int __dfsw_MPI_Alltoall(const void* sent, int count, Handle type, void* received,
                        int received_count, Handle received_type, Handle communicator, Label, Label,
                        Label, Label, Label, Label, Label, Label* result) {
    *result = 0;
    const int status =
        MPI_Alltoall(sent, count, type, received, received_count, received_type, communicator);
    int ranks = 0;
    if (MPI_Comm_size(communicator, &ranks) == 0 && ranks > 0)
        label_all(sent, bytes_of(count, type) * static_cast<std::size_t>(ranks), received,
                  received_count, received_type, communicator);
    return status;
}

}  // extern "C"
