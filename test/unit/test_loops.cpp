// Loops of machine code, and what their instructions are.
#include <catch2/catch.hpp>

#include "code/instruction_mix.hpp"
#include "code/instructions.hpp"
#include "code/loops.hpp"
#include "code/source_loops.hpp"

namespace vftrace {
namespace {

struct Step {
    Flow flow = Flow::next;
    std::size_t target = 0;  // index of a step
};

// Instructions of four bytes each.
std::vector<MachineInstruction> code_of(const std::vector<Step>& steps) {
    constexpr std::uint64_t start = 0x1000, size = 4;
    std::vector<MachineInstruction> instructions;
    for (std::size_t i = 0; i < steps.size(); i++) {
        MachineInstruction instruction;
        instruction.address = start + size * i;
        instruction.size = size;
        instruction.flow = steps[i].flow;
        if (steps[i].flow == Flow::branch || steps[i].flow == Flow::jump)
            instruction.target = start + size * steps[i].target;
        instructions.push_back(instruction);
    }
    return instructions;
}

std::vector<std::vector<SourcePlace>> places_of(const std::vector<std::uint32_t>& lines) {
    std::vector<std::vector<SourcePlace>> places;
    for (const std::uint32_t line : lines) {
        SourcePlace place;
        place.file = "/a.c";
        place.line = line;
        place.function = "f";
        place.function_line = 1;
        places.push_back({place});
    }
    return places;
}

const SourceText no_text = [](const std::string&, std::uint32_t) { return std::string(); };

}  // namespace

TEST_CASE("code without ways back has no loops") {
    CHECK(find_loops({}).loops.empty());
    CHECK(find_loops(code_of({{}, {Flow::branch, 3}, {}, {Flow::end}})).loops.empty());
}

TEST_CASE("a loop whose condition is at its end") {
    const FunctionLoops found = find_loops(code_of({{}, {}, {}, {Flow::branch, 1}, {Flow::end}}));
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].header == 1);
    CHECK(found.loops[0].backward == std::vector<std::size_t>{3});
    CHECK(found.loops[0].instructions == std::vector<std::size_t>{1, 2, 3});
    CHECK(found.loop_of == std::vector<std::size_t>{no_loop, 0, 0, 0, no_loop});
}

TEST_CASE("a loop that begins with a jump to its condition") {
    // 0: jump 3; 1: body; 2: body; 3: condition; 4: branch 1; 5: end
    const FunctionLoops found =
        find_loops(code_of({{Flow::jump, 3}, {}, {}, {}, {Flow::branch, 1}, {Flow::end}}));
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].header == 3);
    CHECK(found.loops[0].instructions == std::vector<std::size_t>{1, 2, 3, 4});
}

TEST_CASE("loops in loops") {
    // outer 1..6, inner 2..4, and one of its own after that
    const FunctionLoops found = find_loops(code_of({{},
                                                    {},
                                                    {},
                                                    {},
                                                    {Flow::branch, 2},
                                                    {},
                                                    {Flow::branch, 1},
                                                    {},
                                                    {Flow::branch, 7},
                                                    {Flow::end}}));
    REQUIRE(found.loops.size() == 3);
    CHECK(found.loops[0].header == 1);
    CHECK(found.loops[0].depth == 1);
    CHECK(found.loops[1].header == 2);
    CHECK(found.loops[1].parent == 0);
    CHECK(found.loops[1].depth == 2);
    CHECK(found.loops[2].parent == no_loop);
    CHECK(found.loop_of[3] == 1);
    CHECK(found.loop_of[5] == 0);
    CHECK(found.loop_of[7] == 2);
}

TEST_CASE("a loop with a jump table contains its cases") {
    // 0: header; 1: jump by a table; 2: case, jump 4; 3: case; 4: branch 0; 5: end
    const FunctionLoops found = find_loops(
        code_of({{}, {Flow::indirect_jump}, {Flow::jump, 4}, {}, {Flow::branch, 0}, {Flow::end}}));
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].instructions == std::vector<std::size_t>{0, 1, 2, 3, 4});
}

TEST_CASE("two ways into a cycle: it is not a natural loop") {
    CHECK(find_loops(code_of({{Flow::branch, 2}, {}, {}, {Flow::branch, 1}, {Flow::end}}))
              .loops.empty());
}

TEST_CASE("a long function without recursion of its own") {
    std::vector<Step> steps(200000);
    for (std::size_t i = 1; i + 1 < steps.size(); i += 2)
        steps[i] = {Flow::branch, i - 1};
    steps.back() = {Flow::end};
    CHECK(find_loops(code_of(steps)).loops.size() == 99999);
}

