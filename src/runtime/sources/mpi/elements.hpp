// The data of messages: how many elements of which datatype, and how many bytes that is.
#pragma once

#include <cstdint>

#include "mpi/family.hpp"

namespace vftrace {

// Bytes of `count` elements of a datatype: what is transferred, without holes. Only for arguments
// that MPI has just accepted.
std::uint64_t size_of(std::int64_t count, Word datatype);

// Bytes that a receive has got, according to its status.
std::uint64_t received_bytes(Word status);

struct Elements {
    std::int64_t count = 0;
    Word datatype = 0;
    std::uint64_t bytes = 0;
};
inline Elements elements_of(std::int64_t count, Word datatype) {
    return {count, datatype, size_of(count, datatype)};
}

// A datatype in traces. Remains valid when the program has freed the type.
struct TracedType {
    std::int32_t bytes = -1;  // size of an element; -1: unknown, because nothing was traced
    std::int16_t index = -1;  // as in vfd files (vfd/vfd_format.hpp), -1: derived

    bool known() const { return bytes >= 0; }
};

// Does not ask MPI again for the size, unless there are no elements. Elements of 2 GiB
// and more are recorded as bytes.
TracedType traced_type(const Elements& elements);

// The size of a message of `bytes`, as it is shown: in elements or, if that is not a whole number,
// in bytes.
struct TracedElements {
    std::int64_t count;
    TracedType type;
};
TracedElements traced_elements(std::uint64_t bytes, TracedType type);

}  // namespace vftrace
