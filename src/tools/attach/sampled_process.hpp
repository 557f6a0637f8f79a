// A program of a process that is sampled from outside: the record that its samples become.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "attach/outside_code.hpp"
#include "attach/process_facts.hpp"
#include "record/process_record.hpp"

namespace vftrace {

class SampledProcess {
  public:
    // Names and mappings are read from the kernel now. `period_ns`: that a sample stands for.
    SampledProcess(const ProcessFacts& facts, ModuleFiles& files, std::uint64_t period_ns);
    SampledProcess(const SampledProcess&) = delete;
    SampledProcess& operator=(const SampledProcess&) = delete;

    void add_sample(std::int32_t tid, const Registers& registers, const CopiedStack& stack);
    void add_mapping(const CodeMapping& mapping) { code_.add(mapping); }
    void add_lost(std::uint64_t samples);
    void name_thread(std::int32_t tid, std::string_view name);
    void begin_thread(std::int32_t tid, std::uint64_t ns);
    void end_thread(std::int32_t tid, std::uint64_t ns);
    // To be called now and then: mappings are read again if code is found that is in none.
    void refresh() { code_.forget_unknown_places(); }

    // Ends the record. `processor_ns`: that the process has used meanwhile.
    void finish(std::uint64_t ns, std::uint64_t processor_ns);

    const ProcessFacts& facts() const { return facts_; }
    // Valid after finish().
    const ProcessRecord& record() const { return record_; }
    OutsideCode& code() { return code_; }
    std::int64_t sampled_ns() const;
    std::uint64_t samples() const { return samples_; }
    std::uint64_t lost() const { return lost_; }
    // Samples of which the outermost callers are not known, because the copy was too short.
    std::uint64_t cut() const { return cut_; }

  private:
    // An address below a node: a function that it calls, or where it was interrupted.
    struct Place {
        const Node* node;
        std::uintptr_t address;
        bool operator==(const Place&) const = default;
    };
    struct PlaceHash {
        std::size_t operator()(const Place& place) const {
            return reinterpret_cast<std::uintptr_t>(place.node) * 31 + place.address;
        }
    };
    struct Thread {
        ThreadRecord record{};
        std::deque<Node> nodes;  // the root first
        std::unordered_map<Place, Node*, PlaceHash> callees;
        std::deque<AddressRow> rows;
        std::unordered_map<Place, AddressRow*, PlaceHash> row_at;
    };

    Thread& thread_of(std::int32_t tid, std::uint64_t ns);
    void end(Thread& thread, std::uint64_t ns);
    Node* recursion_of(Node* parent, std::uintptr_t function) const;
    Node* callee(Thread& thread, Node* parent, std::uintptr_t function);
    void note_address(Thread& thread, const Node& node, std::uintptr_t pc);
    void retire_changed_code();
    bool is_retired(std::uintptr_t address, std::uint16_t module) const;

    ProcessFacts facts_;
    std::uint64_t period_ns_;
    std::uint64_t most_recursion_;
    OutsideCode code_;
    std::unique_ptr<OutsideWalker> walker_;
    std::uint32_t generation_ = 0;  // of the code that the keys of nodes are addresses of
    std::deque<Thread> threads_;
    std::map<std::int32_t, Thread*> running_;
    std::string host_;
    ProcessRecord record_{};
    std::uint64_t samples_ = 0, lost_ = 0, cut_ = 0;
};

}  // namespace vftrace
