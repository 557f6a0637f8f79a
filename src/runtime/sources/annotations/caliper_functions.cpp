// The functions of Caliper's C interface (caliper/cali.h), and of the C++ object of its macro
// CALI_CXX_MARK_FUNCTION (https://software.llnl.gov/Caliper).
#include "annotations/tool_functions.hpp"

#include <cstdio>
#include <dlfcn.h>

using namespace vftrace::annotations;

namespace {

constexpr Interface caliper = Interface::caliper;

using AttributeId = std::uint64_t;
constexpr int succeeds = 0;
constexpr AttributeId no_attribute = ~AttributeId{0};

// Attributes whose values are names of regions.
struct RegionAttribute {
    const char* name;
    Role role;
    const char* variable;  // of libcaliper, with the number
};
constexpr RegionAttribute region_attributes[] = {
    {"region", Role::region, "cali_region_attr_id"},
    {"annotation", Role::region, "cali_annotation_attr_id"},
    {"function", Role::function, "cali_function_attr_id"},
    {"loop", Role::loop, "cali_loop_attr_id"},
    {"phase", Role::phase, "cali_phase_attr_id"},
    {"comm.region", Role::communication, "cali_comm_region_attr_id"}};

const RegionAttribute* region_attribute(const char* name) {
    for (const RegionAttribute& attribute : region_attributes)
        if (name && std::strcmp(name, attribute.name) == 0)
            return &attribute;
    return nullptr;
}

// The name of an attribute, by its number: as it was made, or as the library says.
const char* name_of_attribute(AttributeId id) {
    if (!is_told())
        return nullptr;
    if (const Handle* const known = handle_of(caliper, id))
        return known->text;
    const char* name = nullptr;
    for (const RegionAttribute& attribute : region_attributes)
        if (const auto* const variable =
                static_cast<const AttributeId*>(dlsym(RTLD_DEFAULT, attribute.variable));
            variable && *variable == id)
            name = attribute.name;
    auto* const ask =
        reinterpret_cast<const char* (*)(AttributeId)>(dlsym(RTLD_DEFAULT, "cali_attribute_name"));
    if (!name && ask) {
        inside_real++;
        name = ask(id);
        inside_real--;
    }
    Handle* const made = new_handle(caliper, Role::region, name ? name : "(unknown attribute)");
    if (!made)
        return "(unknown attribute)";
    set_handle(caliper, id, made);
    return made->text;
}

// What the value of an attribute is in the tree: for some attributes it is the name of a region.
void value_begins(const char* attribute, const char* text, std::uintptr_t stack) {
    if (!is_told())
        return;
    if (const RegionAttribute* const region = region_attribute(attribute)) {
        begin(caliper, region->role, text, stack);
        return;
    }
    char name[256];
    snprintf(name, sizeof name, "%.100s=%.150s", attribute ? attribute : "", text ? text : "");
    begin(caliper, Role::iteration, name, stack);
}
// A region with the name of the attribute, whose values are counted.
void number_begins(const char* attribute, double number, std::uintptr_t stack) {
    if (!is_told() || !attribute)
        return;
    begin(caliper, Role::iteration, attribute, stack);
    value(caliper, attribute, number);
}

// Ends the innermost value of an attribute: the program does not say which it is.
void value_ends(const char* attribute) {
    const RegionAttribute* const region = region_attribute(attribute);
    end(caliper, region ? region->role : Role::iteration, nullptr);
}

// Numbers of attributes, without the library.
AttributeId attributes_made;
AttributeId new_attribute(AttributeId of_real, bool is_real, const char* name) {
    const AttributeId id =
        is_real ? of_real : __atomic_add_fetch(&attributes_made, AttributeId{1}, __ATOMIC_RELAXED);
    if (id != no_attribute)
        set_handle(caliper, id, new_handle(caliper, Role::region, name));
    return id;
}

}  // namespace

#define VFTRACE_PAIR(begin_name, end_name, role)                                                   \
    VFTRACE_TOOL_FUNCTION(void, begin_name, (const char* name)) {                                  \
        call_real(VFTRACE_REAL(begin_name), name);                                                 \
        begin(caliper, role, name, VFTRACE_STACK);                                                 \
    }                                                                                              \
    VFTRACE_TOOL_FUNCTION(void, end_name, (const char* name)) {                                    \
        end(caliper, role, name);                                                                  \
        call_real(VFTRACE_REAL(end_name), name);                                                   \
    }
VFTRACE_PAIR(cali_begin_region, cali_end_region, Role::region)
VFTRACE_PAIR(cali_begin_phase, cali_end_phase, Role::phase)
VFTRACE_PAIR(cali_begin_comm_region, cali_end_comm_region, Role::communication)
#undef VFTRACE_PAIR

