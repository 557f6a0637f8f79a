// The result: a JSON file in the layout that doc/parameters-json.md describes.
#include "taint/runtime/result.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "taint/runtime/files.hpp"
#include "taint/runtime/frames.hpp"
#include "taint/runtime/history.hpp"
#include "taint/runtime/instance_text.hpp"
#include "taint/runtime/json_text.hpp"
#include "taint/runtime/parameters.hpp"

extern "C" [[gnu::weak]] char* __cxa_demangle(const char* name, char* buffer, std::size_t* size,
                                              int* status);

namespace vftrace::taint {
namespace {

struct Output {
    Function* function;
    std::size_t index;
    Array<Profile> profiles;
};

class Writer {
  public:
    explicit Writer(bool is_complete) : complete(is_complete) {
        const char* wish = std::getenv("VFTR_TAINT_COMPATIBLE");
        compatible = wish && (std::strcmp(wish, "yes") == 0 || std::strcmp(wish, "true") == 0 ||
                              std::strcmp(wish, "on") == 0 || std::strcmp(wish, "1") == 0);
    }

    bool write() {
        order_functions();
        for (Output& output : outputs)
            make_profiles(output);
        json.add("{\n");
        if (!compatible)
            write_header();
        write_functions_names();
        line("parameters");
        write_names(known_parameters());
        line("functions");
        write_functions();
        if (!compatible)
            write_lists();
        json.add("\n}\n");
        return json.write_to(result_path());
    }

    // The number of functions with loops that depend on parameters.
    std::size_t function_count() const {
        std::size_t count = 0;
        for (const Output& output : outputs)
            count += output.profiles.size != 0;
        return count;
    }

  private:
    void line(const char* name) {
        if (json.size() > 2)
            json.add(",\n");
        json.add("  ").add_string(name).add(": ");
    }

    // Functions with code first, each group in the order of the object files.
    void order_functions() {
        for (const bool analysed : {true, false})
            for (Function* function : program.functions)
                if ((function->record->kind == function_analysed) == analysed)
                    outputs.add({function, 0, {}});
        for (std::size_t i = 1; i < outputs.size; ++i)
            for (std::size_t j = i; j > 0 && comes_before(outputs[j], outputs[j - 1]); --j)
                swap(outputs[j], outputs[j - 1]);
        index_of_number =
            static_cast<std::size_t*>(allocate(sizeof(std::size_t) * (outputs.size + 1)));
        for (std::size_t i = 0; i < outputs.size; ++i) {
            outputs[i].index = i;
            index_of_number[outputs[i].function->number] = i;
        }
    }
    static bool comes_before(const Output& a, const Output& b) {
        const bool a_analysed = a.function->record->kind == function_analysed;
        const bool b_analysed = b.function->record->kind == function_analysed;
        return a_analysed != b_analysed ? a_analysed : a.function->order < b.function->order;
    }
    static void swap(Output& a, Output& b) {
        const Output other = a;
        a = b;
        b = other;
    }
    std::size_t index_of(const Function& function) const {
        return index_of_number[function.number];
    }
    InstanceText instances() const { return {index_of_number, compatible}; }

    // ---- Instances --------------------------------------------------------------------------

    void make_profiles(Output& output) {
        for (Entry* entry : output.function->entries) {
            JsonText text;
            text.add("{");
            instances().write_loops(text, *entry, -1, nullptr);
            text.add("}");
            entry->id = not_in_result;
            if (compatible && std::strcmp(text.c_str(), "{}") == 0)
                continue;
            Profile* same = nullptr;
            for (Profile& profile : output.profiles)
                if (std::strcmp(profile.instance, text.c_str()) == 0)
                    same = &profile;
            if (!same) {
                output.profiles.add({text.c_str(), {}});
                same = &output.profiles[output.profiles.size - 1];
            }
            same->entries.add(entry);
            entry->id = static_cast<std::uint32_t>(same - output.profiles.items);
        }
    }

    // ---- The file ---------------------------------------------------------------------------

    void write_names(Parameters set) { write_parameters(json, set); }

    void write_header() {
        line("format");
        json.add_string("vftrace-parameters");
        line("version");
        json.add_number(1);
        line("application");
        json.add_string(application());
        if (uses_mpi()) {
            line("rank");
            json.add_number(
                std::strtoul(rank_of_launcher() ? rank_of_launcher() : "0", nullptr, 10));
            line("ranks");
            json.add_number(
                std::strtoul(ranks_of_launcher() ? ranks_of_launcher() : "1", nullptr, 10));
        }
        line("complete");
        json.add(complete ? "true" : "false");
        if (history_is_kept()) {
            line("history_matches");
            json.add(write_history() ? "true" : "false");
        }
    }

