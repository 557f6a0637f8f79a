#include "symbol/hooked_modules.hpp"

#include <algorithm>
#include <string_view>

#include "symbol/linkage_slots.hpp"
#include "symbol/visit_loaded.hpp"

namespace vftrace {
namespace {

constexpr std::string_view entry_hooks[] = {"__cyg_profile_func_enter", "vftrace_function_entry"};

bool contains(const dl_phdr_info& information, std::uintptr_t address) {
    for (int i = 0; i < information.dlpi_phnum; i++) {
        const ElfW(Phdr)& piece = information.dlpi_phdr[i];
        if (piece.p_type == PT_LOAD &&
            address - (information.dlpi_addr + piece.p_vaddr) < piece.p_memsz)
            return true;
    }
    return false;
}

}  // namespace

bool may_call_hooks(const dl_phdr_info& information) {
    const ElfW(Dyn)* dynamic = nullptr;
    for (int i = 0; i < information.dlpi_phnum; i++)
        if (information.dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = reinterpret_cast<const ElfW(Dyn)*>(information.dlpi_addr +
                                                         information.dlpi_phdr[i].p_vaddr);
    bool any = false;
    LinkageTables(information.dlpi_addr, dynamic).visit([&](std::string_view name, std::uintptr_t) {
        any = any || std::find(std::begin(entry_hooks), std::end(entry_hooks), name) !=
                         std::end(entry_hooks);
    });
    return any;
}

std::vector<std::uintptr_t> modules_with_hooks() {
    std::vector<std::uintptr_t> modules;
    bool is_program = true;  // comes first
    visit_loaded([&](const dl_phdr_info& information) {
        const bool is_ours = contains(information, reinterpret_cast<std::uintptr_t>(entry_hooks));
        for (int i = 0; i < information.dlpi_phnum; i++) {
            const ElfW(Phdr)& piece = information.dlpi_phdr[i];
            if (piece.p_type != PT_LOAD || !(piece.p_flags & PF_X))
                continue;
            if (is_ours ? is_program : may_call_hooks(information))
                modules.push_back(information.dlpi_addr + piece.p_vaddr);
            break;
        }
        is_program = false;
        return false;
    });
    return modules;
}

}  // namespace vftrace
