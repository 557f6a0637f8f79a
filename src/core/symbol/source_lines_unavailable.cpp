// Replaces source_lines.cpp if libdw's headers are missing: source lines are unknown.
#include "symbol/source_lines.hpp"

namespace vftrace {

std::vector<SourceLine> lookup_source_lines(const std::string&,
                                            const std::vector<std::uint64_t>& offsets) {
    return std::vector<SourceLine>(offsets.size());
}

std::vector<SourceLine>
lookup_source_lines(const std::string&, const std::vector<std::uint64_t>& offsets, std::uint64_t&) {
    return std::vector<SourceLine>(offsets.size());
}

std::vector<SourceLine> lookup_code_lines(const std::string&,
                                          const std::vector<std::uint64_t>& offsets) {
    return std::vector<SourceLine>(offsets.size());
}

std::vector<SourceLine> lookup_function_lines(const std::string&,
                                              const std::vector<std::uint64_t>& offsets) {
    return std::vector<SourceLine>(offsets.size());
}

}  // namespace vftrace
