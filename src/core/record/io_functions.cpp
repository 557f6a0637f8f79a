#include "record/io_functions.hpp"

#include <iterator>

namespace vftrace {
namespace {

struct IoFunctionRow {
    const char* name;
    IoOperation operation;
};

constexpr IoFunctionRow rows[] = {
#define VFTRACE_IO_NAME(name, operation) {#name, IoOperation::operation},
#include "record/io_functions.inc"
};

// nullptr: it is not a key.
const IoFunctionRow* row_of(std::uintptr_t key) {
    const std::uintptr_t number = (key & ~io_key_mark) >> io_key_shift;
    return (key & io_key_mark) == io_key_mark && number < std::size(rows) ? &rows[number] : nullptr;
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
    for (const IoFunctionRow& row : rows)
        if (name == row.name)
            return row.operation;
    return IoOperation::metadata;
}

}  // namespace vftrace
