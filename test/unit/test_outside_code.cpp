// The code of a process as `vftrace sample` sees it, from this process: its own mappings and
// tables.
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>
#include <vector>

#include <catch2/catch.hpp>

#include "attach/outside_code.hpp"
#include "symbol/kernel_code.hpp"

using namespace vftrace;

namespace {

[[gnu::noinline]] int code_of_this_file(int value) {
    asm volatile("" : "+r"(value));
    return value * 3;
}

std::uintptr_t address(int (*function)(int)) { return reinterpret_cast<std::uintptr_t>(function); }

}  // namespace

TEST_CASE("rules from the file of a module are those of its memory") {
    ModuleFiles files;
    OutsideCode code(getpid(), files);
    code.read_mappings();
    for (std::uintptr_t function :
         {address(code_of_this_file),
          reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "qsort"))}) {
        dl_find_object found;
        REQUIRE(_dl_find_object(reinterpret_cast<void*>(function), &found) == 0);
        for (std::uintptr_t at = 0; at < 8; at++) {
            UnwindRule expected;
            REQUIRE(
                read_unwind_rule(CallFrameTables(found.dlfo_eh_frame), function + at, expected));
            const UnwindRule rule = code.find_rule(function + at);
            CHECK(rule.function == function);
            CHECK(rule.frame == expected.frame);
            CHECK(rule.cfa_register == expected.cfa_register);
            CHECK(rule.cfa_offset == expected.cfa_offset);
            CHECK(rule.owner == CodeOwner::program);
        }
        const std::uint16_t module = code.module_of(function);
        REQUIRE(module != no_module);
        CHECK(code.modules().modules[module].bias == found.dlfo_link_map->l_addr);
    }
}

TEST_CASE("the kernel's code in a process") {
    ModuleFiles files;
    OutsideCode code(getpid(), files);
    code.read_mappings();
    const auto image = reinterpret_cast<std::uintptr_t>(kernel_code().image);
    const std::uint16_t module = code.module_of(image);
    if (!image || module == no_module)
        return;  // a kernel without it
    CHECK(code.modules().modules[module].path == kernel_code_name);
    CHECK(code.modules().modules[module].bias == image);
}

TEST_CASE("a mapping that takes the place of another") {
    ModuleFiles files;
    OutsideCode code(getpid(), files);
    constexpr std::uintptr_t page = 4096, here = 1000 * page;
    code.add({here, here + 10 * page, 0, 1, "/nowhere/a"});
    const std::uint32_t before = code.generation();
    code.add({here, here + 10 * page, 0, 1, "/nowhere/a"});
    CHECK(code.generation() == before);
    code.add({here + 2 * page, here + 4 * page, 0, 2, "/nowhere/b"});
    CHECK(code.generation() != before);
    CHECK(code.modules().count == 2);
    CHECK(code.module_of(here + 3 * page) == 1);
    CHECK(code.module_of(here) == no_module);
    CHECK(code.find_rule(here + 3 * page).frame == FrameRule::unknown);
    CHECK(code.find_rule(here + 3 * page + 5).function == here + 3 * page);
    // What the kernel calls otherwise is not a file.
    code.add({here, here + page, 0, 3, "[heap]"});
    CHECK(code.module_of(here) == no_module);
}

TEST_CASE("a stack that was copied is followed as far as the copy goes") {
    // Code without tables: only frame pointers lead to callers.
    ModuleFiles files;
    OutsideCode code(getpid(), files);
    constexpr std::uintptr_t page = 4096, here = 1000 * page, stack = 0x7000000;
    code.add({here, here + 10 * page, 0, 1, "/nowhere/a"});
    OutsideWalker walker(code);
    std::vector<std::uint64_t> words(16);
    words[2] = stack + 6 * 8;  // the caller's frame pointer
    words[3] = here + page + 5;
    words[6] = stack + 64 * 8;  // outside of the copy
    words[7] = here + 2 * page + 5;
    Registers registers{};
    registers.value[dwarf_place] = here + 9;
    registers.value[dwarf_stack_pointer] = stack;
    registers.value[dwarf_frame_pointer] = stack + 2 * 8;
    registers.all_known = true;
    const auto* bytes = reinterpret_cast<const char*>(words.data());
    const std::size_t count = walker.walk(
        registers, OwnStack(), {stack, words.size() * 8, RingBytes(bytes, words.size() * 8, 0)});
    REQUIRE(count == 3);
    CHECK(walker[0].function == here);
    CHECK(walker[1].function == here + page);
    CHECK(walker[2].function == here + 2 * page);
    CHECK(walker.is_cut());
}
