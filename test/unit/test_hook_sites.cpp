// Recognition of calls and jumps to hooks, in code that is written here by hand.
#include <catch2/catch.hpp>

#include "patch/code_writer.hpp"
#include "patch/hook_sites.hpp"
#include "patch/mapped_protection.hpp"
#include "patch/tail_jumps.hpp"

#include <sys/mman.h>

#if defined(__x86_64__) && defined(__LP64__)

using namespace vftrace;

extern "C" {
void site_test_hook();
void site_test_other();
extern char site_test_stub_plain[], site_test_stub_marked[], site_test_stub_bound[];
extern char site_test_stub_other[];
extern char site_test_function[], site_test_after_direct[], site_test_after_plain[];
extern char site_test_after_marked[], site_test_after_bound[], site_test_after_slot[];
extern char site_test_after_register[], site_test_after_other[], site_test_after_copied[];
extern char site_test_after_wrong_argument[], site_test_after_unknown_argument[];
extern char site_test_tail[], site_test_cold[], site_test_cold_jump[], site_test_conditional[];
extern char site_test_tail_slot[];
}

asm(R"(
    .pushsection .data
    .p2align 3
site_test_slot: .quad site_test_hook
site_test_other_slot: .quad site_test_other
    .popsection
    .pushsection .text
    .p2align 4
    .globl site_test_hook, site_test_other
site_test_hook: ret
    .p2align 4
site_test_other: ret
    .p2align 4
    .globl site_test_stub_plain, site_test_stub_marked, site_test_stub_bound, site_test_stub_other
site_test_stub_plain: jmp *site_test_slot(%rip)
    .p2align 4
site_test_stub_marked:
    endbr64
    jmp *site_test_slot(%rip)
    .p2align 4
site_test_stub_bound:
    endbr64
    .byte 0xf2
    jmp *site_test_slot(%rip)
    .p2align 4
site_test_stub_other: jmp *site_test_other_slot(%rip)
    .p2align 4

    .globl site_test_function, site_test_after_direct, site_test_after_plain
    .globl site_test_after_marked, site_test_after_bound, site_test_after_slot
    .globl site_test_after_register, site_test_after_other, site_test_after_copied
    .globl site_test_after_wrong_argument, site_test_after_unknown_argument
    .globl site_test_tail, site_test_tail_slot
site_test_function:
    .cfi_startproc
    push %rbx
    .cfi_adjust_cfa_offset 8
    lea site_test_function(%rip), %rdi
    call site_test_hook
site_test_after_direct:
    lea site_test_function(%rip), %rdi
    call site_test_stub_plain
site_test_after_plain:
    lea site_test_function(%rip), %rdi
    call site_test_stub_marked
site_test_after_marked:
    lea site_test_function(%rip), %rdi
    call site_test_stub_bound
site_test_after_bound:
    lea site_test_function(%rip), %rdi
    call *site_test_slot(%rip)
site_test_after_slot:
    mov site_test_slot(%rip), %rax
    lea site_test_function(%rip), %rdi
    call *%rax
site_test_after_register:
    lea site_test_function(%rip), %rdi
    call site_test_stub_other
site_test_after_other:
    lea site_test_function(%rip), %rbx
    mov %rbx, %rdi
    call site_test_hook
site_test_after_copied:
    lea site_test_other(%rip), %rdi
    call site_test_hook
site_test_after_wrong_argument:
    mov 8(%rsp), %rdi
    call site_test_hook
site_test_after_unknown_argument:
    test %eax, %eax
    jne site_test_cold
    lea site_test_function(%rip), %rdi
    pop %rbx
    .cfi_adjust_cfa_offset -8
    je 1f
site_test_tail:
    jmp site_test_stub_marked
1:
site_test_tail_slot:
    jmp *site_test_slot(%rip)
    .cfi_endproc
    .pushsection .text.unlikely, "ax"
    .globl site_test_cold, site_test_cold_jump
site_test_cold:
    .cfi_startproc
    pop %rbx
    lea site_test_function(%rip), %rdi
site_test_cold_jump:
    jmp site_test_hook
    .cfi_endproc
    .popsection
    .p2align 4
    .globl site_test_conditional
site_test_conditional:
    .cfi_startproc
    test %eax, %eax
    je site_test_stub_marked
    ret
    .cfi_endproc
    .popsection
)");

namespace {

std::uintptr_t at(const void* address) { return reinterpret_cast<std::uintptr_t>(address); }

const std::uintptr_t hook = at(reinterpret_cast<void*>(&site_test_hook));
const std::uintptr_t function = at(site_test_function);

HookSite found(std::uintptr_t return_address, std::uintptr_t for_function = function) {
    SiteTable nothing;
    ModuleCode module = ModuleCode::at(return_address);
    REQUIRE(module);
    return find_call(module, return_address, for_function, hook, nothing);
}

}  // namespace

