#include "annotations/tool_functions.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <link.h>
#include <sched.h>

#include "base/prepend.hpp"

extern "C" {
// The rows of all VFTRACE_TOOL_FUNCTION, from the linker.
extern vftrace::AnnotationFunction __start_vftrace_functions[], __stop_vftrace_functions[];
}

namespace vftrace::annotations {

const AnnotationCalls* calls;
__thread unsigned inside_real __attribute__((tls_model("initial-exec")));

namespace {

[[gnu::constructor(101)]] void find_library() {
    auto* const get =
        reinterpret_cast<GetAnnotationCalls*>(dlsym(RTLD_DEFAULT, "vftrace_annotation_calls"));
    const AnnotationCalls* const found = get ? get() : nullptr;
    if (found && found->bytes == sizeof(AnnotationCalls))
        calls = found;
}

// In a library that was opened without RTLD_GLOBAL: its own calls lead here, because we are in the
// global scope, but RTLD_NEXT does not lead to it.
void* find_in_local_scopes(const char* name) {
    for (const link_map* at = _r_debug.r_map; at; at = at->l_next) {
        if (!at->l_name || !*at->l_name)
            continue;
        void* const library = dlopen(at->l_name, RTLD_NOLOAD | RTLD_LAZY);
        if (!library)
            continue;
        void* const found = dlsym(library, name);
        Dl_info place, own;
        const bool is_own = found && dladdr(found, &place) &&
                            dladdr(reinterpret_cast<void*>(&find_in_local_scopes), &own) &&
                            place.dli_fbase == own.dli_fbase;
        dlclose(library);
        if (found && !is_own)
            return found;
    }
    return nullptr;
}

// Never removed: chains are only prepended to, so that readers need no lock.
struct KnownHandle {
    KnownHandle* next;
    Interface interface;
    std::uint64_t number;
    Handle* handle;
};
constexpr std::size_t buckets = 1024;
KnownHandle* handles[buckets];

std::uint64_t hash_of(Interface interface, std::uint64_t number) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
    const std::uint64_t mixed = (number + static_cast<std::uint64_t>(interface)) * factor;
    return mixed ^ mixed >> 32;
}
KnownHandle*& chain_of(Interface interface, std::uint64_t number) {
    return handles[hash_of(interface, number) % buckets];
}

KnownHandle* find_handle(Interface interface, std::uint64_t number) {
    KnownHandle* at = __atomic_load_n(&chain_of(interface, number), __ATOMIC_ACQUIRE);
    while (at && (at->interface != interface || at->number != number))
        at = at->next;
    return at;
}

// Tasks that have begun and not ended, by their numbers: open addressing, linear probing.
struct OpenTask {
    TaskId id;
    std::uint64_t task;  // 0: free; of libvftrace
};
constexpr std::size_t most_open_tasks = 4096;  // a power of two
OpenTask open_tasks[most_open_tasks];
std::size_t tasks_open;
ShortLock tasks_lock;

bool is_same(const TaskId& a, const TaskId& b) {
    return a.interface == b.interface && std::equal(a.words, a.words + 3, b.words);
}
std::size_t slot_of(const TaskId& id) {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : id.words)
        hash = hash_of(id.interface, hash ^ word);
    return hash % most_open_tasks;
}
constexpr std::size_t after(std::size_t slot) { return (slot + 1) % most_open_tasks; }

// The task of the number, which is removed; 0: there is none. Under the lock.
std::uint64_t take_task(const TaskId& id) {
    std::size_t slot = slot_of(id);
    while (open_tasks[slot].task != 0 && !is_same(open_tasks[slot].id, id))
        slot = after(slot);
    const std::uint64_t task = open_tasks[slot].task;
    if (task == 0)
        return 0;
    open_tasks[slot].task = 0;
    tasks_open--;
    // Those behind it move up, unless they are where their search begins.
    for (std::size_t next = after(slot); open_tasks[next].task != 0; next = after(next)) {
        const std::size_t wanted = slot_of(open_tasks[next].id);
        const bool stays =
            slot < next ? slot < wanted && wanted <= next : slot < wanted || wanted <= next;
        if (stays)
            continue;
        open_tasks[slot] = open_tasks[next];
        open_tasks[next].task = 0;
        slot = next;
    }
    return task;
}

}  // namespace

void* find_real(const char* name) {
    if (void* const next = dlsym(RTLD_NEXT, name))
        return next;
    return find_in_local_scopes(name);
}

void no_real_function() {}

