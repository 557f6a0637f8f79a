#include "annotations/annotation_settings.hpp"

#include <string>
#include <string_view>

#include "base/message.hpp"
#include "config/options.hpp"

namespace vftrace {
namespace {

std::uint32_t taken;  // a bit for each interface

constexpr std::uint32_t all = (1u << annotation_interface_count) - 1;

constexpr std::uint32_t bit_of(AnnotationInterface interface) {
    return 1u << static_cast<unsigned>(interface);
}

// 0: there is none with this word.
std::uint32_t bit_of(std::string_view word) {
    for (std::size_t i = 0; i < annotation_interface_count; i++)
        if (word == annotation_interfaces[i].word)
            return 1u << i;
    return 0;
}

// Without split(), which allocates.
std::uint32_t taken_by(std::string_view list) {
    if (list == "auto")
        return all;
    std::uint32_t bits = 0;
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        const std::string_view word = list.substr(0, comma);
        list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
        const std::uint32_t bit = bit_of(word);
        if (bit == 0 && !word.empty() && word != "off")
            message("annotations.active: there is no interface \"%.*s\"; ignored",
                    static_cast<int>(word.size()), word.data());
        bits |= bit;
    }
    return bits;
}

}  // namespace

void prepare_annotations(const Options& options) {
    taken = taken_by(options.annotations_active);
    if (!options.cuda_active)
        taken &= ~bit_of(AnnotationInterface::nvtx);
}

bool takes_annotations(AnnotationInterface interface) { return taken & bit_of(interface); }
bool takes_any_annotations() { return taken != 0; }

}  // namespace vftrace
