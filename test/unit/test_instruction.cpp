// Lengths and parts of x86-64 instructions.
#include <catch2/catch.hpp>

#include "patch/instruction.hpp"

using namespace vftrace;

namespace {

using Bytes = std::vector<std::uint8_t>;

Instruction decoded(Bytes bytes) { return decode(bytes.data(), bytes.size()); }

}  // namespace

TEST_CASE("Instructions have the lengths that the manuals give them") {
    for (const Bytes& bytes : std::vector<Bytes>{
             {0x55},                                         // push %rbp
             {0xc3},                                         // ret
             {0xc2, 0x08, 0x00},                             // ret $8
             {0xc8, 0x10, 0x00, 0x01},                       // enter $16, $1
             {0xf3, 0x0f, 0x1e, 0xfa},                       // endbr64
             {0x41, 0x54},                                   // push %r12
             {0x48, 0x89, 0xe5},                             // mov %rsp, %rbp
             {0x48, 0x8b, 0x44, 0x24, 0x18},                 // mov 0x18(%rsp), %rax
             {0x48, 0x8b, 0x04, 0x25, 1, 2, 3, 4},           // mov 0x4030201, %rax
             {0x8b, 0x84, 0x85, 1, 2, 3, 4},                 // mov 0x...(%rbp,%rax,4)
             {0x48, 0x8d, 0x3d, 1, 2, 3, 4},                 // lea 0x...(%rip), %rdi
             {0xb8, 1, 2, 3, 4},                             // mov $..., %eax
             {0x66, 0xb8, 1, 2},                             // mov $..., %ax
             {0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8},           // movabs
             {0x48, 0xc7, 0xc7, 1, 2, 3, 4},                 // mov $..., %rdi
             {0x66, 0xc7, 0x45, 0xf0, 1, 2},                 // movw $..., -16(%rbp)
             {0xf6, 0xc1, 0x01},                             // test $1, %cl
             {0xf6, 0xd1},                                   // not %cl
             {0xf7, 0xc1, 1, 2, 3, 4},                       // test $..., %ecx
             {0x48, 0xf7, 0xf9},                             // idiv %rcx
             {0xe8, 1, 2, 3, 4},                             // call
             {0x67, 0xe8, 1, 2, 3, 4},                       // addr32 call
             {0x0f, 0x84, 1, 2, 3, 4},                       // je
             {0x74, 5},                                      // je, short
             {0xff, 0x15, 1, 2, 3, 4},                       // call *...(%rip)
             {0x41, 0xff, 0xd3},                             // call *%r11
             {0xf2, 0xff, 0x25, 1, 2, 3, 4},                 // bnd jmp *...(%rip)
             {0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},  // nopw
             {0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0},
             {0x48, 0x0f, 0xba, 0xe0, 0x3f},                    // bt $63, %rax
             {0xf2, 0x0f, 0x10, 0x44, 0x24, 0x08},              // movsd 8(%rsp), %xmm0
             {0x66, 0x0f, 0x3a, 0x0b, 0xc1, 0x09},              // roundsd
             {0x66, 0x0f, 0x38, 0x00, 0xc1},                    // pshufb
             {0x0f, 0xc8},                                      // bswap %eax
             {0xc5, 0xf8, 0x77},                                // vzeroupper
             {0xc5, 0xf9, 0x70, 0xc0, 0x1b},                    // vpshufd
             {0xc4, 0xe2, 0xf5, 0x98, 0x84, 0x24, 1, 2, 3, 4},  // vfmadd132pd
             {0xc4, 0xe3, 0x7d, 0x19, 0xc1, 0x01},              // vextractf128
             {0x62, 0xf1, 0xfd, 0x48, 0x6f, 0x47, 0x01},        // vmovdqa64 64(%rdi)
             {0x62, 0xf3, 0xfd, 0x48, 0x3b, 0xc1, 0x01},        // vextracti64x4
             {0xd9, 0x7c, 0x24, 0x0e},                          // fnstcw
             {0xa0, 1, 2, 3, 4, 5, 6, 7, 8},                    // movabs ..., %al
         }) {
        Bytes more = bytes;
        more.resize(bytes.size() + 8, 0xcc);
        CAPTURE(bytes);
        CHECK(decode(more.data(), more.size()).length == bytes.size());
        Bytes cut(bytes.begin(), bytes.end() - 1);
        CHECK(decode(cut.data(), cut.size()).length == 0);
    }
}

