// The functions of Extrae that mark events and states, by its user guide
// (https://tools.bsc.es/doc/html/extrae/api.html): a value of a type lasts until another one, and 0
// ends it.
#include "annotations/tool_functions.hpp"

#include <cstdio>

using namespace vftrace::annotations;

namespace {

constexpr Interface extrae = Interface::extrae;

// Names are handles by type, and by type and value: Extrae's types are numbers of 32 bits.
constexpr std::uint64_t number_of_value(unsigned type, std::uint64_t value) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
    return (value + 1) * factor ^ std::uint64_t{type} << 32;
}

// A name for the value: the program's, or one with the numbers.
class ValueName {
  public:
    ValueName(unsigned type, std::uint64_t value) {
        if (const Handle* const of_value = handle_of(extrae, number_of_value(type, value))) {
            text_ = of_value->text;
            return;
        }
        const Handle* const of_type = handle_of(extrae, type);
        if (of_type)
            snprintf(made_, sizeof made_, "%.60s %llu", of_type->text,
                     static_cast<unsigned long long>(value));
        else
            snprintf(made_, sizeof made_, "event %u:%llu", type,
                     static_cast<unsigned long long>(value));
        keep(type, value);
    }
    operator const char*() const { return text_; }

  private:
    // Not for ever more values.
    void keep(unsigned type, std::uint64_t value) const {
        constexpr unsigned most = 1024;
        static unsigned kept;
        if (__atomic_fetch_add(&kept, 1, __ATOMIC_RELAXED) < most)
            set_handle(extrae, number_of_value(type, value),
                       new_handle(extrae, Role::region, made_));
    }

    char made_[96];
    const char* text_ = made_;
};

// The values of types that are open on this thread.
struct OpenType {
    unsigned type;
    std::uint64_t value;  // 0: none
};
constexpr unsigned most_open = 16;
__thread OpenType open_types[most_open];

void event(unsigned type, std::uint64_t value, std::uintptr_t stack) {
    if (!is_told())
        return;
    OpenType* place = nullptr;
    for (OpenType& open : open_types)
        if (open.value != 0 && open.type == type) {
            end(extrae, Role::region, ValueName(type, open.value));
            place = &open;
        }
    for (OpenType& open : open_types)
        if (!place && open.value == 0)
            place = &open;
    if (!place)
        return;
    *place = {type, value};
    if (value == 0)
        return;
    if (Handle* const known = handle_of(extrae, number_of_value(type, value)))
        begin(known, stack);
    else
        begin(extrae, Role::region, ValueName(type, value), stack);
}

}  // namespace

VFTRACE_TOOL_FUNCTION(void, Extrae_event, (unsigned type, unsigned long long value)) {
    call_real(VFTRACE_REAL(Extrae_event), type, value);
    event(type, value, VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, Extrae_eventandcounters, (unsigned type, unsigned long long value)) {
    call_real(VFTRACE_REAL(Extrae_eventandcounters), type, value);
    event(type, value, VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, Extrae_nevent,
                      (unsigned count, unsigned* types, unsigned long long* values)) {
    call_real(VFTRACE_REAL(Extrae_nevent), count, types, values);
    for (unsigned i = 0; types && values && i < count; i++)
        event(types[i], values[i], VFTRACE_STACK);
}
VFTRACE_TOOL_FUNCTION(void, Extrae_define_event_type,
                      (unsigned* type, char* description, unsigned* count,
                       unsigned long long* values, char** descriptions)) {
    call_real(VFTRACE_REAL(Extrae_define_event_type), type, description, count, values,
              descriptions);
    if (!is_told() || !type || !description)
        return;
    set_handle(extrae, *type, new_handle(extrae, Role::region, description));
    for (unsigned i = 0; count && values && descriptions && i < *count; i++)
        if (descriptions[i])
            set_handle(extrae, number_of_value(*type, values[i]),
                       new_handle(extrae, Role::region, descriptions[i]));
}
VFTRACE_TOOL_FUNCTION(void, Extrae_init, ()) { call_real(VFTRACE_REAL(Extrae_init)); }
VFTRACE_TOOL_FUNCTION(void, Extrae_fini, ()) { call_real(VFTRACE_REAL(Extrae_fini)); }
VFTRACE_TOOL_FUNCTION(void, Extrae_shutdown, ()) {
    pause(extrae, VFTRACE_STACK);
    call_real(VFTRACE_REAL(Extrae_shutdown));
}
VFTRACE_TOOL_FUNCTION(void, Extrae_restart, ()) {
    call_real(VFTRACE_REAL(Extrae_restart));
    resume(extrae, __builtin_return_address(0), VFTRACE_STACK);
}