VFTRACE_TOOL_FUNCTION(int, cali_begin, (AttributeId id)) {
    const int result = call_real(VFTRACE_REAL(cali_begin), succeeds, id);
    number_begins(name_of_attribute(id), 1, VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, cali_begin_int, (AttributeId id, int number)) {
    const int result = call_real(VFTRACE_REAL(cali_begin_int), succeeds, id, number);
    number_begins(name_of_attribute(id), number, VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, cali_begin_double, (AttributeId id, double number)) {
    const int result = call_real(VFTRACE_REAL(cali_begin_double), succeeds, id, number);
    number_begins(name_of_attribute(id), number, VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, cali_begin_string, (AttributeId id, const char* text)) {
    const int result = call_real(VFTRACE_REAL(cali_begin_string), succeeds, id, text);
    value_begins(name_of_attribute(id), text, VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, cali_end, (AttributeId id)) {
    value_ends(name_of_attribute(id));
    return call_real(VFTRACE_REAL(cali_end), succeeds, id);
}
VFTRACE_TOOL_FUNCTION(int, cali_safe_end_string, (AttributeId id, const char* text)) {
    value_ends(name_of_attribute(id));
    return call_real(VFTRACE_REAL(cali_safe_end_string), succeeds, id, text);
}
VFTRACE_TOOL_FUNCTION(int, cali_begin_byname, (const char* attribute)) {
    const int result = call_real(VFTRACE_REAL(cali_begin_byname), succeeds, attribute);
    number_begins(attribute, 1, VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, cali_begin_int_byname, (const char* attribute, int number)) {
    const int result = call_real(VFTRACE_REAL(cali_begin_int_byname), succeeds, attribute, number);
    number_begins(attribute, number, VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, cali_begin_double_byname, (const char* attribute, double number)) {
    const int result =
        call_real(VFTRACE_REAL(cali_begin_double_byname), succeeds, attribute, number);
    number_begins(attribute, number, VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, cali_begin_string_byname, (const char* attribute, const char* text)) {
    const int result = call_real(VFTRACE_REAL(cali_begin_string_byname), succeeds, attribute, text);
    value_begins(attribute, text, VFTRACE_STACK);
    return result;
}
VFTRACE_TOOL_FUNCTION(int, cali_end_byname, (const char* attribute)) {
    value_ends(attribute);
    return call_real(VFTRACE_REAL(cali_end_byname), succeeds, attribute);
}

VFTRACE_TOOL_FUNCTION(AttributeId, cali_create_attribute,
                      (const char* name, int type, int properties)) {
    const auto real = VFTRACE_REAL(cali_create_attribute);
    return new_attribute(call_real(real, no_attribute, name, type, properties), real, name);
}
VFTRACE_TOOL_FUNCTION(AttributeId, cali_make_loop_iteration_attribute, (const char* name)) {
    const auto real = VFTRACE_REAL(cali_make_loop_iteration_attribute);
    char attribute[128];
    snprintf(attribute, sizeof attribute, "iteration#%.100s", name ? name : "");
    return new_attribute(call_real(real, no_attribute, name), real, attribute);
}

// Values for the whole run.
#define VFTRACE_GLOBAL(name, type, format)                                                         \
    VFTRACE_TOOL_FUNCTION(void, name, (const char* attribute, type number)) {                      \
        call_real(VFTRACE_REAL(name), attribute, number);                                          \
        char text[64];                                                                             \
        snprintf(text, sizeof text, format, number);                                               \
        metadata(caliper, attribute, text);                                                        \
    }
VFTRACE_GLOBAL(cali_set_global_int_byname, int, "%d")
VFTRACE_GLOBAL(cali_set_global_uint_byname, unsigned long long, "%llu")
VFTRACE_GLOBAL(cali_set_global_double_byname, double, "%.17g")
#undef VFTRACE_GLOBAL
VFTRACE_TOOL_FUNCTION(void, cali_set_global_string_byname,
                      (const char* attribute, const char* text)) {
    call_real(VFTRACE_REAL(cali_set_global_string_byname), attribute, text);
    metadata(caliper, attribute, text);
}

// cali::Function::Function(const char*) and ~Function(), each as both of the functions that
// compilers make of it.
#define VFTRACE_CONSTRUCTOR(name)                                                                  \
    VFTRACE_TOOL_FUNCTION(void, name, (void* object, const char* function)) {                      \
        call_real(VFTRACE_REAL(name), object, function);                                           \
        begin(caliper, Role::function, function, VFTRACE_STACK);                                   \
    }
#define VFTRACE_DESTRUCTOR(name)                                                                   \
    VFTRACE_TOOL_FUNCTION(void, name, (void* object)) {                                            \
        end(caliper, Role::function, nullptr);                                                     \
        call_real(VFTRACE_REAL(name), object);                                                     \
    }
VFTRACE_CONSTRUCTOR(_ZN4cali8FunctionC1EPKc)
VFTRACE_CONSTRUCTOR(_ZN4cali8FunctionC2EPKc)
VFTRACE_DESTRUCTOR(_ZN4cali8FunctionD1Ev)
VFTRACE_DESTRUCTOR(_ZN4cali8FunctionD2Ev)
#undef VFTRACE_CONSTRUCTOR
#undef VFTRACE_DESTRUCTOR
