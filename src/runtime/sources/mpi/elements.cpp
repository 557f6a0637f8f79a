#include "mpi/elements.hpp"

#include <limits>

#include "mpi/functions.hpp"

namespace vftrace {
namespace {

constexpr std::int16_t derived = -1;

std::int16_t index_of(Word datatype) {
    Word handle = to_handle(datatype);
    for (std::size_t i = 0; i < datatype_count; i++)
        if (family.datatypes[i] == handle)
            return static_cast<std::int16_t>(i);
    return derived;
}

TracedType one_byte() { return {1, index_of(static_cast<Word>(family.constants.byte))}; }

}  // namespace

std::uint64_t size_of(std::int64_t count, Word datatype) {
    if (count <= 0)
        return 0;
    if (void* real = real_function(FunctionId::MPI_Type_size_x)) [[likely]] {
        std::int64_t size = 0;  // MPI_Count
        reinterpret_cast<int (*)(Word, Word)>(real)(datatype, word_of(&size));
        return size > 0 ? static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size) : 0;
    }
    int size = 0;
    call_real(FunctionId::MPI_Type_size, datatype, word_of(&size));
    return size > 0 ? static_cast<std::uint64_t>(count) * static_cast<std::uint64_t>(size) : 0;
}

std::uint64_t received_bytes(Word status) {
    std::int64_t count = 0;  // MPI_Count
    FunctionId function = real_function(FunctionId::MPI_Get_elements_x)
                              ? FunctionId::MPI_Get_elements_x
                              : FunctionId::MPI_Get_count_c;
    if (real_function(function))
        call_real(function, status, static_cast<Word>(family.constants.byte), word_of(&count));
    return count > 0 ? static_cast<std::uint64_t>(count) : 0;
}

TracedType traced_type(const Elements& elements) {
    std::int16_t index = index_of(elements.datatype);
    std::uint64_t bytes = 0;
    if (elements.count > 0)
        bytes = elements.bytes / static_cast<std::uint64_t>(elements.count);
    else if (index != derived)  // if there are no elements, it may not be a datatype at all
        bytes = size_of(1, elements.datatype);
    if (bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max()))
        return one_byte();
    return {static_cast<std::int32_t>(bytes), index};
}

TracedElements traced_elements(std::uint64_t bytes, TracedType type) {
    auto size = static_cast<std::uint64_t>(type.bytes);
    if (bytes == 0)
        return {0, type};
    if (size == 0 || bytes % size != 0)
        return {static_cast<std::int64_t>(bytes), one_byte()};
    return {static_cast<std::int64_t>(bytes / size), type};
}

}  // namespace vftrace