TEST_CASE("Calls of a hook are found by their return address") {
    for (const char* direct :
         {site_test_after_direct, site_test_after_plain, site_test_after_marked,
          site_test_after_bound, site_test_after_copied}) {
        HookSite site = found(at(direct));
        CHECK(site.address == at(direct) - 5);
        CHECK(site.original == 0xe8);
        CHECK(site.replacement == 0xa9);
    }
    CHECK(found(at(site_test_after_slot)).address == at(site_test_after_slot) - 6);
    CHECK(found(at(site_test_after_slot)).original == 0xff);
    CHECK(found(at(site_test_after_slot)).replacement == 0x85);
    CHECK(found(at(site_test_after_register)).address == at(site_test_after_register) - 2);
    // Within the function's own body, a call that is not known to belong to another function
    // belongs to it.
    CHECK(found(at(site_test_after_unknown_argument)));
}

TEST_CASE("Calls of other functions, and of hooks for other functions, are not found") {
    CHECK_FALSE(found(at(site_test_after_other)));
    CHECK_FALSE(found(at(site_test_after_wrong_argument)));
    CHECK_FALSE(found(at(site_test_after_direct), at(site_test_cold)));
    CHECK_FALSE(found(at(site_test_after_unknown_argument), at(site_test_conditional)));
    CHECK_FALSE(found(at(site_test_after_direct) - 1));
    CHECK_FALSE(found(at(site_test_after_direct) + 1));
}

TEST_CASE("Jumps to the exit hook are found in the body, including moved parts") {
    SiteTable nothing;
    ModuleCode module = ModuleCode::at(function);
    CodeRange parts[max_parts];
    REQUIRE(parts_of(module, function, nothing, parts, max_parts) == 2);
    CHECK(parts[0].start == function);
    CHECK(parts[1].start == at(site_test_cold));
    std::vector<std::uintptr_t> jumps;
    for (const CodeRange& part : {parts[0], parts[1]}) {
        BodySweep sweep(module, part, nothing);
        std::uintptr_t argument;
        while (sweep.next()) {
            CHECK_FALSE(is_conditional_jump(sweep, hook));
            if (HookSite site = tail_jump_at(sweep, hook, argument)) {
                CHECK(site.replacement == 0xc3);
                CHECK(argument == function);
                jumps.push_back(site.address);
            }
        }
        CHECK(sweep.complete());
    }
    CHECK(jumps == std::vector<std::uintptr_t>{at(site_test_tail), at(site_test_tail_slot),
                                               at(site_test_cold_jump)});
}

TEST_CASE("A search of the module finds the same jumps, and not those of the linkage table") {
    SiteTable nothing;
    ModuleCode module = ModuleCode::at(function);
    TailJumpIndex index;
    std::size_t count;
    const TailJump* jumps = index.around(module, function, hook, nothing, count);
    REQUIRE(count == 3);
    for (std::size_t i = 0; i < count; i++)
        CHECK(jumps[i].function == function);
    index.forget(module.start(), function + 1);
    CHECK(index.around(module, function, hook, nothing, count));
    CHECK(index.around(module, at(&count), hook, nothing, count) == nullptr);
}

TEST_CASE("A conditional jump to the hook is noticed") {
    SiteTable nothing;
    ModuleCode module = ModuleCode::at(function);
    BodySweep sweep(module, body_around(module, at(site_test_conditional)), nothing);
    int conditional = 0;
    while (sweep.next())
        conditional += is_conditional_jump(sweep, hook);
    CHECK(conditional == 1);
}

TEST_CASE("A byte of code is written only where it is what is expected") {
    ModuleCode module = ModuleCode::at(function);
    std::uintptr_t address = at(site_test_after_direct) - 5;
    auto byte = [&] { return *reinterpret_cast<volatile std::uint8_t*>(address); };
    CodeWriter writer;
    CHECK_FALSE(writer.write(module, address, 0xcc, 0xa9));  // set by a debugger, for example
    CHECK(byte() == 0xe8);
    CHECK(writer.write(module, address, 0xe8, 0xa9));
    CHECK(byte() == 0xa9);
    // The sweep sees what was there before.
    SiteTable table;
    *table.find_or_add({{address}, function}) = {
        address, function, SiteState::removed, 0xe8, 0xa9, Hook::enter, 0};
    HookSite site = find_call(module, address + 5, function, hook, table);
    CHECK(site.address == address);
    CHECK_FALSE(find_call(module, address + 5, function, hook, SiteTable()));
    CHECK(leads_to_hook(module, address, 0xe8, hook));
    CHECK(writer.write(module, address, 0xa9, 0xe8));
    CHECK(byte() == 0xe8);
    static std::uint8_t data = 0xe8;
    CHECK_FALSE(writer.write(module, at(&data), 0xe8, 0xa9));
    CHECK(data == 0xe8);
}

TEST_CASE("The protection of a mapping is read") {
    void* page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(mapped_protection(at(page)) == PROT_READ);
    CHECK(mapped_protection(at(page) + 4095) == PROT_READ);
    CHECK(mapped_protection(function) == (PROT_READ | PROT_EXEC));
    CHECK(mapped_protection(at(&page)) == (PROT_READ | PROT_WRITE));
    munmap(page, 4096);
    CHECK(mapped_protection(16) == -1);
}

#endif
