// Turns ranges that the program has marked with NVIDIA's NVTX into regions.
//
// NVTX consists only of headers, in which each function is a pointer in a table. At its first call
// the program loads the library that NVTX_INJECTION64_PATH names, which `vftrace run` sets, and
// lets it fill the tables. CUDA is not needed.
#include <cstddef>
#include <cstdint>
#include <cstring>

#define VFTRACE_TASKS_LINKED
#include <vftrace/tasks.h>

#include "annotations/annotated_regions.hpp"
#include "annotations/annotation_settings.hpp"
#include "guest/frame_address.hpp"
#include "tree/call_tree.hpp"

namespace vftrace {
namespace {

// What the functions of ranges return if there is no tool.
constexpr int no_tracking = -2;

const AnnotationName* name_of(AnnotationRole role, const char* text, std::uintptr_t stack) {
    ThreadState* const state = recording_state();
    return state ? annotation_name(*state, AnnotationInterface::nvtx, role,
                                   text && *text ? text : "(unnamed range)", "", stack)
                 : nullptr;
}

void begin_range(const char* text, std::uintptr_t stack) {
    if (const AnnotationName* const name = name_of(AnnotationRole::region, text, stack))
        begin_annotation(*name, stack);
}

void end_range() {
    end_annotation(AnnotationInterface::nvtx, AnnotationRole::region, nullptr, nullptr);
}

// Attributes of a range, in all versions.
struct Attributes {
    std::uint16_t version, bytes;
    std::uint32_t category;
    std::int32_t color_type;
    std::uint32_t color;
    std::int32_t payload_type, reserved;
    std::uint64_t payload;
    std::int32_t message_type;
    const void* message;
};
enum MessageType : std::int32_t { ascii = 1, wide = 2, registered = 3 };

// A narrow copy of a text in wide characters.
struct NarrowText {
    char text[256];
    explicit NarrowText(const wchar_t* wide) {
        std::size_t length = 0;
        for (; wide && *wide && length + 1 < sizeof text; wide++)
            text[length++] = *wide > 0 && *wide < 0x80 ? static_cast<char>(*wide) : '?';
        text[length] = '\0';
    }
};

// The handle of a text is our copy of it.
const char* register_text(void*, const char* text) { return text ? strdup(text) : nullptr; }
const char* register_wide_text(void*, const wchar_t* text) { return strdup(NarrowText(text).text); }

// Calls use(text) with the text of the attributes; nullptr: they have none.
template <class Use>
auto with_text(const Attributes* attributes, Use use) {
    constexpr std::size_t least = offsetof(Attributes, message) + sizeof(Attributes::message);
    const std::int32_t type =
        attributes && attributes->bytes >= least ? attributes->message_type : 0;
    if (type == wide)
        return use(NarrowText(static_cast<const wchar_t*>(attributes->message)).text);
    return use(type == ascii || type == registered ? static_cast<const char*>(attributes->message)
                                                   : nullptr);
}

int push(const char* text) {
    begin_range(text, frame_address());
    return no_tracking;
}
int push_wide(const wchar_t* text) { return push(NarrowText(text).text); }
int push_attributes(const Attributes* attributes) { return with_text(attributes, push); }
int push_in_domain(void*, const Attributes* attributes) { return push_attributes(attributes); }
int pop() {
    end_range();
    return no_tracking;
}
int pop_in_domain(void*) { return pop(); }

// Ranges that may end on another thread are tasks: their numbers are those of the tasks.
std::uint64_t start(const char* text) {
    const AnnotationName* const name = name_of(AnnotationRole::task, text, frame_address());
    if (!name)
        return 0;
    count(name->row->events);
    return vftrace_task_create(name->text, nullptr, 0);
}
std::uint64_t start_wide(const wchar_t* text) { return start(NarrowText(text).text); }
std::uint64_t start_attributes(const Attributes* attributes) {
    return with_text(attributes, start);
}
std::uint64_t start_in_domain(void*, const Attributes* attributes) {
    return start_attributes(attributes);
}
void end(std::uint64_t range) {
    if (range != 0)
        vftrace_task_complete(range);
}
void end_in_domain(void*, std::uint64_t range) { end(range); }

void mark(const char* text) {
    if (const AnnotationName* const name = name_of(AnnotationRole::marker, text, frame_address()))
        count(name->row->events);
}
void mark_wide(const wchar_t* text) { mark(NarrowText(text).text); }
void mark_attributes(const Attributes* attributes) { with_text(attributes, mark); }
void mark_in_domain(void*, const Attributes* attributes) { mark_attributes(attributes); }

// The tables that NVTX offers to be filled.
using Function = void (*)();
struct Tables {
    std::size_t bytes;
    int (*table_of)(std::uint32_t module, Function*** table, unsigned* count);
};
using Offer = const void* (*)(std::uint32_t kind);
constexpr std::uint32_t tables_of_functions = 1;
enum Module : std::uint32_t { core = 1, domains = 5 };

struct Row {
    Module module;
    unsigned number;
    Function function;
};
template <class Any>
Function any(Any* function) {
    return reinterpret_cast<Function>(function);
}
// The numbers of nvtxDetail/nvtxTypes.h.
const Row rows[] = {{core, 1, any(mark_attributes)},
                    {core, 2, any(mark)},
                    {core, 3, any(mark_wide)},
                    {core, 4, any(start_attributes)},
                    {core, 5, any(start)},
                    {core, 6, any(start_wide)},
                    {core, 7, any(end)},
                    {core, 8, any(push_attributes)},
                    {core, 9, any(push)},
                    {core, 10, any(push_wide)},
                    {core, 11, any(pop)},
                    {domains, 1, any(mark_in_domain)},
                    {domains, 2, any(start_in_domain)},
                    {domains, 3, any(end_in_domain)},
                    {domains, 4, any(push_in_domain)},
                    {domains, 5, any(pop_in_domain)},
                    {domains, 10, any(register_text)},
                    {domains, 11, any(register_wide_text)}};

}  // namespace

// Returns whether anything is to be recorded.
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtx2(Offer offer) {
    const auto* tables = takes_annotations(AnnotationInterface::nvtx)
                             ? static_cast<const Tables*>(offer(tables_of_functions))
                             : nullptr;
    if (!tables || tables->bytes < sizeof(Tables))
        return 0;
    for (const Row& row : rows) {
        Function** table = nullptr;
        unsigned count = 0;
        if (tables->table_of(row.module, &table, &count) && table && row.number < count &&
            table[row.number])
            *table[row.number] = row.function;
    }
    return 1;
}

}  // namespace vftrace
