#include "sampling/libunwind.hpp"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <libunwind.h>
#include <link.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <type_traits>
#include <unistd.h>

namespace vftrace {

bool walks_are_libunwinds;
__attribute__((tls_model("initial-exec"))) thread_local bool is_in_libunwind;

namespace {

#define VFTRACE_TEXT_OF(name) #name
#define VFTRACE_TEXT(name) VFTRACE_TEXT_OF(name)

// Exported for debuggers that bring their own find_proc_info; no header declares it.
using SearchTable = int (*)(unw_addr_space_t, unw_word_t, unw_dyn_info_t*, unw_proc_info_t*, int,
                            void*);

struct {
    decltype(&unw_create_addr_space) create;
    decltype(&unw_set_caching_policy) set_caching;
    decltype(&unw_set_cache_size) set_cache_size;
    decltype(&unw_flush_cache) flush_cache;
    decltype(&unw_init_remote) start;
    decltype(&unw_step) step;
    decltype(&unw_get_reg) get_register;
    SearchTable search_table;
    unw_addr_space_t space;
} library;

int find_tables(unw_addr_space_t space, unw_word_t place, unw_proc_info_t* found, int wants_more,
                void* cursor) {
    dl_find_object object;
    if (_dl_find_object(reinterpret_cast<void*>(place), &object) != 0 || !object.dlfo_eh_frame)
        return -UNW_ENOINFO;
    // Version 1, pcrel|sdata4, udata4, datarel|sdata4: what every linker writes.
    const auto* header = static_cast<const unsigned char*>(object.dlfo_eh_frame);
    if (header[0] != 1 || header[1] != 0x1b || header[2] != 0x03 || header[3] != 0x3b)
        return -UNW_ENOINFO;
    auto* own = static_cast<LibunwindCursor*>(cursor);
    own->module_start = reinterpret_cast<std::uintptr_t>(object.dlfo_map_start);
    own->module_end = reinterpret_cast<std::uintptr_t>(object.dlfo_map_end);
    constexpr std::size_t entry_bytes = 8, table_at = 12;
    std::uint32_t entries;
    std::memcpy(&entries, header + 8, sizeof entries);
    unw_dyn_info_t tables{};
    tables.start_ip = own->module_start;
    tables.end_ip = own->module_end;
    tables.format = UNW_INFO_FORMAT_REMOTE_TABLE;
    tables.u.rti.segbase = reinterpret_cast<unw_word_t>(header);
    tables.u.rti.table_data = reinterpret_cast<unw_word_t>(header + table_at);
    tables.u.rti.table_len = entries * entry_bytes / sizeof(unw_word_t);
    return library.search_table(space, place, &tables, found, wants_more, cursor);
}

void release_tables(unw_addr_space_t, unw_proc_info_t*, void*) {}

int find_made_code(unw_addr_space_t, unw_word_t*, void*) { return -UNW_ENOINFO; }

int read_memory(unw_addr_space_t, unw_word_t address, unw_word_t* value, int write, void* cursor) {
    auto* own = static_cast<LibunwindCursor*>(cursor);
    std::uintptr_t word;
    if (write)
        return -UNW_EINVAL;
    if (address >= own->module_start && address < own->module_end)
        std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
    else if (!own->reader(own->source, address, word))
        return -UNW_EINVAL;
    *value = word;
    return 0;
}

int read_register(unw_addr_space_t, unw_regnum_t number, unw_word_t* value, int write,
                  void* cursor) {
    if (write)
        return -UNW_EREADONLYREG;
    if (number < 0 || static_cast<std::size_t>(number) >= dwarf_registers)
        return -UNW_EBADREG;
    *value = static_cast<LibunwindCursor*>(cursor)->first.value[static_cast<std::size_t>(number)];
    return 0;
}

int read_vector_register(unw_addr_space_t, unw_regnum_t, unw_fpreg_t*, int, void*) {
    return -UNW_EBADREG;
}

int resume(unw_addr_space_t, unw_cursor_t*, void*) { return -UNW_EINVAL; }

int find_name(unw_addr_space_t, unw_word_t, char*, std::size_t, unw_word_t*, void*) {
    return -UNW_ENOINFO;
}

unw_accessors_t accessors = {find_tables,   release_tables,       find_made_code, read_memory,
                             read_register, read_vector_register, resume,         find_name};

// How many threads have a turn, and whether a thread is about to fork.
int turns;
bool is_forking;

void before_fork() {
    __atomic_store_n(&is_forking, true, __ATOMIC_SEQ_CST);
    const int saved_errno = errno;
    constexpr int most_ms = 100;
    for (int waited = 0; waited < 10 * most_ms && __atomic_load_n(&turns, __ATOMIC_SEQ_CST) > 0;
         waited++) {
        timespec moment{0, 100'000};
        syscall(SYS_nanosleep, &moment, nullptr);
    }
    errno = saved_errno;
}

void after_fork() { __atomic_store_n(&is_forking, false, __ATOMIC_SEQ_CST); }

// If a thread still had a turn, it may have held a lock, which is never released in the child.
void after_fork_in_child() {
    if (turns == 0)
        after_fork();
}

bool load_functions(void* file) {
    const auto load = [file](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(file, name));
        return function != nullptr;
    };
    return load(library.create, VFTRACE_TEXT(unw_create_addr_space)) &&
           load(library.set_caching, VFTRACE_TEXT(unw_set_caching_policy)) &&
           load(library.set_cache_size, VFTRACE_TEXT(unw_set_cache_size)) &&
           load(library.flush_cache, VFTRACE_TEXT(unw_flush_cache)) &&
           load(library.start, VFTRACE_TEXT(unw_init_remote)) &&
           load(library.step, VFTRACE_TEXT(unw_step)) &&
           load(library.get_register, VFTRACE_TEXT(unw_get_reg)) &&
           load(library.search_table, VFTRACE_TEXT(UNW_OBJ(dwarf_search_unwind_table)));
}

// What libunwind and the functions that it calls do only once is done here, not in a handler.
[[gnu::noinline]] bool walk_once() {
    static LibunwindCursor cursor;
    Registers registers = current_registers();
    const auto read = [](void*, std::uintptr_t address, std::uintptr_t& word) {
        std::memcpy(&word, reinterpret_cast<const void*>(address), sizeof word);
        return true;
    };
    return cursor.start(registers, true) && cursor.step(registers, read, nullptr);
}

}  // namespace

const char* walk_by_libunwind() {
    if (walks_are_libunwinds)
        return nullptr;
    void* file = dlopen("libunwind-" VFTRACE_TEXT(UNW_TARGET) ".so.8", RTLD_NOW | RTLD_LOCAL);
    if (!file)
        return dlerror();
    if (!load_functions(file))
        return "it lacks a function";
    library.space = library.create(&accessors, 0);
    // Without its cache, which all threads share, a step costs about ten times as much.
    constexpr std::size_t places = 4096;
    if (!library.space || library.set_caching(library.space, UNW_CACHE_GLOBAL) != 0 ||
        library.set_cache_size(library.space, places, 0) != 0 || !walk_once())
        return "it does not work";
    pthread_atfork(before_fork, after_fork, after_fork_in_child);
    walks_are_libunwinds = true;
    return nullptr;
}

void forget_code_of_libunwind() {
    if (walks_are_libunwinds)
        library.flush_cache(library.space, 0, 0);
}

LibunwindTurn::LibunwindTurn() : given_(walks_are_libunwinds) {
    if (!given_)
        return;
    blocked_.emplace();
    __atomic_add_fetch(&turns, 1, __ATOMIC_SEQ_CST);
    given_ = !__atomic_load_n(&is_forking, __ATOMIC_SEQ_CST);
    if (given_)
        is_in_libunwind = true;
    else
        __atomic_sub_fetch(&turns, 1, __ATOMIC_SEQ_CST);
}

LibunwindTurn::~LibunwindTurn() {
    if (!given_)
        return;
    is_in_libunwind = false;
    __atomic_sub_fetch(&turns, 1, __ATOMIC_SEQ_CST);
}

bool LibunwindCursor::start(const Registers& registers, bool is_instruction) {
    static_assert(sizeof cursor_ >= sizeof(unw_cursor_t));
    first = registers;
    if (!is_instruction)  // the call may be its function's last instruction
        first.value[dwarf_place]--;
    module_start = module_end = 0;
    return library.start(reinterpret_cast<unw_cursor_t*>(cursor_), library.space, this) == 0;
}

bool LibunwindCursor::step(Registers& registers, Reader stack_reader, void* stack_source) {
    auto* cursor = reinterpret_cast<unw_cursor_t*>(cursor_);
    reader = stack_reader;
    source = stack_source;
    unw_word_t place, stack, pointer;
    if (library.step(cursor) <= 0 || library.get_register(cursor, UNW_REG_IP, &place) != 0 ||
        library.get_register(cursor, UNW_REG_SP, &stack) != 0)
        return false;
    if (library.get_register(cursor, dwarf_frame_pointer, &pointer) != 0)
        pointer = 0;
    registers.value[dwarf_place] = place;
    registers.value[dwarf_stack_pointer] = stack;
    registers.value[dwarf_frame_pointer] = pointer;
    registers.all_known = false;
    return place != 0;
}

}  // namespace vftrace