TEST_CASE("Bytes that compilers never write are not instructions") {
    for (const Bytes& bytes : std::vector<Bytes>{{0x06, 0, 0, 0},
                                                 {0x82, 0xc0, 1, 0},
                                                 {0x9a, 0, 0, 0, 0, 0, 0},
                                                 {0xea, 0, 0, 0, 0, 0, 0},
                                                 {0xd5, 0, 0, 0},                 // REX2
                                                 {0x8f, 0xe8, 0x78, 0xc2, 0, 0},  // XOP
                                                 {0x0f, 0x0f, 0xc0, 0x9e},        // 3DNow!
                                                 {0xc4, 0xe0, 0x78, 0x10, 0},     // map 0
                                                 {0x0f, 0x21, 0x8d, 0, 0, 0, 0},  // mov %db1, %ebp
                                                 {0xf2, 0x0f, 0x78, 0xc1, 8, 0},  // insertq
                                                 {0xc5, 0x48, 0x84, 1, 0, 0, 0},  // jkzd
                                                 Bytes(20, 0x66)}) {
        CAPTURE(bytes);
        CHECK(decoded(bytes).length == 0);
    }
    CHECK(decode(nullptr, 0).length == 0);
}

TEST_CASE("Parts of an instruction") {
    Instruction lea = decoded({0x4c, 0x8d, 0x3d, 0xfc, 0xff, 0xff, 0xff});
    CHECK(lea.rip_relative());
    CHECK(lea.wide());
    CHECK(lea.reg() == 15);
    CHECK(lea.displacement == -4);
    CHECK(lea.opcode_at == 1);

    CHECK(decoded({0x48, 0x89, 0x7c, 0x24, 0x18}).on_stack());        // mov %rdi, 24(%rsp)
    CHECK(decoded({0x48, 0x89, 0x3c, 0x24}).on_stack());              // mov %rdi, (%rsp)
    CHECK(decoded({0x48, 0x89, 0x7d, 0xf8}).on_stack());              // mov %rdi, -8(%rbp)
    CHECK_FALSE(decoded({0x48, 0x89, 0x7c, 0x84, 0x18}).on_stack());  // mov %rdi, 24(%rsp,%rax,4)
    CHECK_FALSE(decoded({0x49, 0x89, 0x7d, 0xf8}).on_stack());        // mov %rdi, -8(%r13)
    CHECK_FALSE(lea.on_stack());

    Instruction move = decoded({0x4c, 0x89, 0xe7});  // mov %r12, %rdi
    CHECK(move.mode() == 3);
    CHECK(move.reg() == 12);
    CHECK(move.rm() == 7);

    Instruction call = decoded({0xe8, 0x10, 0, 0, 0});
    CHECK(branch_of(call) == Branch::call);
    CHECK(direct_target(call, 0x1005) == 0x1015);
    CHECK_FALSE(ends_flow(call));
    Instruction back = decoded({0xeb, 0xfe});
    CHECK(branch_of(back) == Branch::short_jump);
    CHECK(direct_target(back, 0x1002) == 0x1000);
    CHECK(ends_flow(back));
    Instruction conditional = decoded({0x0f, 0x85, 0xff, 0xff, 0xff, 0xff});
    CHECK(branch_of(conditional) == Branch::conditional_jump);
    CHECK(direct_target(conditional, 0x1006) == 0x1005);
    CHECK_FALSE(ends_flow(conditional));
    Instruction indirect = decoded({0xff, 0x25, 1, 0, 0, 0});
    CHECK(branch_of(indirect) == Branch::jump);
    CHECK(direct_target(indirect, 0x1006) == 0);
    CHECK(ends_flow(indirect));
    CHECK(branch_of(decoded({0xff, 0x75, 0xf8})) == Branch::none);  // push -8(%rbp)

    // The bits of a VEX prefix are inverted: vmovd %xmm7, %r15d.
    Instruction vector = decoded({0xc4, 0xc1, 0x79, 0x7e, 0xff});
    CHECK(vector.map == OpcodeMap::vector);
    CHECK(vector.rm() == 15);
    CHECK(vector.reg() == 7);
}
