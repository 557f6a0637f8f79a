// The sampled functions of a profile as machine code: instructions and loops with their time.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "code/function_code.hpp"
#include "code/instructions.hpp"
#include "code/loop_iterations.hpp"
#include "code/sampled_lines.hpp"
#include "code/source_loops.hpp"
#include "code/source_text.hpp"
#include "profile/profile.hpp"

namespace vftrace {

// Samples at one place, or of several.
struct CodeTime {
    std::uint64_t samples = 0;
    double ns = 0, variance = 0;

    void add(const CodeTime& other) {
        samples += other.samples;
        ns += other.ns;
        variance += other.variance;
    }
};

// Samples of a module, by address.
using TimesByAddress = std::map<std::uint64_t, CodeTime>;

// A function in the file of a program or library.
struct AnnotatedFunction {
    std::string display;  // as tables show it
    FunctionCode code;
    std::vector<MachineInstruction> instructions;
    std::vector<std::vector<SourcePlace>> places;  // of each instruction
    std::vector<CodeTime> times;                   // of each instruction
    FunctionLoops machine_loops;
    SourceLoops loops;
    std::vector<CodeTime> loop_times;  // of each loop, with inner ones
    std::vector<CodeTime> own_times;   // without them
    std::vector<std::optional<std::uint64_t>>
        iterations;  // of each loop (code/loop_iterations.hpp)
    CodeTime time;   // of all instructions
};

// Why instructions cannot be shown, where can_decode_instructions() is false.
inline constexpr const char* no_decoder = "this vftrace cannot decode instructions: it was built "
                                          "without Zydis, or for another processor than x86-64";

// Reads the code of one file.
class CodeReader {
  public:
    // `build_id`: as in Profile::modules, "" if the file need not be a certain one.
    CodeReader(const std::string& path, const std::string& build_id, const SourceMap& map,
               SourceFiles& sources, std::int64_t run_start_unix_ns);

    // Why there is no code, a sentence; "" if there is.
    const std::string& problem() const { return problem_; }
    // Why there are no lines; "" if there are.
    const std::string& line_problem() const { return places_.problem(); }
    const CodeOfFile& file() const { return file_; }

    // The functions with this name, of the symbol or as tables show it. Several may have the same.
    std::vector<FunctionCode> named(const std::string& name) const;
    // Whether code of the function is elsewhere, too: symbol.cold, symbol.part.0.
    bool has_parts(const std::string& symbol) const;
    // The function with the times of the samples in its code.
    AnnotatedFunction annotate(FunctionCode code, const TimesByAddress& samples = {});

  private:
    CodeOfFile file_;
    SourcePlaces places_;
    const SourceMap& map_;
    SourceFiles& sources_;
    std::string problem_;
};

struct AnnotatedFunctions {
    std::vector<AnnotatedFunction> functions;  // those with most time first
    std::vector<std::string> problems;         // why some are missing: sentences
};

// The functions whose code has samples: those with at least `least_share` of the time of all paths,
// or, if `name` is not empty, those with this name (of the symbol or as tables show it).
AnnotatedFunctions annotate_functions(const Profile& profile, const SampledLines& lines,
                                      const SourceMap& map, SourceFiles& sources,
                                      const std::string& name, double least_share);

}  // namespace vftrace
