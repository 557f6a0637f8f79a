// MPI_Neighbor_alltoallw and MPI_Ineighbor_alltoallw of Fortran programs.
//
// Open MPI's bindings (seen in 4.1) translate as many datatypes as the communicator has processes,
// not as many as the process has neighbours: if a process is its own neighbour, or is a neighbour
// twice, as in small periodic grids, the call fails. Such calls go directly to the C function, with
// all datatypes translated; all others go to the binding.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string_view>

#include "base/prepend.hpp"
#include "guest/next_function.hpp"
#include "mpi/communicators.hpp"
#include "mpi/operations.hpp"
#include "mpi/wrapper.hpp"

namespace vftrace {
namespace {

struct Arguments {
    Word sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes, comm;
};

// The MPI library's translations of handles.
struct Handles {
    Word (*communicator)(int) = next_function<Word (*)(int)>("PMPI_Comm_f2c");
    Word (*datatype)(int) = next_function<Word (*)(int)>("PMPI_Type_f2c");
    int (*request)(Word) = next_function<int (*)(Word)>("PMPI_Request_c2f");
    bool complete() const { return communicator && datatype && request; }
};

// Nonblocking calls may read the handles until their request is complete. So arrays are kept, one
// for each distinct content: programs use the same few repeatedly.
struct DatatypeArray {
    DatatypeArray* next;
    std::size_t count;
    Word* handles() { return reinterpret_cast<Word*>(this + 1); }
};
DatatypeArray* arrays;

DatatypeArray* known_array(const DatatypeArray& wanted, const Word* handles) {
    DatatypeArray* array = __atomic_load_n(&arrays, __ATOMIC_ACQUIRE);
    while (array && (array->count != wanted.count ||
                     std::memcmp(array->handles(), handles, wanted.count * sizeof(Word)) != 0))
        array = array->next;
    return array;
}

// The C handles for `count` Fortran handles; nullptr if there is no memory.
const Word* translated(Word fortran_handles, std::size_t count, const Handles& handles) {
    auto* made =
        static_cast<DatatypeArray*>(std::malloc(sizeof(DatatypeArray) + count * sizeof(Word)));
    if (!made)
        return nullptr;
    made->count = count;
    for (std::size_t i = 0; i < count; i++)
        made->handles()[i] = handles.datatype(int_at(fortran_handles, i));
    if (DatatypeArray* known = known_array(*made, made->handles())) {
        std::free(made);
        return known->handles();
    }
    prepend(arrays, made);
    return made->handles();
}

// MPI_BOTTOM is an object in Fortran, whose name depends on the compiler, and null in C.
Word c_address(Word address) {
    for (const char* name : {"mpi_fortran_bottom_", "mpi_fortran_bottom", "mpi_fortran_bottom__",
                             "MPI_FORTRAN_BOTTOM"})
        if (address == word_of(dlsym(RTLD_DEFAULT, name)))
            return 0;
    return address;
}

// Replaces what differs in C. Returns false if the binding is to be called as it is.
bool translate(Arguments& arguments, const Handles& handles) {
    if (!family.known || std::string_view(family.name) != "Open MPI" || !handles.complete())
        return false;
    const Word communicator = handles.communicator(int_at(arguments.comm));
    const CommunicatorInfo* info = communicator_with_neighbours(communicator);
    if (!info || std::max(info->source_count, info->destination_count) <= info->size)
        return false;
    const Word* sendtypes =
        translated(arguments.sendtypes, static_cast<std::size_t>(info->destination_count), handles);
    const Word* recvtypes =
        translated(arguments.recvtypes, static_cast<std::size_t>(info->source_count), handles);
    if (!sendtypes || !recvtypes)
        return false;
    arguments.comm = communicator;
    arguments.sendtypes = word_of(sendtypes);
    arguments.recvtypes = word_of(recvtypes);
    arguments.sendbuf = c_address(arguments.sendbuf);
    arguments.recvbuf = c_address(arguments.recvbuf);
    return true;
}

// Makes the call come from where the binding would make it, so that it is shown by its Fortran
// name.
Site site_in(void* binding, Site site) {
    site.caller = binding;
    return site;
}

void blocking(const char* binding_name, Arguments a, int* error, const Site& site) {
    void* binding = next_function<void*>(binding_name);
    int result;
    if (translate(a, {})) {
        Collective<Pattern::neighbor_alltoallw, false, Completion::blocking> operation{
            .sendcounts = a.sendcounts,
            .sendtypes = a.sendtypes,
            .recvcounts = a.recvcounts,
            .recvtypes = a.recvtypes,
            .comm = a.comm};
        result =
            to_int(wrap(FunctionId::MPI_Neighbor_alltoallw, site_in(binding, site), operation,
                        [&](RealFunction<9> real) {
                            return real(a.sendbuf, a.sendcounts, a.sdispls, a.sendtypes, a.recvbuf,
                                        a.recvcounts, a.rdispls, a.recvtypes, a.comm);
                        }));
    } else if (binding) {
        return reinterpret_cast<void (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word,
                                         int*)>(binding)(a.sendbuf, a.sendcounts, a.sdispls,
                                                         a.sendtypes, a.recvbuf, a.recvcounts,
                                                         a.rdispls, a.recvtypes, a.comm, error);
    } else {
        result = to_int(call_without_mpi(FunctionId::MPI_Neighbor_alltoallw, nullptr));
    }
    if (error)
        *error = result;
}

void nonblocking(const char* binding_name, Arguments a, int* request, int* error,
                 const Site& site) {
    void* binding = next_function<void*>(binding_name);
    const Handles handles;
    int result;
    if (translate(a, handles)) {
        Word c_request = handle_constant(family.constants.request_null);
        Word request_address = word_of(&c_request);
        Collective<Pattern::neighbor_alltoallw, false, Completion::request> operation{
            .sendcounts = a.sendcounts,
            .sendtypes = a.sendtypes,
            .recvcounts = a.recvcounts,
            .recvtypes = a.recvtypes,
            .comm = a.comm,
            .request = request_address};
        result = to_int(wrap(FunctionId::MPI_Ineighbor_alltoallw, site_in(binding, site), operation,
                             [&](RealFunction<10> real) {
                                 return real(a.sendbuf, a.sendcounts, a.sdispls, a.sendtypes,
                                             a.recvbuf, a.recvcounts, a.rdispls, a.recvtypes,
                                             a.comm, request_address);
                             }));
        if (result == 0)
            *request = handles.request(c_request);
    } else if (binding) {
        return reinterpret_cast<void (*)(Word, Word, Word, Word, Word, Word, Word, Word, Word, int*,
                                         int*)>(binding)(
            a.sendbuf, a.sendcounts, a.sdispls, a.sendtypes, a.recvbuf, a.recvcounts, a.rdispls,
            a.recvtypes, a.comm, request, error);
    } else {
        result = to_int(call_without_mpi(FunctionId::MPI_Ineighbor_alltoallw, nullptr));
    }
    if (error)
        *error = result;
}

}  // namespace

// The names that gfortran and most other compilers use for what `mpif.h` and the module `mpi`
// declare; and those that Open MPI's module `mpi_f08` calls.
#define VFTRACE_FORTRAN_NEIGHBOURS(blocking_name, nonblocking_name)                                \
    VFTRACE_MPI_EXPORT void blocking_name(Word sendbuf, Word sendcounts, Word sdispls,             \
                                          Word sendtypes, Word recvbuf, Word recvcounts,           \
                                          Word rdispls, Word recvtypes, Word comm, int* error) {   \
        blocking(#blocking_name,                                                                   \
                 {sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,           \
                  recvtypes, comm},                                                                \
                 error, VFTRACE_MPI_SITE(called_as_pmpi));                                         \
    }                                                                                              \
    VFTRACE_MPI_EXPORT void nonblocking_name(                                                      \
        Word sendbuf, Word sendcounts, Word sdispls, Word sendtypes, Word recvbuf,                 \
        Word recvcounts, Word rdispls, Word recvtypes, Word comm, int* request, int* error) {      \
        nonblocking(#nonblocking_name,                                                             \
                    {sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls,        \
                     recvtypes, comm},                                                             \
                    request, error, VFTRACE_MPI_SITE(called_as_pmpi));                             \
    }
VFTRACE_FORTRAN_NEIGHBOURS(mpi_neighbor_alltoallw_, mpi_ineighbor_alltoallw_)
VFTRACE_FORTRAN_NEIGHBOURS(ompi_neighbor_alltoallw_f, ompi_ineighbor_alltoallw_f)
#undef VFTRACE_FORTRAN_NEIGHBOURS

}  // namespace vftrace
