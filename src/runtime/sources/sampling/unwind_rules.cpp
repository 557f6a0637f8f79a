// The tables of the code of this process, and whose code it is.
#include "sampling/unwind_rules.hpp"

#include <dlfcn.h>
#include <link.h>

#include "record/function_place.hpp"
#include "sampling/generated_code.hpp"

namespace vftrace {

std::uint32_t unwind_generation;

UnwindRule find_unwind_rule(std::uintptr_t pc) {
    UnwindRule rule;
    rule.pc = pc;
    rule.generation = __atomic_load_n(&unwind_generation, __ATOMIC_ACQUIRE);
    dl_find_object found;
    if (_dl_find_object(reinterpret_cast<void*>(pc), &found) != 0) {
        rule.function = generated_code_key(pc);
        return rule;
    }
    rule.function = page_of_code(pc);
    const char* path = found.dlfo_link_map ? found.dlfo_link_map->l_name : nullptr;
    rule.owner = owner_of_file(path ? path : "");
    if (!found.dlfo_eh_frame || !read_unwind_rule(CallFrameTables(found.dlfo_eh_frame), pc, rule))
        return rule;
    if (rule.frame == FrameRule::signal_frame || rule.frame == FrameRule::procedure_table ||
        (rule.owner == CodeOwner::program &&
         is_stub(*reinterpret_cast<const unsigned char(*)[stub_bytes]>(rule.function))))
        rule.owner = CodeOwner::between;
    return rule;
}

}  // namespace vftrace
