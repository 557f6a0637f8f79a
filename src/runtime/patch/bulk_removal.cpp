#include "patch/bulk_removal.hpp"

#include <algorithm>
#include <cstring>

#include "guest/modules.hpp"
#include "patch/body_sweep.hpp"
#include "patch/hook_slots.hpp"
#include "patch/removed_sites.hpp"
#include "patch/turn.hpp"

namespace vftrace {
namespace {

// No calls have been removed yet from the code that is scanned here.
const SiteTable nothing_removed;

// The calls in a body that may be removed; used for one body after the other.
class BodyCalls {
  public:
    explicit BodyCalls(bool (*chosen)(std::uintptr_t)) : chosen_(chosen) {}

    // Examines all calls. Returns false if the function is better left as it is.
    bool find(const ModuleCode& module, CodeRange body);
    // The calls in the latest body.
    const std::vector<HookBranch>& calls() const { return calls_; }

  private:
    bool is_ambiguous(const HookBranch& call) const;

    bool (*chosen_)(std::uintptr_t);
    std::vector<HookBranch> calls_;
    std::vector<std::uintptr_t> targets_;  // of jumps in the body
};

bool BodyCalls::find(const ModuleCode& module, CodeRange body) {
    calls_.clear();
    targets_.clear();
    BodySweep sweep(module, body, nothing_removed);
    while (sweep.next()) {
        if (branch_of(sweep.instruction()) == Branch::none)
            continue;
        if (const std::uintptr_t target = direct_target(sweep.instruction(), sweep.next_address());
            body.contains(target))
            targets_.push_back(target);
        if (is_conditional_jump(sweep, address_of(Hook::exit)))
            return false;
        if (const HookBranch found = hook_branch_at(sweep, known_hooks))
            calls_.push_back(found);
    }
    if (!sweep.complete())
        return false;
    std::sort(targets_.begin(), targets_.end());
    for (HookBranch& call : calls_) {
        // If its argument is unknown, it is for the function that contains it.
        if (!call.argument)
            call.argument = body.start;
        if (is_ambiguous(call))
            return false;
    }
    // Functions that were inlined here may not have been chosen: their calls stay.
    calls_.erase(std::remove_if(calls_.begin(), calls_.end(),
                                [&](const HookBranch& call) { return !chosen_(call.argument); }),
                 calls_.end());
    return true;
}

// Whether a jump may lead to the call with another argument, because compilers merge calls.
bool BodyCalls::is_ambiguous(const HookBranch& call) const {
    const auto jumped_into = [&](CodeRange range) {
        const auto target = std::lower_bound(targets_.begin(), targets_.end(), range.start);
        return target != targets_.end() && *target < range.end;
    };
    return jumped_into(call.argument_is_set) || jumped_into(call.source_is_set);
}

// Writes adjacent bytes at once.
class BulkWriter {
  public:
    BulkWriter(const ModuleCode& module, Removal removal) : module_(module), removal_(removal) {}
    ~BulkWriter() { flush(); }
    BulkWriter(const BulkWriter&) = delete;
    BulkWriter& operator=(const BulkWriter&) = delete;

    void add(const HookBranch& call) {
        if (!pending_.empty() && call.site.address - pending_.front().site.address >= most_bytes)
            flush();
        pending_.push_back(call);
    }

  private:
    static constexpr std::uintptr_t most_bytes = 1 << 16;

    // Writes separately what could not be written with the others.
    void finish(const HookBranch& call) {
        if (removal_ == Removal::for_good)
            return count_removed(put(call.site));
        KnownSite* known = removed_sites.find(call.site.address);
        if (!known || known->state != SiteState::removed)
            return;
        if (put(call.site))
            count_removed(1);
        else
            known->state = SiteState::cannot_be;
    }
    bool put(const HookSite& site) {
        return code_byte(site.address) == site.replacement ||
               writer_.write(module_, site.address, site.original, site.replacement);
    }
    // Whether the call may be removed.
    bool note(const HookBranch& call) const {
        return removal_ == Removal::for_good || note_removed(call.site, call.argument, call.hook);
    }

    void flush() {
        if (pending_.empty())
            return;
        const std::uintptr_t first = pending_.front().site.address;
        std::uintptr_t last = first;
        for (const HookBranch& call : pending_)
            last = std::max(last, call.site.address);
        bytes_.resize(last + 1 - first);
        std::memcpy(bytes_.data(), reinterpret_cast<const void*>(first), bytes_.size());
        for (const HookBranch& call : pending_)
            if (note(call))
                bytes_[call.site.address - first] = call.site.replacement;
        writer_.write_all(module_, first, bytes_.data(), bytes_.size());
        for (const HookBranch& call : pending_)
            finish(call);
        pending_.clear();
    }

