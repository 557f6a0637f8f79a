// The descriptions of process, modules, paths and threads in a trace (record/trace_file.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "record/trace_file.hpp"

namespace vftrace {

// The texts after a TraceProcess, in their order.
enum class TraceText : std::uint8_t {
    application,
    command_line,
    host,
    output_base,
    job,
    config_source,
    configuration,
    count
};
using TraceTexts = std::array<std::string_view, static_cast<std::size_t>(TraceText::count)>;

inline std::string_view text_of(const TraceTexts& texts, TraceText text) {
    return texts[static_cast<std::size_t>(text)];
}

// Reads the payload of a chunk of kind `process`. Missing texts are empty. Returns false if it is
// too short. The texts refer to `words`.
inline bool read_process(std::span<const std::uint64_t> words, TraceProcess& process,
                         TraceTexts& texts) {
    if (words.size_bytes() < sizeof process)
        return false;
    std::memcpy(&process, words.data(), sizeof process);
    std::string_view rest(reinterpret_cast<const char*>(words.data()) + sizeof process,
                          words.size_bytes() - sizeof process);
    for (std::string_view& text : texts) {
        const std::size_t end = rest.find('\0');
        text = rest.substr(0, end);
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    }
    return true;
}

// Calls visitor(item, text) for each TraceModule or TracePath of a chunk. Returns false if the
// chunk ends within an item.
template <class Item, class Visitor>
bool visit_descriptions(std::span<const std::uint64_t> words, Visitor visitor) {
    constexpr std::size_t fixed = sizeof(Item) / sizeof(std::uint64_t);
    while (!words.empty()) {
        Item item;
        if (words.size() < fixed)
            return false;
        std::memcpy(&item, words.data(), sizeof item);
        words = words.subspan(fixed);
        const std::uint64_t text_words = (std::uint64_t{item.text_bytes} + 7) / 8;
        if (text_words > words.size())
            return false;
        visitor(item,
                std::string_view(reinterpret_cast<const char*>(words.data()), item.text_bytes));
        words = words.subspan(text_words);
    }
    return true;
}

}  // namespace vftrace