TEST_CASE("a vectorised loop and the rest of its iterations are one loop of the source") {
    const std::vector<MachineInstruction> code =
        code_of({{}, {}, {Flow::branch, 1}, {}, {}, {Flow::branch, 4}, {Flow::end}});
    const SourceLoops found =
        find_source_loops(code, find_loops(code), places_of({1, 8, 7, 8, 8, 7, 9}), no_text);
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].line == 7);
    CHECK(found.loops[0].machine_loops.size() == 2);
    CHECK(found.loops[0].innermost.size() == 4);
}

TEST_CASE("the text of the source decides where a loop begins") {
    const std::vector<MachineInstruction> code = code_of({{}, {}, {Flow::branch, 1}, {Flow::end}});
    const std::vector<std::string> lines = {
        "", "int f(int n) {", "    do {", "        n /= 3;", "    } while (n);", "}"};
    const SourceText text = [&lines](const std::string&, std::uint32_t line) {
        return line < lines.size() ? lines[line] : "";
    };
    const SourceLoops found =
        find_source_loops(code, find_loops(code), places_of({1, 3, 4, 5}), text);
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].line == 2);
    CHECK(found.loops[0].is_header);
    const SourceLoops without =
        find_source_loops(code, find_loops(code), places_of({1, 3, 4, 5}), no_text);
    CHECK(without.loops[0].line == 4);
}

TEST_CASE("a loop of an inlined function is at its own line") {
    const std::vector<MachineInstruction> code = code_of({{}, {}, {Flow::branch, 1}, {Flow::end}});
    std::vector<std::vector<SourcePlace>> places = places_of({20, 20, 20, 21});
    for (const std::size_t i : {1, 2}) {
        SourcePlace inlined = places[i][0];
        inlined.function = "dot";
        inlined.line = i == 1 ? 6 : 5;
        places[i].insert(places[i].begin(), inlined);
    }
    const SourceLoops found = find_source_loops(code, find_loops(code), places, no_text);
    REQUIRE(found.loops.size() == 1);
    CHECK(found.loops[0].line == 5);
    CHECK(found.loops[0].function == "dot");
    CHECK(found.loops[0].inlined_at == "a.c:20");
}

TEST_CASE("instructions of x86-64") {
    if (!can_decode_instructions())
        return;
    constexpr unsigned char bytes[] = {
        0xf2, 0x0f, 0x59, 0x04, 0xc7,  // mulsd (%rdi,%rax,8), %xmm0
        0xf2, 0x0f, 0x5e, 0xc1,        // divsd %xmm1, %xmm0
        0xc5, 0xfd, 0x58, 0xc1,        // vaddpd %ymm1, %ymm0, %ymm0
        0x66, 0x0f, 0xef, 0xc0,        // pxor %xmm0, %xmm0
        0x48, 0xff, 0xc0,              // inc %rax
        0x75, 0xea,                    // jne to the beginning
        0xe8, 0x00, 0x00, 0x00, 0x00,  // call
        0xc3,                          // ret
    };
    const std::string_view code(reinterpret_cast<const char*>(bytes), sizeof bytes);
    const std::vector<MachineInstruction> instructions = decode_instructions(code, 0x1000);
    REQUIRE(instructions.size() == 8);
    CHECK(instructions[0].arithmetic == Arithmetic::scalar_double);
    CHECK(instructions[0].loads);
    CHECK(instructions[1].is_divide);
    CHECK(instructions[2].arithmetic == Arithmetic::packed_double);
    CHECK(instructions[2].vector_bits == 256);
    CHECK(instructions[3].arithmetic == Arithmetic::none);
    CHECK(instructions[5].flow == Flow::branch);
    CHECK(instructions[5].target == 0x1000);
    CHECK(instructions[6].flow == Flow::call);
    CHECK(instructions[7].flow == Flow::end);
    CHECK(instruction_text(code, 0x1000, Syntax::att) == "mulsd (%rdi,%rax,8), %xmm0");
    CHECK(sentence_of(count_instructions(instructions, {0, 1, 2, 3, 4, 5})) ==
          "partly vectorised, with 256 bits: 2 of 3 floating-point instructions are scalar double; "
          "1 division or square root, 1 load");
    CHECK(sentence_of(count_instructions(instructions, {1})) ==
          "not vectorised: 1 of 1 floating-point instruction is scalar double; 1 division or "
          "square root");
    // The first byte that is not an instruction ends the code.
    CHECK(decode_instructions(std::string_view("\x06", 1), 0x1000).empty());
}

}  // namespace vftrace
