#include "collate/lock_waits.hpp"

#include <algorithm>

#include "base/relaxed.hpp"
#include "base/text.hpp"
#include "collate/unite.hpp"
#include "record/function_place.hpp"
#include "symbol/elf_symbols.hpp"
#include "symbol/names.hpp"

namespace vftrace {

void LockWaitsSum::add(const NodePaths::Thread& thread) {
    const ModuleTable& modules = files_.modules();
    const LockWaitRow* row = __atomic_load_n(&thread.record->lock_waits.first, __ATOMIC_ACQUIRE);
    for (; row; row = __atomic_load_n(&row->next_created, __ATOMIC_ACQUIRE)) {
        LockWait wait;
        const std::uint32_t number = row->waiter->number;
        wait.waits = relaxed(row->waits);
        if (number >= thread.path_of.size() || wait.waits == 0)
            continue;
        wait.path = thread.path_of[number];
        wait.kind = row->kind;
        wait.ns = static_cast<std::int64_t>(relaxed(row->ns));
        wait.longest_ns = static_cast<std::int64_t>(relaxed(row->longest_ns));
        wait.holder = paths_(row->holder);
        wait.origin = paths_(row->origin);
        const FunctionPlace place = place_of_address(row->lock, row->module, modules);
        if (place.module != no_module) {
            wait.module = functions_.module_index(place.module);
            wait.offset = place.offset;
        }
        rows_.push_back(std::move(wait));
    }
}

// "queue_lock", "table+0x40": what the symbol table of its module calls a lock.
void LockWaitsSum::look_up_names() {
    std::vector<std::vector<LockWait*>> by_module(profile_.modules.size());
    for (LockWait& row : rows_)
        if (row.module != no_index)
            by_module[row.module].push_back(&row);
    for (std::uint32_t m = 0; m < by_module.size(); m++) {
        if (by_module[m].empty())
            continue;
        std::vector<std::uint64_t> offsets;
        for (const LockWait* row : by_module[m])
            offsets.push_back(row->offset);
        const Module& module = profile_.modules[m];
        const std::vector<SymbolOffset> symbols = lookup_enclosing_symbols(
            files_.path(module.path, module.build_id), offsets, SymbolType::object);
        for (std::size_t i = 0; i < offsets.size(); i++) {
            std::string& name = by_module[m][i]->name;
            name = symbols[i].name.empty() ? name_without_symbol(module.path, offsets[i])
                                           : short_name(symbols[i].name);
            if (const std::uint64_t distance = symbols[i].distance; distance > 0)
                append_format(name, "+0x%llx", static_cast<unsigned long long>(distance));
        }
    }
}

void LockWaitsSum::finish() {
    look_up_names();
    profile_.lock_waits = std::move(rows_);
    sort_and_unite(profile_.lock_waits);
}

}  // namespace vftrace
