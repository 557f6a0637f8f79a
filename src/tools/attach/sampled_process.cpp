#include "attach/sampled_process.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <unistd.h>

#include "base/clock.hpp"
#include "config/options.hpp"
#include "recover/running_process.hpp"

namespace vftrace {

SampledProcess::SampledProcess(const ProcessFacts& facts, ModuleFiles& files,
                               std::uint64_t period_ns)
    : facts_(facts), period_ns_(period_ns),
      most_recursion_(static_cast<std::uint64_t>(Options().max_recursion)), code_(facts.pid, files),
      walker_(std::make_unique<OutsideWalker>(code_)) {
    char host[HOST_NAME_MAX + 1] = {};
    gethostname(host, sizeof host - 1);
    host_ = host;
    code_.read_mappings();
    record_.pid = facts_.pid;
    record_.parent_pid = facts_.parent;
    record_.process_start = facts_.start;
    record_.start_unix_ns = record_.library_start_unix_ns = unix_time_ns();
    record_.start.ns = record_.start.ticks = monotonic_ns();
    record_.sample_period_ns = period_ns;
    record_.sample_clock = SampleClock::user_code;
    record_.rank = facts_.rank;
    record_.ranks = facts_.ranks;
    record_.uses_mpi = facts_.is_rank;
    record_.host = host_.c_str();
    record_.job = facts_.job.c_str();
    record_.application = record_.output_base = facts_.application.c_str();
    record_.command_line = facts_.command_line.c_str();
    record_.task_suffix = record_.config_source = record_.config_text = "";
}

std::int64_t SampledProcess::sampled_ns() const {
    return static_cast<std::int64_t>(record_.end_ticks - record_.start.ticks);
}

// Records of threads that have ended are used again for others with their name, because a program
// may start any number of them.
SampledProcess::Thread& SampledProcess::thread_of(std::int32_t tid, std::uint64_t ns) {
    Thread*& known = running_[tid];
    if (known)
        return *known;
    std::string name = thread_kernel_name(facts_.pid, tid);
    const auto free = std::find_if(threads_.begin(), threads_.end(), [&](const Thread& thread) {
        return !thread.record.in_use && name == thread.record.name;
    });
    if (free != threads_.end()) {
        known = &*free;
    } else {
        known = &threads_.emplace_back();
        Node& root = known->nodes.emplace_back();
        root.kind = NodeKind::root;
        root.module = no_module;
        root.last_callee = &root;
        known->record.root = &root;
        known->record.number = static_cast<std::uint32_t>(threads_.size() - 1);
        known->record.node_count = 1;
        root.body_offset = static_cast<std::int32_t>(known->record.number);
        std::strncpy(known->record.name, name.c_str(), sizeof known->record.name - 1);
    }
    known->record.in_use = 1;
    known->record.threads++;
    known->record.tid = tid;
    known->record.started = ns;
    return *known;
}

void SampledProcess::begin_thread(std::int32_t tid, std::uint64_t ns) {
    end_thread(tid, ns);
    thread_of(tid, ns);
}

void SampledProcess::end(Thread& thread, std::uint64_t ns) {
    thread.record.in_use = 0;
    thread.record.lived_ticks += ns - std::min(ns, thread.record.started);
}

void SampledProcess::end_thread(std::int32_t tid, std::uint64_t ns) {
    const auto thread = running_.find(tid);
    if (thread == running_.end())
        return;
    end(*thread->second, ns);
    running_.erase(thread);
}

void SampledProcess::name_thread(std::int32_t tid, std::string_view name) {
    const auto thread = running_.find(tid);
    if (thread == running_.end() || tid == facts_.pid)
        return;
    ThreadRecord& record = thread->second->record;
    std::memset(record.name, 0, sizeof record.name);
    name.copy(record.name, sizeof record.name - 1);
}

// As in programs that we start, a function that is on a path as often as it may counts for that.
Node* SampledProcess::recursion_of(Node* parent, std::uintptr_t function) const {
    Node* nearest = nullptr;
    std::uint64_t occurrences = 0;
    for (Node* node = parent; node && occurrences < most_recursion_; node = node->parent)
        if (node->key == function && node->parent) {
            nearest = nearest ? nearest : node;
            occurrences++;
        }
    return occurrences >= most_recursion_ ? nearest : nullptr;
}

Node* SampledProcess::callee(Thread& thread, Node* parent, std::uintptr_t function) {
    if (parent->last_callee->parent == parent && parent->last_callee->key == function)
        return parent->last_callee;
    Node*& node = thread.callees[{parent, function}];
    if (!node)
        node = recursion_of(parent, function);
    if (!node) {
        Node& last = thread.nodes.back();
        node = &thread.nodes.emplace_back();
        node->key = function;
        node->parent = parent;
        node->last_callee = node;
        node->number = thread.record.node_count++;
        node->module = code_.module_of(function);
        node->kind = NodeKind::function;
        node->flags = node_sampled;
        last.next_created = node;
    }
    parent->last_callee = node;
    return node;
}

// As in programs that we start: the address of each sample, as long as there are not too many.
void SampledProcess::note_address(Thread& thread, const Node& node, std::uintptr_t pc) {
    ThreadAddresses& addresses = thread.record.addresses;
    AddressRow*& row = thread.row_at[{&node, pc}];
    if (!row && record_.address_rows < most_address_rows) {
        record_.address_rows++;
        row = &thread.rows.emplace_back(AddressRow{&node, pc, nullptr, 0, 0, code_.module_of(pc)});
        (addresses.newest ? addresses.newest->next_created : addresses.first) = row;
        addresses.newest = row;
    }
    if (!row) {
        addresses.left_out++;
        return;
    }
    row->samples++;
    row->ticks += period_ns_;
}

// Whether other code than that of the module is at the address now.
bool SampledProcess::is_retired(std::uintptr_t address, std::uint16_t module) const {
    return module != no_module && !(address & retired_bit) && code_.module_of(address) != module;
}

// If other code is at the addresses of a module now, its nodes are no longer found by them.
void SampledProcess::retire_changed_code() {
    generation_ = code_.generation();
    const ModuleTable modules = code_.modules();
    const auto has_retired_key = [](const auto& entry) {
        return entry.second && (entry.second->key & retired_bit) != 0;
    };
    const auto is_at_retired_place = [](const auto& entry) {
        return entry.second && (entry.second->pc & retired_bit) != 0;
    };
    for (Thread& thread : threads_) {
        for (Node& node : thread.nodes)
            if (is_retired(node.key, node.module))
                node.key = retired_key(node.module, node.key - modules.modules[node.module].bias);
        for (AddressRow& row : thread.rows)
            if (is_retired(row.pc, row.module))
                row.pc |= retired_bit;
        std::erase_if(thread.callees, has_retired_key);
        std::erase_if(thread.row_at, is_at_retired_place);
    }
}

void SampledProcess::add_sample(std::int32_t tid, const Registers& registers,
                                const CopiedStack& stack) {
    walker_->walk(registers, OwnStack(), stack);
    if (generation_ != code_.generation())
        retire_changed_code();
    samples_++;
    const bool is_cut = walker_->is_cut();
    cut_ += is_cut;
    std::size_t count = walker_->count();
    // What calls main or the function of a thread.
    constexpr std::size_t most_start_functions = 3;
    for (std::size_t i = 0; !is_cut && i < most_start_functions && count > 1; i++)
        if (code_.is_start_code((*walker_)[count - 1].function))
            count--;
    Thread& thread = thread_of(tid, monotonic_ns());
    Node* node = thread.record.root;
    while (count-- > 0)
        node = callee(thread, node, (*walker_)[count].function);
    thread.record.samples++;
    node->timed_calls++;
    node->weighted_ticks += period_ns_;
    if (node->parent)
        note_address(thread, *node, registers.pc());
}

void SampledProcess::add_lost(std::uint64_t samples) { lost_ += samples; }

void SampledProcess::finish(std::uint64_t ns, std::uint64_t processor_ns) {
    for (auto& [tid, thread] : running_)
        end(*thread, ns);
    running_.clear();
    for (Thread& thread : threads_) {
        thread.record.next = record_.threads;
        record_.threads = &thread.record;
    }
    record_.thread_count = static_cast<std::uint32_t>(threads_.size());
    record_.modules = code_.modules();
    record_.end_ticks = ns;
    record_.end_unix_ns =
        record_.start_unix_ns + static_cast<std::int64_t>(ns - record_.start.ticks);
    record_.processor_ns = std::max<std::uint64_t>(processor_ns, 1);
}

}  // namespace vftrace