Handle* handle_in(void** variable, Interface interface, Role role, const char* text) {
    if (!variable)
        return nullptr;
    if (*variable)
        if (Handle* const known = handle_of(interface, number_of(*variable)))
            return known;
    Handle* const made = new_handle(interface, role, text);
    if (!made)
        return nullptr;
    if (!*variable)
        *variable = made;
    set_handle(interface, number_of(*variable), made);
    return made;
}

void* known_as(Handle* handle, bool is_real, void* of_real) {
    void* const pointer = is_real ? of_real : handle;
    if (pointer && handle)
        set_handle(handle->interface, number_of(pointer), handle);
    return pointer;
}

bool ShortLock::lock() {
    constexpr int most_attempts = 10000;
    for (int attempt = 0; __atomic_test_and_set(&taken_, __ATOMIC_ACQUIRE); attempt++) {
        if (attempt == most_attempts)
            return false;
        sched_yield();
    }
    return true;
}

Handle* new_handle(Interface interface, Role role, const char* text) {
    const std::size_t length = strnlen(text ? text : "", longest_annotation);
    auto* const handle = static_cast<Handle*>(std::calloc(1, sizeof(Handle) + length + 1));
    if (!handle)
        return nullptr;
    auto* const copy = reinterpret_cast<char*>(handle + 1);  // ends with the zero that is there
    std::memcpy(copy, text ? text : "", length);
    *handle = {copy, interface, role, nullptr, 0};
    return handle;
}

const AnnotationName* name_of(Handle& handle) {
    const std::uint32_t generation = __atomic_load_n(calls->generation, __ATOMIC_RELAXED);
    const AnnotationName* name = __atomic_load_n(&handle.name, __ATOMIC_ACQUIRE);
    if (name && __atomic_load_n(&handle.generation, __ATOMIC_RELAXED) == generation) [[likely]]
        return name;
    name = calls->name_of(handle.interface, handle.role, handle.text, "");
    __atomic_store_n(&handle.generation, generation, __ATOMIC_RELAXED);
    __atomic_store_n(&handle.name, name, __ATOMIC_RELEASE);
    return name;
}

void set_handle(Interface interface, std::uint64_t number, Handle* handle) {
    if (KnownHandle* const known = find_handle(interface, number)) {
        __atomic_store_n(&known->handle, handle, __ATOMIC_RELEASE);
        return;
    }
    auto* const made = static_cast<KnownHandle*>(std::calloc(1, sizeof(KnownHandle)));
    if (!made)
        return;
    *made = {nullptr, interface, number, handle};
    prepend(chain_of(interface, number), made);
}

Handle* handle_of(Interface interface, std::uint64_t number) {
    const KnownHandle* const known = find_handle(interface, number);
    return known ? __atomic_load_n(&known->handle, __ATOMIC_ACQUIRE) : nullptr;
}

void begin_task(const TaskId& id, const char* text, const char* detail) {
    if (!is_told())
        return;
    const std::uint64_t task =
        calls->begin_task(calls->name_of(id.interface, Role::task, text, detail));
    if (task == 0 || !tasks_lock.lock())
        return;
    const std::uint64_t earlier = take_task(id);  // begun twice
    if (tasks_open < most_open_tasks / 2) {
        std::size_t slot = slot_of(id);
        while (open_tasks[slot].task != 0)
            slot = after(slot);
        open_tasks[slot] = {id, task};
        tasks_open++;
    }
    tasks_lock.unlock();
    calls->end_task(earlier);
}

void end_task(const TaskId& id) {
    if (!is_told() || !tasks_lock.lock())
        return;
    const std::uint64_t task = take_task(id);
    tasks_lock.unlock();
    if (task != 0)
        calls->end_task(task);
    else
        calls->unmatched(id.interface, Role::task, nullptr);
}

FortranText::FortranText(const char* text, long length) {
    std::size_t size = 0;
    if (text)
        while (static_cast<long>(size) < length && size + 1 < sizeof text_ && text[size])
            size++;
    while (size > 0 && text[size - 1] == ' ')
        size--;
    std::memcpy(text_, text ? text : "", size);
    text_[size] = '\0';
}

}  // namespace vftrace::annotations

extern "C" [[gnu::visibility("default")]] const vftrace::AnnotationFunction*
vftrace_annotation_functions(std::size_t* count) {
    *count = static_cast<std::size_t>(__stop_vftrace_functions - __start_vftrace_functions);
    return __start_vftrace_functions;
}
