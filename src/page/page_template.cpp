// The result of building viewer/, share/report.html. It is embedded in the command in pieces,
// because compilers limit the length of literals (scripts/embed_page.py).
#include "page/page_template.hpp"

#include <string>

namespace vftrace {
namespace {

constexpr std::string_view pieces[] = {
#include "page/page_template.inc"
};

}  // namespace

std::string_view page_template() {
    static const std::string whole = [] {
        std::string text;
        for (const std::string_view piece : pieces)
            text += piece;
        return text;
    }();
    return whole;
}

}  // namespace vftrace
