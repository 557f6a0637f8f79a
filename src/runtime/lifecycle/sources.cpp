// The sources of figures in this library (record/sources.inc).
#include <iterator>

#include "tree/source.hpp"

namespace vftrace {
namespace {

constexpr const Source* table[] = {
#define VFTRACE_SOURCE(id, title) &id##_source,
#include "record/sources.inc"
};

}  // namespace

constexpr std::span<const Source* const> sources = table;

}  // namespace vftrace
