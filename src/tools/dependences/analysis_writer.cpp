#include "dependences/analysis_writer.hpp"

#include "profile/json_writer.hpp"

namespace vftrace {
namespace {

constexpr int format_version = 1;

class AnalysisWriter {
  public:
    AnalysisWriter(const ParameterAnalysis& analysis, bool compatible, OutputFile& out)
        : analysis_(analysis), own_keys_(!compatible), json_(out) {}

    void write() {
        json_.begin_object();
        if (own_keys_)
            write_head();
        write_names("functions_names", &AnalysedFunction::name);
        write_names("functions_mangled_names", &AnalysedFunction::symbol);
        write_names("functions_demangled_names", &AnalysedFunction::demangled);
        ParameterSet all;
        for (std::uint32_t i = 0; i < analysis_.parameters.size(); i++)
            all.push_back(i);
        json_.key("parameters");
        write_set(all);
        json_.key("functions").begin_object();
        for (const ProfiledFunction& function : analysis_.profiled)
            write_function(function);
        json_.end_object();
        if (own_keys_)
            write_remarks();
        json_.end_object();
    }

  private:
    static constexpr JsonWriter::Layout compact = JsonWriter::Layout::compact;

    void write_head() {
        json_.key("format").string("vftrace-parameters");
        json_.key("version").integer(format_version);
        json_.key("application").string(analysis_.application);
        if (analysis_.rank >= 0)
            json_.key("rank").integer(analysis_.rank);
        if (analysis_.ranks > 0)
            json_.key("ranks").unsigned_integer(analysis_.ranks);
        json_.key("complete").boolean(analysis_.is_complete);
        if (!analysis_.history_matches)
            json_.key("history_matches").boolean(false);
    }

    void write_remarks() {
        json_.key("unimportant_functions");
        write_indices(analysis_.unimportant);
        json_.key("unknown_functions");
        write_indices(analysis_.unknown);
        json_.key("unknown_calls");
        write_indices(analysis_.unknown_calls);
        json_.key("unknown_callers");
        write_indices(analysis_.unknown_callers);
        json_.key("unused_parameters");
        write_set(unused_parameters(analysis_));
        json_.key("more_parameters").begin_array(compact);
        for (const std::string& name : analysis_.more_parameters)
            json_.string(name);
        json_.end_array();
        json_.key("opaque_calls").begin_array();
        for (const OpaqueCall& call : analysis_.opaque_calls) {
            json_.begin_object(compact);
            json_.key("function").string(call.symbol);
            json_.key("calls").unsigned_integer(call.calls);
            json_.key("params");
            write_set(call.params);
            json_.end_object();
        }
        json_.end_array();
    }

    void write_names(const char* key, std::string AnalysedFunction::*member) {
        json_.key(key).begin_array(compact);
        for (const AnalysedFunction& function : analysis_.functions)
            json_.string(function.*member);
        json_.end_array();
    }

    void write_set(const ParameterSet& set) {
        json_.begin_array(compact);
        for (const std::uint32_t parameter : set)
            json_.string(analysis_.parameters[parameter]);
        json_.end_array();
    }

    void write_indices(const std::vector<std::uint32_t>& indices) {
        json_.begin_array(compact);
        for (const std::uint32_t index : indices)
            json_.unsigned_integer(index);
        json_.end_array();
    }

    void write_calls(const Calls& calls) {
        if (!own_keys_ || calls.empty())
            return;
        json_.key("calls").begin_object(compact);
        for (const auto& [number, called] : calls) {
            json_.key(std::to_string(number)).begin_array(compact);
            for (const CalledProfile& one : called) {
                json_.begin_object(compact);
                json_.key("function_idx").unsigned_integer(one.function);
                json_.key("entry_id").unsigned_integer(one.entry);
                json_.end_object();
            }
            json_.end_array();
        }
        json_.end_object();
    }

    void write_loops(const std::map<std::uint32_t, Loop>& loops) {
        json_.begin_object(compact);
        for (const auto& [number, loop] : loops) {
            // Perf-taint's loops are those of the source.
            if (!own_keys_ && loop.kind != LoopKind::source)
                continue;
            json_.key(std::to_string(number)).begin_object(compact);
            if (!loop.branches.empty()) {
                json_.key("branches").begin_object(compact);
                for (const auto& [branch, set] : loop.branches) {
                    json_.key(std::to_string(branch));
                    write_set(set);
                }
                json_.end_object();
            }
            json_.key("level").unsigned_integer(loop.level);
            if (!loop.loops.empty()) {
                json_.key("loops");
                write_loops(loop.loops);
            }
            if (!loop.params.empty()) {
                json_.key("params").begin_array(compact);
                for (const ParameterSet& set : loop.params)
                    write_set(set);
                json_.end_array();
            }
            if (own_keys_)
                json_.key("line").unsigned_integer(loop.line);
            if (loop.kind != LoopKind::source)
                json_.key("kind").string(loop.kind == LoopKind::library ? "library" : "recursion");
            write_calls(loop.calls);
            json_.end_object();
        }
        json_.end_object();
    }

    void write_function(const ProfiledFunction& function) {
        json_.key(analysis_.functions[function.function].symbol).begin_object();
        json_.key("file").string(function.file);
        json_.key("line").unsigned_integer(function.line);
        json_.key("func_idx").unsigned_integer(function.function);
        json_.key("loops").begin_array();
        for (const LoopProfile& profile : function.profiles) {
            json_.begin_object();
            json_.key("callstacks").begin_array(compact);
            for (const std::vector<std::uint32_t>& stack : profile.callstacks)
                write_indices(stack);
            json_.end_array();
            json_.key("instance");
            write_loops(profile.loops);
            write_calls(profile.calls);
            json_.end_object();
        }
        json_.end_array();
        json_.end_object();
    }

    const ParameterAnalysis& analysis_;
    bool own_keys_;
    JsonWriter json_;
};

}  // namespace

void write_parameter_analysis(const ParameterAnalysis& analysis, bool compatible, OutputFile& out) {
    AnalysisWriter(analysis, compatible, out).write();
}

}  // namespace vftrace
