// What is known about the running program: its functions and their profiles.
#include "taint/runtime/program.hpp"

#include <cstring>

namespace vftrace::taint {
namespace {

std::uint64_t hash_of_text(const char* text) {
    std::uint64_t hash = 0xcbf29ce484222325;
    for (; *text; ++text)
        hash = (hash ^ static_cast<unsigned char>(*text)) * 0x100000001b3;
    return hash;
}

bool same_name(const FunctionRecord& a, const FunctionRecord& b) {
    return a.is_local == b.is_local && std::strcmp(a.mangled_name, b.mangled_name) == 0 &&
           (!a.is_local || std::strcmp(a.file, b.file) == 0);
}

void grow_table() {
    program.bucket_count = program.bucket_count == 0 ? 1024 : 4 * program.bucket_count;
    program.buckets = static_cast<Function**>(allocate(program.bucket_count * sizeof(Function*)));
    for (Function* function : program.functions) {
        Function*& bucket = program.buckets[function->hash & (program.bucket_count - 1)];
        function->next_in_bucket = bucket;
        bucket = function;
    }
}

Function* add_function(FunctionRecord& record) {
    static std::uint32_t order;
    const std::uint64_t hash = hash_of_text(record.mangled_name);
    bool name_is_taken = false;
    if (program.functions.size >= program.bucket_count)
        grow_table();
    Function*& bucket = program.buckets[hash & (program.bucket_count - 1)];
    for (Function* function = bucket; function; function = function->next_in_bucket) {
        if (!same_name(*function->record, record)) {
            name_is_taken = name_is_taken ||
                            std::strcmp(function->record->mangled_name, record.mangled_name) == 0;
            continue;
        }
        if (function->record->kind != function_analysed && record.kind == function_analysed) {
            function->record = &record;
            function->order = order++;
        }
        return function;
    }
    Function* function = make<Function>();
    function->record = &record;
    function->hash = hash;
    function->next_in_bucket = bucket;
    function->order = order++;
    function->number = static_cast<std::uint32_t>(program.functions.size);
    function->name_is_taken = name_is_taken;
    bucket = function;
    program.functions.add(function);
    return function;
}

}  // namespace

constinit Program program;

Function* function_of(FunctionRecord& record) {
    if (!record.function) {
        const Locked locked;
        if (!record.function)
            record.function = add_function(record);
    }
    return static_cast<Function*>(record.function);
}

Entry* find_entry(const FunctionRecord& record, const SiteSet* sets, std::size_t count) {
    std::uint64_t hash = count;
    for (std::size_t i = 0; i < count; ++i)
        hash = (hash ^ sets[i].site ^ (sets[i].set * 0x9e3779b97f4a7c15)) * 0x100000001b3;
    auto& function = *static_cast<Function*>(record.function);
    for (Entry* entry : function.entries) {
        if (entry->hash != hash || entry->sets.size != count ||
            entry->record->site_count != record.site_count)
            continue;
        std::size_t i = 0;
        while (i < count && entry->sets[i] == sets[i])
            ++i;
        if (i == count)
            return entry;
    }
    Entry* entry = make<Entry>();
    entry->record = &record;
    entry->hash = hash;
    for (std::size_t i = 0; i < count; ++i)
        entry->sets.add(sets[i]);
    function.entries.add(entry);
    return entry;
}

}  // namespace vftrace::taint

// Called by a constructor of each object file.
extern "C" void vftrace_taint_register(vftrace::taint::FunctionRecord** records,
                                       std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
        vftrace::taint::function_of(*records[i]);
}
