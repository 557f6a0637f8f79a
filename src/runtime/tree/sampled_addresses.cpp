#include "tree/sampled_addresses.hpp"

#include "base/relaxed.hpp"
#include "guest/modules.hpp"
#include "tree/append_row.hpp"
#include "tree/own_record.hpp"

namespace vftrace {
namespace {

bool are_kept;

// Returns false if the process already has as many rows as it may have.
bool may_add_row() {
    std::uint32_t& rows = process_record->address_rows;
    if (__atomic_load_n(&rows, __ATOMIC_RELAXED) >= most_address_rows)
        return false;
    return __atomic_fetch_add(&rows, 1, __ATOMIC_RELAXED) < most_address_rows;
}

AddressRow* make_row(ThreadState& state, ThreadAddresses& addresses, const Node& node,
                     std::uintptr_t pc) {
    if (!may_add_row())
        return nullptr;
    auto* row = static_cast<AddressRow*>(state.arena.allocate_small(sizeof(AddressRow)));
    if (!row)
        return nullptr;
    row->node = &node;
    row->pc = pc;
    row->module = module_at(pc);
    if (!addresses.index.find_or_add({row}))
        return nullptr;
    append_row(addresses, row);
    return row;
}

}  // namespace

void keep_addresses(bool wanted) { are_kept = wanted; }

void note_address(ThreadState& state, const Node& node, std::uintptr_t pc, std::uint64_t samples,
                  std::uint64_t ticks) {
    if (!are_kept)
        return;
    ThreadAddresses& addresses = state.record->addresses;
    const AddressIndexOf<AddressRow>* known = addresses.index.find({&node, pc});
    AddressRow* row = known ? known->row : make_row(state, addresses, node, pc);
    if (!row)
        return add_relaxed(addresses.left_out, samples);
    add_relaxed(row->samples, samples);
    add_relaxed(row->ticks, ticks);
}

template <class Row>
static void retire(Row* const& first, std::uint16_t module, bool still_there) {
    for (Row* row = __atomic_load_n(&first, __ATOMIC_ACQUIRE); row;
         row = __atomic_load_n(&row->next_created, __ATOMIC_ACQUIRE))
        if (row->module == module)
            set_shared(row->pc, still_there ? row->pc & ~retired_bit : row->pc | retired_bit);
}

void retire_addresses(ThreadRecord& record, std::uint16_t module, bool still_there) {
    retire(record.addresses.first, module, still_there);
    retire(record.heap.first, module, still_there);
    retire(record.placement.first, module, still_there);
}

}  // namespace vftrace
