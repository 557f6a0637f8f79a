// Figures of messages by call path and peer.
#include "mpi/messages.hpp"

#include <algorithm>
#include <bit>

#include "record/node.hpp"
#include "tree/slow_path.hpp"

namespace vftrace {
namespace {

// nullptr without memory.
[[gnu::noinline, gnu::cold]] MessageEntry* add_entry(ThreadState& thread, const Node* node,
                                                     std::int32_t peer) {
    SlowPath guard(thread, 0);
    ThreadMessages*& messages = thread.record->messages;
    if (!messages)
        messages = static_cast<ThreadMessages*>(thread.arena.allocate(sizeof(ThreadMessages)));
    auto* entry = static_cast<MessageEntry*>(thread.arena.allocate(sizeof(MessageEntry)));
    if (!messages || !entry)
        return nullptr;
    entry->node = node;
    entry->peer = peer;
    if (!messages->index.find_or_add({entry}))
        return nullptr;
    (messages->first ? messages->newest->next_created : messages->first) = entry;
    messages->newest = entry;
    return entry;
}

MessageEntry* find_entry(ThreadState& thread, const Node* node, std::int32_t peer) {
    if (const ThreadMessages* messages = thread.record->messages) [[likely]]
        if (const MessageIndex* known = messages->index.find({node, peer})) [[likely]]
            return known->entry;
    return add_entry(thread, node, peer);
}

// bytes / ticks as a fixed-point number. Integers, because a program may test for inexact results
// of floating-point arithmetic, or have them trapped.
unsigned __int128 rate(std::uint64_t bytes, std::uint64_t ticks) {
    ticks = std::max<std::uint64_t>(ticks, 1);
#ifdef __x86_64__
    // By hand: the compiler would call a function that is three times as slow.
    std::uint64_t whole = bytes >= ticks ? bytes / ticks : 0;
    std::uint64_t rest = bytes - whole * ticks, fraction = 0;
    asm("divq %2" : "+a"(fraction), "+d"(rest) : "r"(ticks) : "cc");
    return static_cast<unsigned __int128>(whole) << rate_fraction_bits | fraction;
#else
    return (static_cast<unsigned __int128>(bytes) << rate_fraction_bits) / ticks;
#endif
}

void add(DirectionFigures& figures, std::uint64_t messages, std::uint64_t bytes,
         std::uint64_t ticks) {
    figures.messages += messages;
    figures.bytes += bytes;
    figures.ticks += messages * ticks;
    if (bytes)
        figures.bytes_per_tick += rate(bytes, ticks);
}

SizeBin& bin_of(ThreadState& thread, std::uint64_t bytes) {
    return thread.record->messages->sizes[std::bit_width(bytes)];
}

}  // namespace

void book_sent(ThreadState& thread, const Node* node, std::int32_t peer, std::uint64_t bytes,
               std::uint64_t ticks) {
    if (MessageEntry* entry = find_entry(thread, node, peer)) {
        add(entry->sent, 1, bytes, ticks);
        bin_of(thread, bytes).sent++;
    }
}

void book_received(ThreadState& thread, const Node* node, std::int32_t peer, std::uint64_t bytes,
                   std::uint64_t ticks) {
    if (MessageEntry* entry = find_entry(thread, node, peer)) {
        add(entry->received, 1, bytes, ticks);
        bin_of(thread, bytes).received++;
    }
}

void book_collective(ThreadState& thread, const Node* node, const Traffic& traffic,
                     std::uint64_t ticks) {
    if (traffic.sends == 0 && traffic.receives == 0)
        return;
    if (MessageEntry* entry = find_entry(thread, node, all_peers)) {
        // The sum over messages of bytes / ticks is all bytes / ticks, because each took the call's
        // time.
        add(entry->sent, traffic.sends, traffic.send_bytes, ticks);
        add(entry->received, traffic.receives, traffic.receive_bytes, ticks);
    }
}

}  // namespace vftrace
