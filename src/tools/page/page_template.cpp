// The result of building viewer/, share/report.html, as the assembler reads it.
#include "page/page_template.hpp"

// VFTRACE_REPORT_PAGE: where that file is.
asm(".pushsection .rodata\n"
    ".global vftrace_page_template, vftrace_page_template_end\n"
    ".hidden vftrace_page_template, vftrace_page_template_end\n"
    "vftrace_page_template:\n"
    ".incbin \"" VFTRACE_REPORT_PAGE "\"\n"
    "vftrace_page_template_end:\n"
    ".popsection\n");

extern "C" {
extern const char vftrace_page_template[], vftrace_page_template_end[];
}

namespace vftrace {

std::string_view page_template() {
    return {vftrace_page_template,
            static_cast<std::size_t>(vftrace_page_template_end - vftrace_page_template)};
}

}  // namespace vftrace
