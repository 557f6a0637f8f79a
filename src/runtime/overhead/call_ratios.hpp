// How often functions are called for each call of their callers: the basis for estimating their
// calls after their hooks are removed.
#pragma once

#include "base/mapped_table.hpp"
#include "record/process_record.hpp"

namespace vftrace {

// The numbers of calls of paths at the last two looks at them. To be used by one thread at a time.
class CallRatios {
  public:
    // Looks at a path.
    void look_at(const Node& node);

    // To be called after the look at a path of `thread` whose function loses its hooks. Stores the
    // ratio in the thread's record if it has changed by 5 % at most between the two looks.
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
