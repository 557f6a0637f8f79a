// Packs the words of event buffers for the trace file: 2 to 3 bytes per event instead of 8, because
// programs produce events faster than disks, or the memory of tmpfs, can take them.
//
//   event:   1 byte: bit 0 exit, bits 1-2 PackedNode, bit 3 `more`, bits 4-7 low bits of the
//            ticks since the previous event; if `more`, the other bits of them; if the node is
//            `given`, its number
//   others:  1 byte with PackedNode::none, the word, and the words that belong to it
//
// Numbers have 7 bits per byte, the lowest first; bit 7 means that another byte follows. Words that
// were not written are left out. Packing costs about 4 ns per event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "record/trace_words.hpp"

namespace vftrace {

// The node of an event: that of the previous event, of the one before that, or another one.
enum class PackedNode : unsigned { same, same_as_second, given, none };

inline constexpr unsigned packed_ticks_low_bits = 4;
inline constexpr std::size_t longest_packed_event = 1 + 6 + 4;

// What packing and unpacking both remember of the previous events; zeros at the start of a chunk.
struct PackedContext {
    std::uint64_t ticks = 0;
    std::uint32_t node = 0, second = 0;

    void note(std::uint64_t new_ticks, std::uint32_t new_node) {
        ticks = new_ticks;
        second = node;
        node = new_node;
    }
};

struct PackedWords {
    std::size_t words;  // taken from the input
    std::size_t bytes;  // written
    std::size_t kept;   // words that unpacking returns
};

inline unsigned char* put_packed_number(unsigned char* out, std::uint64_t number) {
    for (; number >= 128; number >>= 7)
        *out++ = static_cast<unsigned char>(number | 128);
    *out++ = static_cast<unsigned char>(number);
    return out;
}

// Packs as many words as there is room for; records are not split. A record that does not fit into
// an empty output is left out.
inline PackedWords pack_words(const std::uint64_t* words, std::size_t count, unsigned char* output,
                              std::size_t room) {
    PackedContext context;
    unsigned char* out = output;
    const unsigned char* end = output + room;
    std::size_t at = 0, kept = 0;
    while (at < count) {
        const std::uint64_t word = words[at];
        const WordKind kind = word_kind(word);
        const auto left = static_cast<std::size_t>(end - out);
        if (kind == WordKind::none) {
            at++;
            continue;
        }
        // The event of a signal handler may be earlier than the event that precedes it here.
        const std::uint64_t ticks = word_ticks(word) - context.ticks;
        if (kind != WordKind::record && ticks >> 36 == 0) {
            if (left < longest_packed_event)
                break;
            const std::uint32_t node = word_node(word);
            const PackedNode which = node == context.node     ? PackedNode::same
                                     : node == context.second ? PackedNode::same_as_second
                                                              : PackedNode::given;
            const std::uint64_t rest = ticks >> packed_ticks_low_bits;
            *out++ = static_cast<unsigned char>((kind == WordKind::exit) |
                                                static_cast<unsigned>(which) << 1 |
                                                (rest != 0) << 3 | (ticks & 15) << 4);
            if (rest)
                out = put_packed_number(out, rest);
            if (which == PackedNode::given)
                out = put_packed_number(out, node);
            context.note(word_ticks(word), node);
            at++;
            kept++;
            continue;
        }
        std::size_t size = kind == WordKind::record ? 1 + record_words(word) : 1;
        if (size > count - at)
            size = count - at;
        if (left < 1 + size * sizeof word) {
            if (out != output)
                break;
            at += size;
            continue;
        }
        *out++ = static_cast<unsigned char>(static_cast<unsigned>(PackedNode::none) << 1);
        std::memcpy(out, words + at, size * sizeof word);
        out += size * sizeof word;
        at += size;
        kept += size;
    }
    return {at, static_cast<std::size_t>(out - output), kept};
}

// Unpacks the `count` words of a chunk. Returns false if the bytes do not contain this number of
// words.
inline bool unpack_words(const unsigned char* in, std::size_t bytes, std::uint64_t* words,
                         std::size_t count) {
    PackedContext context;
    const unsigned char* end = in + bytes;
    auto get_number = [&](std::uint64_t& number) {
        number = 0;
        for (unsigned shift = 0; in < end && shift < 42; shift += 7) {
            number |= std::uint64_t{*in & 127u} << shift;
            if (!(*in++ & 128))
                return true;
        }
        return false;
    };
    std::size_t at = 0;
    while (at < count) {
        if (in == end)
            return false;
        const unsigned first = *in++;
        const auto which = static_cast<PackedNode>(first >> 1 & 3);
        if (which == PackedNode::none) {
            std::uint64_t word;
            if (static_cast<std::size_t>(end - in) < sizeof word)
                return false;
            std::memcpy(&word, in, sizeof word);
            std::size_t size = 1;
            if (word_kind(word) == WordKind::record)
                size += record_words(word);
            if (size > count - at || static_cast<std::size_t>(end - in) < size * sizeof word)
                return false;
            std::memcpy(words + at, in, size * sizeof word);
            in += size * sizeof word;
            at += size;
            continue;
        }
        std::uint64_t rest = 0, node = context.node;
        if ((first & 8) && !get_number(rest))
            return false;
        if (which == PackedNode::same_as_second)
            node = context.second;
        else if (which == PackedNode::given && !get_number(node))
            return false;
        if (node >> word_node_bits)
            return false;
        const std::uint64_t ticks = context.ticks + (rest << packed_ticks_low_bits | first >> 4);
        context.note(ticks, static_cast<std::uint32_t>(node));
        words[at++] = event_word(first & 1 ? WordKind::exit : WordKind::enter,
                                 static_cast<std::uint32_t>(node), ticks);
    }
    return true;
}

}  // namespace vftrace
