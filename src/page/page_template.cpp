// What viewer/ has built, share/report.html, as a part of the command: pieces of it, for compilers
// limit how long a literal may be (scripts/embed_page.py).
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
