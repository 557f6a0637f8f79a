// Reads the addresses at which the samples of a thread were taken.
#include <utility>

#include "recover/recovered_process.hpp"

namespace vftrace {

// The thread's nodes have been read: rows of other nodes are left out.
void RecoveredProcess::read_addresses(Thread& thread) {
    ThreadAddresses& addresses = thread.record.addresses;
    addresses.index = {};
    addresses.newest = nullptr;
    const AddressRow* next = std::exchange(addresses.first, nullptr);
    AddressRow** link = &addresses.first;
    while (next) {
        AddressRow row;
        if (!image_->read(next, row) || !spend(sizeof row)) {
            left_out_++;
            break;
        }
        next = row.next_created;
        row.node = node_at(row.node);
        if (!belongs_to(thread, row.node)) {
            left_out_++;
            continue;
        }
        if (row.module >= modules_.size())
            row.module = no_module;
        row.next_created = nullptr;
        AddressRow& kept = thread.addresses.emplace_back(row);
        *link = &kept;
        link = &kept.next_created;
    }
}

}  // namespace vftrace