    void write_functions_names() {
        line("functions_names");
        json.add("[");
        for (const Output& output : outputs)
            json.separate().add_string(output.function->record->name);
        json.add("]");
        line("functions_mangled_names");
        json.add("[");
        for (const Output& output : outputs) {
            json.separate();
            add_mangled(*output.function);
        }
        json.add("]");
        line("functions_demangled_names");
        json.add("[");
        for (const Output& output : outputs) {
            const char* mangled = output.function->record->mangled_name;
            int status = -1;
            char* name = __cxa_demangle && std::strncmp(mangled, "_Z", 2) == 0
                             ? __cxa_demangle(mangled, nullptr, nullptr, &status)
                             : nullptr;
            json.separate().add_string(name ? name : mangled);
            std::free(name);
        }
        json.add("]");
    }

    // Static functions of the same name in several files are different functions.
    void add_mangled(const Function& function) {
        const FunctionRecord& record = *function.record;
        JsonText name;
        name.add(record.mangled_name);
        if (function.name_is_taken)
            name.add("@").add(record.file);
        json.add_string(name.c_str());
    }

    void write_functions() {
        json.add("{");
        for (const Output& output : outputs) {
            if (output.profiles.size == 0)
                continue;
            const FunctionRecord& record = *output.function->record;
            json.separate().add("\n    ");
            add_mangled(*output.function);
            json.add(": {").key("file").add_string(record.file);
            json.key("line")
                .add_number(static_cast<std::uint64_t>(record.line))
                .key("func_idx")
                .add_number(output.index);
            json.key("loops").add("[");
            for (const Profile& profile : output.profiles)
                write_profile(profile);
            json.add("]}");
        }
        json.add("\n  }");
    }

    void write_profile(const Profile& profile) {
        json.separate().add("\n      {").key("callstacks").add("[");
        write_stacks(profile);
        json.add("]").key("instance").add("{");
        instances().write_loops(json, *profile.entries[0], -1, &profile);
        json.add("}");
        if (!compatible)
            instances().write_calls(json, profile, -1);
        json.add("}");
    }

    void write_stacks(const Profile& profile) {
        Array<const char*> written;
        for (const Entry* entry : profile.entries) {
            for (const Context* context : entry->contexts) {
                JsonText stack;
                write_stack(stack, context->parent);
                const char* text = stack.c_str();
                bool known = false;
                for (const char* each : written)
                    known = known || std::strcmp(each, text) == 0;
                if (known)
                    continue;
                written.add(text);
                json.separate().add("[").add(text).add("]");
            }
        }
    }
    void write_stack(JsonText& text, const Context* context) {
        if (!context || !context->function)
            return;
        write_stack(text, context->parent);
        if (text.size() != 0)
            text.add(", ");
        text.add_number(index_of(*context->function));
    }