    const ModuleCode& module_;
    const Removal removal_;
    CodeWriter writer_;
    std::vector<HookBranch> pending_;  // in the order of the bodies
    std::vector<std::uint8_t> bytes_;
};

// The opcodes of all calls and of jumps with a distance of four bytes or to an address in memory.
bool may_be_hook_branch(const Instruction& instruction) {
    return instruction.map == OpcodeMap::one_byte &&
           (instruction.opcode == 0xe8 || instruction.opcode == 0xe9 || instruction.opcode == 0xff);
}

// Finds the calls in a body whose targets are in the instructions or in slots of linkage tables:
// for these, the registers need not be followed, which takes most of the time. Returns false if
// there may be others.
bool find_plain(const ModuleCode& module, CodeRange body, std::vector<HookBranch>& calls) {
    calls.clear();
    for (std::uintptr_t address = body.start, next; address < body.end; address = next) {
        const Instruction instruction =
            decode(reinterpret_cast<const std::uint8_t*>(address), body.end - address);
        next = address + instruction.length;
        if (next == address)
            break;
        if (!may_be_hook_branch(instruction))
            continue;
        const Branch branch = branch_of(instruction);
        if (branch != Branch::call && branch != Branch::jump)
            continue;
        const bool by_register = instruction.has_modrm && instruction.mode() == 3;
        if (branch == Branch::call ? by_register : instruction.rip_relative())
            return false;
        if (const HookBranch found = plain_hook_branch(module, instruction, address, known_hooks))
            calls.push_back(found);
    }
    return true;
}

// Finds all calls in a body, as far as its instructions are known. A jump through a slot without an
// argument belongs to the linkage table: calls are found, and put back, by what they lead to.
void find_all(const ModuleCode& module, CodeRange body, std::vector<HookBranch>& calls) {
    calls.clear();
    BodySweep sweep(module, body, nothing_removed);
    while (sweep.next()) {
        const Branch branch = branch_of(sweep.instruction());
        if (branch == Branch::none)
            continue;
        const HookBranch found = hook_branch_at(sweep, known_hooks);
        if (!found ||
            (branch == Branch::jump && sweep.instruction().rip_relative() && found.argument == 0))
            continue;
        calls.push_back(found);
    }
}

// Calls visit(ModuleCode, BulkWriter, FunctionRange) for each function of these modules, unless
// another thread is changing code.
template <class Visit>
void visit_functions_of(const std::vector<std::uintptr_t>& modules, Removal removal, Visit visit) {
    Turn turn(many_attempts);
    if (!turn)
        return;
    for (const std::uintptr_t address : modules) {
        const ModuleCode module = ModuleCode::at(address);
        if (!module)
            continue;
        note_hook_slots(address, known_hooks);
        BulkWriter writer(module, removal);
        visit_functions(address, [&](FunctionRange range) { visit(module, writer, range); });
    }
}

}  // namespace

void remove_all_hook_calls(const std::vector<std::uintptr_t>& modules, Removal removal) {
    std::vector<HookBranch> calls;
    visit_functions_of(modules, removal,
                       [&](const ModuleCode& module, BulkWriter& writer, FunctionRange range) {
                           const CodeRange body = body_in(module, range);
                           if (!body)
                               return;
                           if (!find_plain(module, body, calls))
                               find_all(module, body, calls);
                           for (HookBranch& call : calls) {
                               call.argument = body.start;
                               writer.add(call);
                           }
                       });
}

std::vector<std::uintptr_t> remove_hook_calls_of(const std::vector<std::uintptr_t>& modules,
                                                 bool (*chosen)(std::uintptr_t function)) {
    std::vector<std::uintptr_t> functions;
    BodyCalls calls(chosen);
    visit_functions_of(modules, Removal::can_be_undone,
                       [&](const ModuleCode& module, BulkWriter& writer, FunctionRange range) {
                           if (!chosen(range.start))
                               return;
                           const CodeRange body = body_in(module, range);
                           if (!body || !calls.find(module, body) || calls.calls().empty())
                               return;
                           for (const HookBranch& call : calls.calls())
                               writer.add(call);
                           functions.push_back(range.start);
                       });
    return functions;
}

}  // namespace vftrace
