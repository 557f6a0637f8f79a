// Jumps at the entries of functions: which entries can be overwritten, and what their copies do.
#include <catch2/catch.hpp>

#include <cstring>

#include "patch/entry_jumps.hpp"
#include "profile/annotations.hpp"

using namespace vftrace;

#if defined(__x86_64__)

// Functions of (int) that return their argument plus 1, with different entries.
asm(R"(
    .text
    .macro begins name
    .globl \name
    .type \name, @function
    .balign 16
\name:
    .endm

    begins entry_plain
    push %rbp
    mov %rsp, %rbp
    lea 1(%rdi), %eax
    pop %rbp
    ret
    .size entry_plain, .-entry_plain

    begins entry_endbr
    endbr64
    xor %eax, %eax
    lea 1(%rdi), %eax
    ret
    .size entry_endbr, .-entry_endbr

    begins entry_rip
    mov entry_one(%rip), %eax
    add %edi, %eax
    ret
    .size entry_rip, .-entry_rip

    begins entry_branch
    test %edi, %edi
    js 1f
    lea 1(%rdi), %eax
    ret
1:  lea 1(%rdi), %eax
    nop
    ret
    .size entry_branch, .-entry_branch

    begins entry_call
    call entry_plain
    ret
    .size entry_call, .-entry_call

    begins entry_short
    xor %eax, %eax
    ret
    .size entry_short, .-entry_short

    begins entry_loop
    nop
1:  dec %edi
    nop
    nop
    jnz 1b
    mov %edi, %eax
    ret
    .size entry_loop, .-entry_loop
entry_end:
    .globl entry_end

    .data
    .balign 4
entry_one: .long 1
    .text
)");

extern "C" {
int entry_plain(int);
int entry_endbr(int);
int entry_rip(int);
int entry_branch(int);
int entry_call(int);
int entry_short(int);
int entry_loop(int);
extern const char entry_end[];
}

namespace {

std::uintptr_t address_of(int (*function)(int)) {
    return reinterpret_cast<std::uintptr_t>(function);
}

EntryCopies::Made prepare(EntryCopies& copies, int (*function)(int), int (*next)(int)) {
    // The padding between them is part of the size: it holds no jumps.
    const std::uintptr_t end =
        next ? address_of(next) : reinterpret_cast<std::uintptr_t>(entry_end);
    return copies.prepare(address_of(function), end - address_of(function),
                          address_of(&entry_plain));
}

}  // namespace

TEST_CASE("copies of entries do what the functions do") {
    const ModuleCode module = ModuleCode::at(address_of(&entry_plain));
    REQUIRE(module);
    EntryCopies copies(module, 8);
    const EntryCopies::Made made[] = {
        prepare(copies, entry_plain, entry_endbr), prepare(copies, entry_endbr, entry_rip),
        prepare(copies, entry_rip, entry_branch), prepare(copies, entry_branch, entry_call)};
    REQUIRE(copies.finish());
    for (const EntryCopies::Made& entry : made) {
        REQUIRE(entry.outcome == EntryJump::made);
        CHECK(entry.jump[0] == 0xe9);
        auto* const original = reinterpret_cast<int (*)(int)>(entry.original);
        CHECK(original(41) == 42);
        CHECK(original(-5) == -4);
    }
    CHECK(made[0].jump_at == address_of(&entry_plain));
    CHECK(made[1].jump_at == address_of(&entry_endbr) + 4);
}

TEST_CASE("entries that cannot be overwritten are refused") {
    const ModuleCode module = ModuleCode::at(address_of(&entry_plain));
    EntryCopies copies(module, 8);
    CHECK(prepare(copies, entry_call, entry_short).outcome == EntryJump::entry_unfit);
    CHECK(copies.prepare(address_of(&entry_short), 3, address_of(&entry_plain)).outcome ==
          EntryJump::too_short);
    CHECK(prepare(copies, entry_loop, nullptr).outcome == EntryJump::is_jumped_to);
    for (const EntryJump outcome :
         {EntryJump::too_short, EntryJump::entry_unfit, EntryJump::is_jumped_to,
          EntryJump::no_memory, EntryJump::not_writable})
        CHECK(std::strlen(reason_of(outcome)) > 0);
}

TEST_CASE("there is memory for as many copies as were requested") {
    const ModuleCode module = ModuleCode::at(address_of(&entry_plain));
    EntryCopies copies(module, 1);
    std::size_t made = 0;
    while (made < 1000 && prepare(copies, entry_plain, entry_endbr).outcome == EntryJump::made)
        made++;
    CHECK(made >= 1);
    CHECK(made < 1000);
}

#endif

TEST_CASE("kernels without a label have readable names") {
    CHECK(readable_kernel("axpy") == "axpy");
    CHECK(readable_kernel("Z4mainEUliE_") == "main::{lambda(int)#1}");
    CHECK(readable_kernel("N3foo7FunctorE") == "foo::Functor");
    CHECK(readable_kernel("Need a name") == "Need a name");
    CHECK(readable_kernel("Zero") == "Zero");
    CHECK(readable_kernel("3D stencil") == "3D stencil");
}

TEST_CASE("interfaces are named with the number of their regions") {
    Profile profile;
    CHECK(annotated_interfaces(profile).empty());
    const auto add = [&](AnnotationInterface interface, AnnotationRole role, const char* name) {
        Annotation row;
        row.interface = interface;
        row.role = role;
        row.name = name;
        profile.annotations.push_back(row);
    };
    add(AnnotationInterface::kokkos, AnnotationRole::parallel_for, "axpy");
    add(AnnotationInterface::kokkos, AnnotationRole::parallel_reduce, "dot");
    add(AnnotationInterface::kokkos, AnnotationRole::parallel_for, "dot");
    add(AnnotationInterface::kokkos, AnnotationRole::metadata, "version");
    add(AnnotationInterface::gptl, AnnotationRole::region, "norm");
    CHECK(annotated_interfaces(profile) == "Kokkos (2), GPTL (1)");
}
