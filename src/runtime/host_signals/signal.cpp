// Names of signals as users write them.
#include "host_signals/signal.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace vftrace {
namespace {

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

bool is_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char letter) {
        return (letter >= 'A' && letter <= 'Z') || (letter >= 'a' && letter <= 'z') ||
               (letter >= '0' && letter <= '9') || letter == '_' || letter == ':' || letter == '-';
    });
}

}  // namespace

std::string label(const Signal& signal) {
    if (signal.domain == SignalDomain::board)
        return signal.name;
    return format("%s@%s-%u", signal.name.c_str(), signal_domain_word(signal.domain).data(),
                  signal.index);
}

std::optional<std::vector<SignalRequest>> signal_requests(std::string_view text,
                                                          std::string& error) {
    std::vector<SignalRequest> requests;
    if (trim(text).empty())
        return requests;
    for (const std::string_view item : split(text, ',')) {
        const std::size_t at = item.find('@');
        const std::string_view name = trim(item.substr(0, at));
        if (trim(item).empty()) {
            error = "a name is missing before or after a comma";
            return std::nullopt;
        }
        if (!is_name(name)) {
            error = quoted(trim(item)) +
                    " is not the name of a signal, such as CPU_ENERGY or CPU_ENERGY@package";
            return std::nullopt;
        }
        SignalRequest request{.name = std::string(name)};
        if (at != item.npos) {
            const std::string_view domain = trim(item.substr(at + 1));
            const auto* const word =
                std::find(signal_domain_words.begin(), signal_domain_words.end(), domain);
            if (word == signal_domain_words.end()) {
                error = quoted(trim(item)) + ": " + quoted(domain) +
                        " is not a domain: board, package, core, gpu";
                return std::nullopt;
            }
            request.domain = static_cast<SignalDomain>(word - signal_domain_words.begin());
        }
        requests.push_back(std::move(request));
    }
    return requests;
}

}  // namespace vftrace
