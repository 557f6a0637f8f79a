// Which family of MPI libraries is in the process, and its constants.
#include "mpi/family.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

#include "base/message.hpp"
#include "base/text.hpp"
#include "mpi/functions.hpp"

namespace vftrace {

Family family;

namespace {

struct Row {
    std::intptr_t FamilyConstants::*member;
    const char* values[3];
};
struct DatatypeRow {
    std::string_view name;
    const char* values[3];
};
constexpr Row rows[] = {
#define VFTRACE_MPI_CONSTANT(member, name, open_mpi, mpich, mpi_abi)                               \
    {&FamilyConstants::member, {#open_mpi, #mpich, #mpi_abi}},
#include "mpi/families.inc"
#undef VFTRACE_MPI_CONSTANT
};
constexpr DatatypeRow datatype_rows[] = {
#define VFTRACE_MPI_DATATYPE(name, open_mpi, mpich, mpi_abi) {#name, {#open_mpi, #mpich, #mpi_abi}},
#include "record/mpi_datatypes.inc"
#undef VFTRACE_MPI_DATATYPE
};
enum Column { open_mpi, mpich, mpi_abi };
constexpr const char* names[] = {"Open MPI", "MPICH", "the MPI standard ABI"};

// Predefined handles are objects of which the program may have a copy: the copy that all code uses
// is the first one in the global scope. With an MPI that was opened only for a plugin there is
// none, and the library's own object is the right one.
void* find_object(const char* name, void* mpi_library) {
    void* object = dlsym(RTLD_DEFAULT, name);
    return object ? object : dlsym(mpi_library, name);
}

// Finds the meaning of a value in a table: a number, or the address of an object. Returns false if
// there is no such object.
bool evaluate(const char* value, void* mpi_library, std::intptr_t& result) {
    if (*value == '-' || (*value >= '0' && *value <= '9')) {
        result = static_cast<std::intptr_t>(std::strtoll(value, nullptr, 0));
        return true;
    }
    result = reinterpret_cast<std::intptr_t>(find_object(value, mpi_library));
    return result != 0;
}

bool fill(Column column, void* mpi_library) {
    for (const Row& row : rows)
        if (!evaluate(row.values[column], mpi_library, family.constants.*row.member))
            return false;
    for (std::size_t i = 0; i < datatype_count; i++) {
        std::intptr_t handle = 0;
        evaluate(datatype_rows[i].values[column], mpi_library, handle);
        family.datatypes[i] = handle_constant(handle);
    }
    family.known = true;
    family.name = names[column];
    return true;
}

}  // namespace

void find_family() {
    family = {};
    void* real = real_function(FunctionId::MPI_Comm_rank);
    Dl_info information;
    if (!real || !dladdr(real, &information) || !information.dli_fname)
        return;
    // By the file's name, because the standard ABI's library is often a layer over one of the
    // others.
    std::string_view file = base_name(information.dli_fname);
    void* library = dlopen(information.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    bool found;
    if (file.starts_with("libmpi_abi."))
        found = fill(mpi_abi, library);
    else if (find_object("ompi_mpi_comm_world", library))
        found = fill(open_mpi, library);
    else if (file.starts_with("libmpich") || find_object("MPIR_Err_create_code", library) ||
             find_object("MPID_Abort", library) || find_object("MPIR_Process", library) ||
             file.starts_with("libmpi.so.12") || file.starts_with("libmpi_cray"))
        found = fill(mpich, library);
    else
        found = false;
    if (library)
        dlclose(library);
    if (!found)
        message_of(Speaker::machine,
                   "%s is an unknown MPI library: the time in MPI functions is measured, but "
                   "messages are not recorded",
                   information.dli_fname);
}

}  // namespace vftrace
