// The messages that the threads of a dead process sent and received.
#include <utility>

#include "recover/recovered_process.hpp"

namespace vftrace {

void RecoveredProcess::read_messages(Thread& thread) {
    const ThreadMessages* pointer = std::exchange(thread.record.messages, nullptr);
    if (!pointer)
        return;
    if (!image_->read(pointer, thread.messages) || !spend(sizeof thread.messages)) {
        left_out_++;
        return;
    }
    thread.record.messages = &thread.messages;
    for (const MessageEntry* next = thread.messages.first; next;) {
        MessageEntry entry;
        if (!image_->read(next, entry) || !spend(sizeof entry)) {
            left_out_++;
            break;
        }
        next = entry.next_created;
        thread.entries.push_back(entry);
    }
}

void RecoveredProcess::connect_messages(Thread& thread) {
    std::erase_if(thread.entries, [&](MessageEntry& entry) {
        entry.node = node_at(entry.node);
        const bool sound = entry.node && entry.peer >= all_peers &&
                           entry.peer < static_cast<std::int64_t>(record_.ranks);
        left_out_ += !sound;
        return !sound;
    });
    ThreadMessages& messages = thread.messages;
    messages.index = {};
    messages.first = messages.newest = nullptr;
    MessageEntry** link = &messages.first;
    for (MessageEntry& entry : thread.entries) {
        entry.next_created = nullptr;
        *link = messages.newest = &entry;
        link = &entry.next_created;
    }
}

}  // namespace vftrace
