// How often functions are called for each call of their callers: the basis for estimating their
// calls after their hooks are removed.
#pragma once

#include "base/mapped_table.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// What paths had been called at the last two looks at them. One thread at a time.
class CallRatios {
  public:
    // Looks at a path.
    void look_at(const Node& node);

    // To be called after the look at a path of `thread` whose function loses its hooks. Notes the
    // ratio in the thread's record if it has not changed between the two looks: by 5 % at most.
    void note_removal(ThreadRecord& thread, const Node& node);

    void clear() { paths_ = {}; }

  private:
    struct Calls {
        std::uint64_t own, of_caller;
    };
    struct Reviewed : ByAddress {  // of the node
        Calls before = {}, now = {};
    };

    MappedTable<Reviewed> paths_;
};

}  // namespace vftrace
