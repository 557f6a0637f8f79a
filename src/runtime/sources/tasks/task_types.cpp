#include "tasks/task_types.hpp"

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#define VFTRACE_TASKS_LINKED
#include <vftrace/tasks.h>

#include "base/guarded.hpp"
#include "base/message.hpp"
#include "guest/modules.hpp"
#include "symbol/handler_names.hpp"
#include "symbol/names.hpp"
#include "tree/region_names.hpp"
#include "tree/registry.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {
namespace {

std::uint32_t most_types;

// A coroutine whose key is known. Filled once, by the thread that has claimed it.
struct Coroutine {
    enum State : std::uint32_t { unused, claimed, complete };
    const char* function;
    std::uintptr_t key;
    std::uint32_t line;
    std::uint32_t unloadings;  // number of unloaded libraries at that time
    State state;
};
// Further types are looked up by their texts each time.
constexpr std::size_t most_coroutines = 4096, most_probes = 16;
Coroutine coroutines[most_coroutines];
bool any_coroutine;

std::size_t first_probe(const char* function, std::uint32_t line) {
    return (reinterpret_cast<std::uintptr_t>(function) + line) * 0x9e3779b97f4a7c15u >> 52;
}
static_assert(most_coroutines == 1 << (64 - 52));

std::uintptr_t known_key(const char* function, std::uint32_t line) {
    const std::size_t first = first_probe(function, line);
    const std::uint32_t unloadings = retired_modules();
    for (std::size_t i = 0; i < most_probes; i++) {
        const Coroutine& each = coroutines[(first + i) % most_coroutines];
        if (__atomic_load_n(&each.state, __ATOMIC_ACQUIRE) != Coroutine::complete)
            return 0;
        if (each.function == function && each.line == line && each.unloadings == unloadings)
            return each.key;
    }
    return 0;
}

void remember_key(const char* function, std::uint32_t line, std::uintptr_t key) {
    module_at(reinterpret_cast<std::uintptr_t>(function));  // from now on, its unloading is noticed
    const std::uint32_t unloadings = retired_modules();
    const std::size_t first = first_probe(function, line);
    for (std::size_t i = 0; i < most_probes; i++) {
        Coroutine& each = coroutines[(first + i) % most_coroutines];
        Coroutine::State expected = Coroutine::unused;
        if (!__atomic_compare_exchange_n(&each.state, &expected, Coroutine::claimed, false,
                                         __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            continue;
        each.function = function;
        each.key = key;
        each.line = line;
        each.unloadings = unloadings;
        __atomic_store_n(&any_coroutine, true, __ATOMIC_RELAXED);
        __atomic_store_n(&each.state, Coroutine::complete, __ATOMIC_RELEASE);
        return;
    }
}

bool is_internal(const char* file, const char* const* internal_files) {
    for (; internal_files && *internal_files; internal_files++)
        if (std::strstr(file, *internal_files))
            return true;
    return false;
}

// Where asio itself starts parts of an operation.
constexpr const char* files_of_asio[] = {"/asio/impl/", "/asio/detail/", "/asio/ssl/",
                                         "/asio/experimental/", nullptr};

bool is_place_of_program(const vftrace_task_handler& handler) {
    return handler.file && handler.function && !is_internal(handler.file, files_of_asio);
}

// One place may start operations with several types of handlers, and each type may be used at
// several places.
std::uint32_t number_of_place(const vftrace_task_handler& handler) {
    return handler.file ? static_cast<std::uint32_t>(handler.line) ^
                              static_cast<std::uint32_t>(
                                  reinterpret_cast<std::uintptr_t>(handler.file) << 12)
                        : 0;
}

// "my::task<int> my::work(T) [with T = int]" -> "my::work". What cannot be parsed is left
// unchanged.
void shorten_declaration(const char* declaration, char* name, std::size_t size) {
    std::snprintf(name, size, "%s", declaration);
    run_guarded([&] {
        std::string_view text = declaration;
        if (text.ends_with(']'))
            text = text.substr(0, text.rfind(" ["));
        std::string of_lambda(text);  // Clang's notation would be mistaken for parameters
        constexpr std::string_view anonymous = "(anonymous class)";
        for (std::size_t at = 0; (at = of_lambda.find(anonymous, at)) != std::string::npos;)
            of_lambda.replace(at, anonymous.size(), "{lambda}");
        const std::string shortened = short_cxx_name(of_lambda);
        if (!shortened.empty())
            std::snprintf(name, size, "%s", shortened.c_str());
    });
}

}  // namespace

void prepare_task_types(std::uint32_t most) { most_types = most; }

std::uintptr_t task_type_key(ThreadState& state, const char* type, const char* file, int line,
                             std::uintptr_t stack) {
    constexpr std::size_t longest = 1000;
    char name[longest];
    if (!type || !*type)
        type = "(task without a name)";
    if (file && *file) {
        const char* slash = std::strrchr(file, '/');
        std::snprintf(name, sizeof name, "%.800s (%.150s:%d)", type, slash ? slash + 1 : file,
                      line);
    } else {
        std::snprintf(name, sizeof name, "%.900s", type);
    }
    bool is_known = true;
    std::uintptr_t key = 0;
    {
        SlowPath guard(state, stack);
        key = task_name_key(name, most_types, state.arena, is_known);
    }
    if (!is_known)
        VFTRACE_MESSAGE_ONCE(
            "more than %u types of tasks (task.max_types): further ones are counted as one. "
            "Names of types should not contain request numbers",
            most_types);
    return key;
}

std::uintptr_t coroutine_type_key(ThreadState& state, const char* function, const char* file,
                                  std::uint32_t line, const char* const* internal_files,
                                  std::uintptr_t stack) {
    if (const std::uintptr_t key = known_key(function, line)) [[likely]]
        return key;
    std::uintptr_t key = internal_task_key;
    if (!is_internal(file, internal_files)) {
        constexpr std::size_t longest = 800;
        char name[longest];
        {
            SlowPath guard(state, stack);
            shorten_declaration(function, name, sizeof name);
        }
        key = task_type_key(state, name, file, static_cast<int>(line), stack);
    }
    if (key) {
        SlowPath guard(state, stack);
        remember_key(function, line, key);
    }
    return key;
}

std::uintptr_t handler_type_key(ThreadState& state, const vftrace_task_handler& handler,
                                std::uintptr_t stack) {
    const std::uint32_t place = number_of_place(handler);
    if (const std::uintptr_t key = known_key(handler.declaration, place)) [[likely]]
        return key;
    constexpr std::size_t longest = 800;
    char name[longest], file[longest] = "";
    int line = 0;
    std::snprintf(name, sizeof name, "%s", handler.operation);
    {
        SlowPath guard(state, stack);
        run_guarded([&] {
            if (is_place_of_program(handler)) {
                std::snprintf(name, sizeof name, "%s", handler.function);
                std::snprintf(file, sizeof file, "%s", handler.file);
                line = handler.line;
                return;
            }
            const HandlerName found = name_of_handler(handler.declaration);
            if (found.name.find("lambda") != std::string::npos)
                shorten_declaration(found.name.c_str(), name, sizeof name);
            else if (!found.name.empty())
                std::snprintf(name, sizeof name, "%s: %s", found.name.c_str(), handler.operation);
            std::snprintf(file, sizeof file, "%s", found.file.c_str());
            line = found.line;
        });
    }
    const std::uintptr_t key = task_type_key(state, name, file, line, stack);
    if (key) {
        SlowPath guard(state, stack);
        remember_key(handler.declaration, place, key);
    }
    return key;
}

void forget_task_types() {
    if (!any_coroutine)
        return;
    for (Coroutine& each : coroutines)
        each = {};
    any_coroutine = false;
}

}  // namespace vftrace
