#include "annotations/static_functions.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/guarded.hpp"
#include "base/message.hpp"
#include "guest/valgrind.hpp"
#include "patch/code_writer.hpp"
#include "patch/entry_jumps.hpp"
#include "patch/turn.hpp"
#include "record/annotation_calls.hpp"
#include "symbol/elf_symbols.hpp"
#include "symbol/visit_loaded.hpp"

namespace vftrace {
namespace {

struct StaticFunction {
    const AnnotationFunction* known;
    std::uintptr_t address, bytes;
};

void redirect(const std::vector<StaticFunction>& functions) {
    const ModuleCode module = ModuleCode::at(functions.front().address);
    if (!module)
        return;
    EntryCopies copies(module, functions.size());
    std::vector<EntryCopies::Made> made;
    made.reserve(functions.size());
    for (const StaticFunction& function : functions)
        made.push_back(copies.prepare(function.address, function.bytes,
                                      reinterpret_cast<std::uintptr_t>(function.known->ours)));
    const bool usable = copies.finish();
    CodeWriter writer;
    for (std::size_t i = 0; i < functions.size(); i++) {
        EntryJump outcome = made[i].outcome;
        if (outcome == EntryJump::made) {
            *functions[i].known->real = made[i].original;
            if (usable)
                writer.write_all(module, made[i].jump_at, made[i].jump, sizeof made[i].jump);
            if (!usable || !std::equal(std::begin(made[i].jump), std::end(made[i].jump),
                                       reinterpret_cast<const std::uint8_t*>(made[i].jump_at)))
                outcome = EntryJump::not_writable;
        }
        if (outcome == EntryJump::made)
            continue;
        *functions[i].known->real = reinterpret_cast<void*>(functions[i].address);
        message("annotations.active: calls of %s, which is linked statically, are not recorded: %s",
                functions[i].known->name, reason_of(outcome));
    }
}

// Those in the program's file, by their addresses at link time.
std::vector<StaticFunction> functions_of_program(std::span<const AnnotationFunction> functions) {
    std::vector<const AnnotationFunction*> wanted;
    for (const AnnotationFunction& function : functions)
        wanted.push_back(&function);
    std::sort(wanted.begin(), wanted.end(),
              [](const AnnotationFunction* a, const AnnotationFunction* b) {
                  return std::string_view(a->name) < b->name;
              });
    std::vector<std::string_view> names;
    names.reserve(wanted.size());
    for (const AnnotationFunction* function : wanted)
        names.emplace_back(function->name);
    std::vector<StaticFunction> found;
    for (const FoundFunction& function : find_functions("/proc/self/exe", names))
        if (function.address != 0)
            found.push_back({wanted[function.name], function.address, function.size});
    return found;
}

void search_program(std::span<const AnnotationFunction> functions) {
    std::vector<StaticFunction> found = functions_of_program(functions);
    if (found.empty())
        return;
    std::uintptr_t bias = 0;
    visit_loaded([&](const dl_phdr_info& program) {
        bias = program.dlpi_addr;
        return true;  // the program is the first one
    });
    for (StaticFunction& function : found)
        function.address += bias;
    const auto before = [](const StaticFunction& a, const StaticFunction& b) {
        return a.address < b.address;
    };
    std::sort(found.begin(), found.end(), before);
    const auto same = [](const StaticFunction& a, const StaticFunction& b) {
        return a.address == b.address;
    };
    found.erase(std::unique(found.begin(), found.end(), same), found.end());
    const Turn turn(many_attempts);
    if (turn)
        redirect(found);
}

}  // namespace

void take_static_functions() {
    auto* const get = reinterpret_cast<GetAnnotationFunctions*>(
        dlsym(RTLD_DEFAULT, "vftrace_annotation_functions"));
    if (!get || runs_in_valgrind())
        return;
    std::size_t count = 0;
    const AnnotationFunction* const functions = get(&count);
    run_guarded([&] { search_program({functions, count}); });
}

}  // namespace vftrace
