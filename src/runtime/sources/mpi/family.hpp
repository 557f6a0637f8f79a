// What differs between MPI libraries: constants, handles, the layout of a status.
//
// No mpi.h is needed to build the library. The family behind the wrappers is determined when a
// program has initialised MPI; for an unknown family only names and times are recorded.
#pragma once

#include <cstdint>
#include <cstring>

namespace vftrace {

using Word = std::uintptr_t;  // an argument or result of an MPI function

// The value of each row of families.inc in the running process.
struct FamilyConstants {
#define VFTRACE_MPI_CONSTANT(member, name, open_mpi, mpich, mpi_abi) std::intptr_t member;
#include "mpi/families.inc"
#undef VFTRACE_MPI_CONSTANT
};

// How many rows record/mpi_datatypes.inc has.
inline constexpr std::size_t datatype_count = 0
#define VFTRACE_MPI_DATATYPE(name, open_mpi, mpich, mpi_abi) +1
#include "record/mpi_datatypes.inc"
#undef VFTRACE_MPI_DATATYPE
    ;

struct Family {
    bool known = false;
    const char* name = "an unknown MPI library";
    FamilyConstants constants{};
    Word datatypes[datatype_count]{};  // handles; 0 if the library has no such type
};
extern Family family;

// Finds out which family the MPI library in the process belongs to and fills `family`.
void find_family();

// An int argument: the upper half of the word is undefined.
inline int to_int(Word word) { return static_cast<int>(static_cast<std::uint32_t>(word)); }

// A handle argument, comparable with constants and with other handles.
inline Word to_handle(Word word) {
    return family.constants.handle_bytes == 4 ? static_cast<std::uint32_t>(word) : word;
}
inline Word handle_constant(std::intptr_t constant) {
    return to_handle(static_cast<Word>(constant));
}

// Element `index` of an array of handles, or of what a pointer to one handle points to.
inline Word handle_at(Word array, std::size_t index = 0) {
    if (family.constants.handle_bytes == 4) {
        std::uint32_t handle;
        std::memcpy(&handle, reinterpret_cast<const char*>(array) + 4 * index, sizeof handle);
        return handle;
    }
    Word handle;
    std::memcpy(&handle, reinterpret_cast<const char*>(array) + 8 * index, sizeof handle);
    return handle;
}

inline int int_at(Word array, std::size_t index = 0) {
    int value;
    std::memcpy(&value, reinterpret_cast<const char*>(array) + sizeof value * index, sizeof value);
    return value;
}

// Element of an array of counts: int, or MPI_Count in the functions whose name ends in _c.
template <bool large>
std::int64_t count_at(Word array, std::size_t index) {
    if constexpr (large) {
        std::int64_t value;
        std::memcpy(&value, reinterpret_cast<const char*>(array) + 8 * index, sizeof value);
        return value;
    } else {
        return int_at(array, index);
    }
}

// A count argument.
template <bool large>
std::int64_t to_count(Word word) {
    return large ? static_cast<std::int64_t>(word) : to_int(word);
}

inline int status_source(Word status) {
    return int_at(status + static_cast<Word>(family.constants.status_source));
}
inline int status_tag(Word status) {
    return int_at(status + static_cast<Word>(family.constants.status_tag));
}
inline int status_error(Word status) {
    return int_at(status + static_cast<Word>(family.constants.status_error));
}

}  // namespace vftrace
