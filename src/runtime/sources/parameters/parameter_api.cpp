// The public functions of vftrace/parameters.h.
#include <cmath>
#include <cstdint>
#include <cstring>

#include "base/message.hpp"
#include "base/text.hpp"
#include "guest/floating_point.hpp"
#include "parameters/parameter_values.hpp"
#include "record/parameter_record.hpp"
#include "vftrace.h"

using namespace vftrace;

namespace {

// Reads the number at `variable`. Returns whether it is finite.
template <class Number>
bool read_as(const void* variable, double& value) {
    Number number;
    std::memcpy(&number, variable, sizeof number);
    value = static_cast<double>(number);
    return std::isfinite(value);
}

using Reader = bool (*)(const void*, double&);

// nullptr: no number of that type has that size.
Reader reader_of(std::size_t size, vftrace_parameter_type type) {
    struct Row {
        vftrace_parameter_type type;
        std::size_t size;
        Reader reader;
    };
    static constexpr Row rows[] = {
        {VFTRACE_PARAMETER_INTEGER, 1, read_as<std::int8_t>},
        {VFTRACE_PARAMETER_INTEGER, 2, read_as<std::int16_t>},
        {VFTRACE_PARAMETER_INTEGER, 4, read_as<std::int32_t>},
        {VFTRACE_PARAMETER_INTEGER, 8, read_as<std::int64_t>},
        {VFTRACE_PARAMETER_UNSIGNED, 1, read_as<std::uint8_t>},
        {VFTRACE_PARAMETER_UNSIGNED, 2, read_as<std::uint16_t>},
        {VFTRACE_PARAMETER_UNSIGNED, 4, read_as<std::uint32_t>},
        {VFTRACE_PARAMETER_UNSIGNED, 8, read_as<std::uint64_t>},
        {VFTRACE_PARAMETER_REAL, sizeof(float), read_as<float>},
        {VFTRACE_PARAMETER_REAL, sizeof(double), read_as<double>},
        {VFTRACE_PARAMETER_REAL, sizeof(long double), read_as<long double>},
    };
    for (const Row& row : rows)
        if (row.type == type && row.size == size)
            return row.reader;
    return nullptr;
}

// nullptr: nothing is wrong.
const char* what_is_wrong(const char* name) {
    if (!name)
        return "the name is a null pointer";
    if (!*name)
        return "the name is empty";
    const std::size_t length = strnlen(name, longest_parameter_name + 1);
    if (length > longest_parameter_name)
        return "the name is longer than 127 bytes";
    return has_control_character({name, length}) ? "the name has a control character" : nullptr;
}

}  // namespace

#define VFTRACE_API extern "C" [[gnu::visibility("default")]]

// For the analysis of parameters, whose own library has these functions.
VFTRACE_API int vftrace_parameter_has_label(const void*, size_t, const char*) { return 0; }
VFTRACE_API void vftrace_parameter_delete_labels(void*, size_t, const char*) {}

VFTRACE_API void vftrace_parameter_typed(const void* variable, size_t size, const char* name,
                                         enum vftrace_parameter_type type) {
    if (type == VFTRACE_PARAMETER_MEMORY || !parameters_are_wanted())
        return;
    if (const char* problem = what_is_wrong(name)) {
        VFTRACE_MESSAGE_ONCE("vftrace_parameter: %s; not recorded (reported once)", problem);
        return;
    }
    if (!variable) {
        VFTRACE_MESSAGE_ONCE("vftrace_parameter(\"%s\"): the variable is a null pointer; not "
                             "recorded (reported once)",
                             name);
        return;
    }
    const Reader reader = reader_of(size, type);
    if (!reader) {
        VFTRACE_MESSAGE_ONCE("vftrace_parameter(\"%s\"): a number of type %d cannot have %zu "
                             "bytes; not recorded (reported once)",
                             name, static_cast<int>(type), size);
        return;
    }
    HeldFloatingPointTraps held;
    double value = 0;
    if (!reader(variable, value)) {
        VFTRACE_MESSAGE_ONCE("vftrace_parameter(\"%s\"): the value is not finite; not recorded "
                             "(reported once)",
                             name);
        return;
    }
    switch (record_parameter(name, value)) {
    case ParameterOutcome::recorded:
        break;
    case ParameterOutcome::too_many:
        VFTRACE_MESSAGE_ONCE("vftrace_parameter(\"%s\"): there are already %zu parameters; not "
                             "recorded (reported once)",
                             name, most_parameters);
        break;
    case ParameterOutcome::busy:
        VFTRACE_MESSAGE_ONCE("vftrace_parameter(\"%s\"): another call is in progress; not "
                             "recorded (reported once)",
                             name);
    }
}

VFTRACE_API void vftrace_parameter(const void* variable, size_t size, const char* name) {
    vftrace_parameter_typed(variable, size, name, VFTRACE_PARAMETER_INTEGER);
}
