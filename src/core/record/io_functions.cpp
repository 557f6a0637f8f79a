#include "record/io_functions.hpp"

#include <algorithm>
#include <iterator>

namespace vftrace {
namespace {

struct IoFunctionRow {
    const char* name;
    IoOperation operation;
    bool has_stream = false;
};

constexpr IoFunctionRow rows[] = {
#define VFTRACE_IO_NAME(name, operation) {#name, IoOperation::operation},
#define VFTRACE_IO_STREAM(name, operation, result, parameters, arguments, stream, wanted, moved)   \
    {#name, IoOperation::operation, true},
#define VFTRACE_IO_FORMAT(name, operation, parameters, last, arguments, form, stream, moved)       \
    {#name, IoOperation::operation, true},
#define VFTRACE_IO_CHARACTER(name, operation, parameters, arguments, stream)                       \
    {#name, IoOperation::operation, true},
#define VFTRACE_IO_OPEN_STREAM(name, parameters, arguments, path, closed)                          \
    {#name, IoOperation::open, true},
#include "record/io_functions.inc"
};

// nullptr: it is not a key.
const IoFunctionRow* row_of(std::uintptr_t key) {
    const std::uintptr_t number = (key & ~io_key_mark) >> io_key_shift;
    return (key & io_key_mark) == io_key_mark && number < std::size(rows) ? &rows[number] : nullptr;
}

const IoFunctionRow* row_of(std::string_view name) {
    const auto* const row =
        std::find_if(std::begin(rows), std::end(rows),
                     [&](const IoFunctionRow& one) { return name == one.name; });
    return row != std::end(rows) ? row : nullptr;
}

}  // namespace

const char* io_name(std::uintptr_t key) {
    const IoFunctionRow* const row = row_of(key);
    return row ? row->name : "(unknown)";
}

IoOperation io_operation(std::uintptr_t key) {
    const IoFunctionRow* const row = row_of(key);
    return row ? row->operation : IoOperation::metadata;
}

IoOperation io_operation(std::string_view name) {
    const IoFunctionRow* const row = row_of(name);
    return row ? row->operation : IoOperation::metadata;
}

bool is_stream_function(std::string_view name) {
    constexpr std::string_view others[] = {"fclose",     "pclose", "fseek",  "fseeko",
                                           "fseeko64",   "rewind", "fflush", "fflush_unlocked",
                                           "__overflow", "__uflow"};
    const IoFunctionRow* const row = row_of(name);
    return (row && row->has_stream) ||
           std::find(std::begin(others), std::end(others), name) != std::end(others);
}

}  // namespace vftrace
