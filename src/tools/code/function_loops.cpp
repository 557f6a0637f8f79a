#include "code/function_loops.hpp"

#include <algorithm>

#include <fmt/core.h>

#include "symbol/names.hpp"

namespace vftrace {
namespace {

std::string shown_name(const std::string& symbol) {
    const std::string fortran = fortran_name(symbol);
    return fortran != symbol ? fortran : short_name(symbol);
}

void set_times(AnnotatedFunction& function, const TimesByAddress& samples) {
    function.times.resize(function.instructions.size());
    function.loop_times.resize(function.loops.loops.size());
    function.own_times.resize(function.loops.loops.size());
    for (std::size_t i = 0; i < function.instructions.size(); i++) {
        const MachineInstruction& instruction = function.instructions[i];
        for (auto at = samples.lower_bound(instruction.address);
             at != samples.end() && at->first < instruction.address + instruction.size; ++at)
            function.times[i].add(at->second);
        function.time.add(function.times[i]);
        std::size_t loop = function.loops.loop_of[i];
        if (loop != no_loop)
            function.own_times[loop].add(function.times[i]);
        for (; loop != no_loop; loop = function.loops.loops[loop].parent)
            function.loop_times[loop].add(function.times[i]);
    }
}

// Names are those of tables, or their ends: `relax` for `heat::(anonymous namespace)::relax`.
bool has_name(const std::string& symbol, const std::string& name) {
    if (name.empty() || symbol == name || clean_name(symbol) == name)
        return true;
    // A clone counts as the function: `relax.constprop.0`, `relax._omp_fn.1`.
    if (const std::size_t dot = symbol.find('.'); dot != std::string::npos && dot > 0)
        return has_name(symbol.substr(0, dot), name);
    const std::string demangled = demangle(symbol);
    const std::string names[] = {shown_name(symbol), demangled,
                                 short_cxx_name_with_parameters(demangled),
                                 cxx_name_without_templates(demangled)};
    return std::any_of(std::begin(names), std::end(names), [&name](const std::string& known) {
        return known == name || known.ends_with("::" + name);
    });
}

}  // namespace

CodeReader::CodeReader(const std::string& path, const std::string& build_id, const SourceMap& map,
                       SourceFiles& sources, std::int64_t run_start_unix_ns)
    : file_(path), map_(map), sources_(sources) {
    if (!file_.error().empty())
        problem_ = file_.error();
    else if (!build_id.empty() && file_.build_id() != build_id)
        problem_ = fmt::format("{} is not the file that ran: it has been built anew", path);
    else if (file_.functions().empty())
        problem_ = fmt::format("{} does not have symbols of functions", path);
    if (problem_.empty())
        places_.open(path, build_id, run_start_unix_ns);
}

std::vector<FunctionCode> CodeReader::named(const std::string& name) const {
    std::vector<FunctionCode> found;
    for (const CodeOfFile::Function& function : file_.functions())
        if (has_name(function.symbol, name) &&
            (found.empty() || found.back().start != function.start))
            found.push_back(file_.at(function.start));
    return found;
}

bool CodeReader::has_parts(const std::string& symbol) const {
    const auto is_part = [&symbol](const CodeOfFile::Function& function) {
        return function.symbol.size() > symbol.size() && function.symbol.starts_with(symbol) &&
               function.symbol[symbol.size()] == '.';
    };
    return std::any_of(file_.functions().begin(), file_.functions().end(), is_part);
}

AnnotatedFunction CodeReader::annotate(FunctionCode code, const TimesByAddress& samples) {
    AnnotatedFunction function;
    function.instructions = decode_instructions(code.bytes, code.start);
    function.display = shown_name(code.symbol);
    for (const MachineInstruction& instruction : function.instructions) {
        function.places.push_back(places_.at(instruction.address));
        for (SourcePlace& place : function.places.back())
            place.file = map_.path(place.file);
    }
    const SourceText text = [this](const std::string& file, std::uint32_t line) {
        return sources_.line(file, line);
    };
    function.machine_loops = find_loops(function.instructions);
    function.loops =
        find_source_loops(function.instructions, function.machine_loops, function.places, text);
    function.iterations.resize(function.loops.loops.size());
    function.code = std::move(code);
    set_times(function, samples);
    return function;
}

AnnotatedFunctions annotate_functions(const Profile& profile, const SampledLines& lines,
                                      const SourceMap& map, SourceFiles& sources,
                                      const std::string& name, double least_share) {
    AnnotatedFunctions result;
    const CountedCalls calls(profile);
    std::map<std::uint32_t, TimesByAddress> modules;
    for (const SampleOnLine& sample : lines.samples())
        if (sample.module != no_index)
            modules[sample.module][sample.offset].add({sample.samples, sample.ns, sample.variance});
    for (const auto& [module, samples] : modules) {
        const Module& file = profile.modules[module];
        CodeReader reader(map.path(file.path), file.build_id, map, sources,
                          profile.run.start_unix_ns);
        if (!reader.problem().empty()) {
            result.problems.push_back(reader.problem());
            continue;
        }
        struct Sampled {
            FunctionCode code;
            double ns = 0;
        };
        std::map<std::uint64_t, Sampled> functions;  // by address
        FunctionCode code;
        for (const auto& [offset, time] : samples) {
            if (offset - code.start >= code.bytes.size())
                code = reader.file().at(offset);
            if (code.symbol.empty())
                continue;
            Sampled& function = functions.try_emplace(code.start, Sampled{code}).first->second;
            function.ns += time.ns;
        }
        for (auto& [start, function] : functions) {
            const bool is_wanted = name.empty() ? function.ns >= least_share * lines.total_ns()
                                                : has_name(function.code.symbol, name);
            if (!is_wanted)
                continue;
            AnnotatedFunction& added =
                result.functions.emplace_back(reader.annotate(std::move(function.code), samples));
            if (!reader.has_parts(added.code.symbol))
                added.iterations = loop_iterations(added.instructions, added.machine_loops,
                                                   added.loops, module, added.code.start, calls);
        }
    }
    std::stable_sort(
        result.functions.begin(), result.functions.end(),
        [](const auto& one, const auto& other) { return one.time.ns > other.time.ns; });
    return result;
}

}  // namespace vftrace
