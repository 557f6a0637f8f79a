// The cost of measuring, by cause.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace vftrace {

enum class OverheadKind : std::uint8_t {
    unknown,  // from a file of a later version
    function_hooks,
    mpi_wrappers,
    cuda_callbacks,
    openacc_callbacks,
    filtering,
    library_start,
    section_memory
};

// One line "   Function hooks: 0.01 s" of the summary.
struct OverheadItem {
    OverheadKind kind = OverheadKind::unknown;
    std::int64_t ns = 0;
    // If the kind is unknown: as in the file.
    std::string word = {}, label = {};
};

struct OverheadName {
    OverheadKind kind;
    std::string_view word;   // in JSON files
    std::string_view label;  // for people, and in JSON files without codes in place of the word
};

inline constexpr OverheadKind last_overhead_kind = OverheadKind::section_memory;

inline constexpr OverheadName overhead_names[] = {
    {OverheadKind::function_hooks, "function-hooks", "Function hooks"},
    {OverheadKind::mpi_wrappers, "mpi-wrappers", "MPI wrappers"},
    {OverheadKind::cuda_callbacks, "cuda-callbacks", "CUDA callbacks"},
    {OverheadKind::openacc_callbacks, "openacc-callbacks", "OpenACC callbacks"},
    {OverheadKind::filtering, "filtering", "Filtering"},
    {OverheadKind::library_start, "library-start", "Start and end"},
    {OverheadKind::section_memory, "section-memory", "Memory of sections"}};

// Word and label of an item; they live as long as it does.
inline OverheadName name_of(const OverheadItem& item) {
    for (const OverheadName& name : overhead_names)
        if (name.kind == item.kind)
            return name;
    return {item.kind, item.word, item.label};
}

// Whether two items of different profiles are added up.
inline bool same_overhead(const OverheadItem& a, const OverheadItem& b) {
    return a.kind == b.kind && a.word == b.word && a.label == b.label;
}

}  // namespace vftrace