    // Whether more may decide the work of the function than its labels show: a loop whose length is
    // not fixed never had a label (labels get lost in messages, in control flow and in the sizes of
    // containers, and the function may not have run), or it calls code that is not analysed.
    static bool is_unknown(const Function& function) {
        const FunctionRecord& record = *function.record;
        if (record.kind != function_analysed)
            return false;
        if (record.calls_opaque || function.calls_unknown)
            return true;
        for (std::int32_t loop = 0; loop < record.loop_count; ++loop)
            if (has_exit(record, loop) && !has_label(function, loop))
                return true;
        return false;
    }
    // Whether such a loop may decide how often the function calls others.
    static bool has_unknown_calls(const Function& function) {
        const FunctionRecord& record = *function.record;
        if (record.kind != function_analysed)
            return false;
        for (std::int32_t loop = 0; loop < record.loop_count; ++loop)
            if (record.loops[loop].kind != loop_of_library && has_exit(record, loop) &&
                !has_label(function, loop) &&
                (record.loops[loop].kind == loop_of_recursion || has_call(record, loop)))
                return true;
        return false;
    }
    // By number: functions that call an unknown one, also through others: those in their code, and
    // those that were seen to be called through pointers.
    static bool* calling_unknown() {
        Array<FunctionCall> calls = seen_calls();
        for (const Function* function : program.functions)
            for (std::int32_t i = 0; i < function->record->callee_count; ++i)
                calls.add({function, function_of(*function->record->callees[i])});
        auto* marks = static_cast<bool*>(allocate(program.functions.size + 1));
        for (bool changed = true; changed;) {
            changed = false;
            for (const FunctionCall& call : calls)
                if (!marks[call.caller->number] &&
                    (marks[call.callee->number] || is_unknown(*call.callee)))
                    changed = marks[call.caller->number] = true;
        }
        return marks;
    }
    static bool has_call(const FunctionRecord& record, std::int32_t loop) {
        for (std::int32_t slot = 0; slot < record.slot_count; ++slot)
            for (std::int32_t around = record.slots[slot]; around >= 0;
                 around = record.loops[around].parent)
                if (around == loop)
                    return true;
        return false;
    }
    static bool has_exit(const FunctionRecord& record, std::int32_t loop) {
        for (std::int32_t site = 0; site < record.site_count; ++site)
            if (record.sites[site].loop == loop && record.sites[site].branch < 0)
                return true;
        return false;
    }
    static bool has_label(const Function& function, std::int32_t loop) {
        for (const Entry* entry : function.entries)
            for (const SiteSet& site : entry->sets)
                if (const SiteRecord& of_site = entry->record->sites[site.site];
                    of_site.loop == loop && of_site.branch < 0)
                    return true;
        return false;
    }

    void write_lists() {
        line("unimportant_functions");
        json.add("[");
        for (const Output& output : outputs)
            if (output.profiles.size == 0 && output.function->record->kind == function_analysed)
                json.separate().add_number(output.index);
        json.add("]");
        Parameters used = 0;
        for (const Output& output : outputs)
            for (const Entry* entry : output.function->entries)
                for (const SiteSet& site : entry->sets)
                    used |= site.set;
        line("unknown_functions");
        json.add("[");
        for (const Output& output : outputs)
            if (is_unknown(*output.function))
                json.separate().add_number(output.index);
        json.add("]");
        line("unknown_calls");
        json.add("[");
        for (const Output& output : outputs)
            if (has_unknown_calls(*output.function))
                json.separate().add_number(output.index);
        json.add("]");
        line("unknown_callers");
        json.add("[");
        const bool* const calls = calling_unknown();
        for (const Output& output : outputs)
            if (output.function->record->kind == function_analysed &&
                calls[output.function->number])
                json.separate().add_number(output.index);
        json.add("]");
        line("unused_parameters");
        write_names(known_parameters() & ~used);
        line("more_parameters");
        json.add("[");
        for (const char* name : more_parameters())
            json.separate().add_string(name);
        json.add("]");
        line("opaque_calls");
        json.add("[");
        for (std::size_t i = 0; i < program.opaque_calls.size; ++i)
            write_opaque(i);
        json.add("]");
    }

    // Each object file has a separate record for the same function.
    void write_opaque(std::size_t place) {
        const OpaqueRecord& record = *program.opaque_calls[place];
        std::uint64_t calls = 0;
        Parameters set = 0;
        for (std::size_t i = 0; i < program.opaque_calls.size; ++i) {
            const OpaqueRecord& each = *program.opaque_calls[i];
            if (std::strcmp(each.name, record.name) != 0)
                continue;
            if (i < place)
                return;
            calls += each.calls;
            set |= each.set;
        }
        json.separate()
            .add("{")
            .key("function")
            .add_string(record.name)
            .key("calls")
            .add_number(calls)
            .key("params");
        write_names(set);
        json.add("}");
    }

    bool complete;
    bool compatible;
    JsonText json;
    Array<Output> outputs;
    std::size_t* index_of_number = nullptr;
};

}  // namespace

void write_result(bool complete) {
    make_result_folder();
    Writer writer(complete);
    if (!writer.write()) {
        message("%s cannot be written: %m", result_path());
        return;
    }
    // With this variable, the command that started the program shows the result. One rank prints
    // the message for all.
    if (const char* quiet = std::getenv("VFTR_TAINT_QUIET");
        quiet && std::strcmp(quiet, "yes") == 0)
        return;
    if (uses_mpi() && rank_of_launcher() && std::strcmp(rank_of_launcher(), "0") != 0)
        return;
    const std::size_t functions = writer.function_count();
    message("%zu function%s with loops that depend on parameters: %s", functions,
            functions == 1 ? "" : "s", result_path());
}

}  // namespace vftrace::taint
