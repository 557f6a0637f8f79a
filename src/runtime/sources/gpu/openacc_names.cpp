#include "gpu/openacc_names.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

#include "base/fnv.hpp"
#include "device_record/name_table.hpp"
#include "device_record/record_memory.hpp"
#include "guest/bounded_lock.hpp"

namespace vftrace {
namespace {

BoundedLock lock;  // for adding
NameTable names;

constexpr std::size_t longest_text = 1000;  // of a path, or of a mangled name

std::string_view limited(const char* text) {
    return text ? std::string_view(text, strnlen(text, longest_text)) : std::string_view();
}

std::uint32_t line_of(std::int32_t line) {
    return static_cast<std::uint32_t>(std::max(line, std::int32_t{0}));
}

// The key of a name: numbers and texts. Nothing is formatted, because the key is needed at each
// event.
struct Identity {
    std::uint64_t numbers;
    char texts[2 * longest_text + 3];

    Identity(const OpenaccEvent& event, const OpenaccPlace& place)
        : numbers(event.number | bits(place.line) << 6 | bits(place.last_line) << 35) {
        char* end = texts;
        for (std::string_view part : {limited(place.file), limited(place.function)}) {
            end = std::copy(part.begin(), part.end(), end);
            *end++ = '\n';
        }
        *end = '\0';
    }
    std::uint64_t hash() const { return fnv1a(texts); }

  private:
    static std::uint64_t bits(std::int32_t line) {
        constexpr std::uint32_t most = (1u << 29) - 1;
        return std::min(line_of(line), most);
    }
};

const char* keep(std::string_view text) {
    auto* copy = static_cast<char*>(gpu_memory(text.size() + 1));
    return copy ? static_cast<char*>(std::memcpy(copy, text.data(), text.size())) : nullptr;
}

const char* keep_name(const OpenaccEvent& event, const OpenaccPlace& place) {
    char text[80];
    if (place.line < 1)
        std::snprintf(text, sizeof text, "openacc_%s", event.name);
    else if (place.last_line < place.line)
        std::snprintf(text, sizeof text, "openacc_%d_%s", place.line, event.name);
    else
        std::snprintf(text, sizeof text, "openacc_%d_%d_%s", place.line, place.last_line,
                      event.name);
    return keep(text);
}

// To be called with the lock held. The name is not in the list of names, which is for functions of
// CUDA.
GpuCallName* add_name(const OpenaccEvent& event, const OpenaccPlace& place,
                      const Identity& identity) {
    const char* key = keep(identity.texts);
    auto* made = static_cast<GpuCallName*>(gpu_memory(sizeof(GpuCallName)));
    if (!key || !made || !(made->function = keep_name(event, place)))
        return nullptr;
    made->api = GpuApi::openacc;
    made->callback = openacc_callback(event.number, line_of(place.last_line));
    made->line = line_of(place.line);
    if (place.file && *place.file && !(made->file = keep(limited(place.file))))
        return nullptr;
    if (place.function && *place.function && !(made->within = keep(limited(place.function))))
        return nullptr;
    names.add(identity.numbers, identity.hash(), key, made);
    return made;
}

}  // namespace

const GpuCallName* openacc_name(const OpenaccEvent& event, const OpenaccPlace& place) {
    const Identity identity(event, place);
    const std::uint64_t hash = identity.hash();
    auto* name = static_cast<GpuCallName*>(names.find(identity.numbers, hash, identity.texts));
    if (!name && lock.lock()) [[unlikely]] {
        name = static_cast<GpuCallName*>(names.find(identity.numbers, hash, identity.texts));
        if (!name)
            name = add_name(event, place, identity);
        lock.unlock();
    }
    return name;
}

void forget_openacc_names() {
    lock = {};
    names = {};
}

}  // namespace vftrace
