// Loops of machine code as those of the source: several machine loops, such as a vectorised one and
// the rest of its iterations, are one loop of the source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "code/instructions.hpp"
#include "code/loops.hpp"
#include "code/source_places.hpp"

namespace vftrace {

struct SourceLoop {
    std::string file;        // "" without debug information
    std::uint32_t line = 0;  // of `for`, `while` or `do`
    bool is_header =
        false;  // whether the line is known to be that; else it is one of the loop's lines
    std::string
        function;  // the function whose source has the loop: inlined, if not the function itself
    std::string inlined_at;  // then the place in the function itself, "heat.cpp:20"; else ""
    std::size_t parent = no_loop;
    std::size_t depth = 1;
    std::vector<std::size_t> machine_loops;  // its parts
    std::vector<std::size_t> innermost;      // instructions that are in no inner loop
};

struct SourceLoops {
    std::vector<SourceLoop> loops;     // outer ones before inner ones
    std::vector<std::size_t> loop_of;  // of each instruction: the innermost loop, or no_loop
};

// The text of one line of a source file, from 1; "" if it is not known.
using SourceText = std::function<std::string(const std::string& file, std::uint32_t line)>;

// `places`: of each instruction, as SourcePlaces::at() returns them. Compilers give the branch back
// to the header the line of `for` or `while`; where the text of that line does not have one of
// these words, the nearest line above that has one is the header's.
SourceLoops find_source_loops(const std::vector<MachineInstruction>& instructions,
                              const FunctionLoops& machine,
                              const std::vector<std::vector<SourcePlace>>& places,
                              const SourceText& text);

}  // namespace vftrace
