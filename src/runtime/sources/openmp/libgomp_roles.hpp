// What calls of GCC's OpenMP library mean for the tree. Each role runs the real function and
// records what it knows: run(site, real, arguments...).
#pragma once

#include "base/relaxed.hpp"
#include "openmp/activations.hpp"
#include "openmp/libgomp_functions.hpp"
#include "openmp/teams.hpp"

namespace vftrace {

// Where a wrapper was called.
struct GompSite {
    const void* caller;    // return address
    std::uintptr_t stack;  // where the return address is
};

template <class... Words>
Word call_gomp(void* real, Words... words) {
    return reinterpret_cast<Word (*)(Words...)>(real)(words...);
}

inline std::uintptr_t key_at(OpenmpConstruct construct, const GompSite& site) {
    return openmp_key(construct, code_address(site.caller));
}

// An activation for as long as the call lasts, or a part of that.
class GompActivation {
  public:
    GompActivation(std::uintptr_t key, const GompSite& site)
        : node_(enter_construct(key, site.stack)), stack_(site.stack) {}
    void leave() {
        if (node_)
            leave_activation(node_, stack_);
    }
    Node* node() const { return node_; }

  private:
    Node* node_;
    std::uintptr_t stack_;
};

// The call is the construct.
template <OpenmpConstruct construct>
struct Inside {
    template <class... Words>
    static Word run(const GompSite& site, void* real, Words... words) {
        GompActivation activation(key_at(construct, site), site);
        Word result = call_gomp(real, words...);
        activation.leave();
        return result;
    }
};

// The construct continues after the call, and ends with another one.
template <OpenmpConstruct construct>
struct Begins {
    template <class... Words>
    static Word run(const GompSite& site, void* real, Words... words) {
        if (ThreadState* state = recording_state())
            enter_construct(key_at(construct, site), place_in_caller(*state, site.stack));
        return call_gomp(real, words...);
    }
};

template <OpenmpConstruct construct>
struct Ends {
    template <class... Words>
    static Word run(const GompSite& site, void* real, Words... words) {
        if (ThreadState* state = known_state())
            leave_construct(*state, construct, site.stack);
        return call_gomp(real, words...);
    }
};

// The same, and the call waits for the other threads.
template <OpenmpConstruct construct>
struct EndsAtBarrier {
    template <class... Words>
    static Word run(const GompSite& site, void* real, Words... words) {
        if (ThreadState* state = known_state())
            leave_construct(*state, construct, site.stack);
        return Inside<OpenmpConstruct::implicit_barrier>::run(site, real, words...);
    }
};

// The call waits for its turn to begin the construct.
template <OpenmpConstruct wait, OpenmpConstruct construct>
struct Acquires {
    template <class... Words>
    static Word run(const GompSite& site, void* real, Words... words) {
        Word result = Inside<wait>::run(site, real, words...);
        if (ThreadState* state = recording_state())
            enter_construct(key_at(construct, site), place_in_caller(*state, site.stack));
        return result;
    }
};

// Whether this thread executes the construct. Its end is not reported, so it is only counted, and
// its time belongs to what surrounds it.
struct SingleStart {
    static Word run(const GompSite& site, void* real) {
        Word result = call_gomp(real);
        if (static_cast<bool>(result & 0xff))
            GompActivation(key_at(OpenmpConstruct::single, site), site).leave();
        return result;
    }
};

// With copyprivate, the thread that executes it continues with GOMP_single_copy_end; the others
// wait here for its data.
struct SingleCopyStart {
    static Word run(const GompSite& site, void* real) {
        GompActivation waiting(key_at(OpenmpConstruct::implicit_barrier, site), site);
        Word result = call_gomp(real);
        waiting.leave();
        if (result)
            return result;
        if (waiting.node())
            add_relaxed(waiting.node()->calls, ~std::uint64_t{0});  // this thread has not waited
        if (ThreadState* state = recording_state())
            enter_construct(key_at(OpenmpConstruct::single, site),
                            place_in_caller(*state, site.stack));
        return result;
    }
};

struct TaskgroupEnd {
    static Word run(const GompSite& site, void* real) {
        Word result = Inside<OpenmpConstruct::taskgroup_wait>::run(site, real);
        if (ThreadState* state = known_state())
            leave_construct(*state, OpenmpConstruct::taskgroup, site.stack);
        return result;
    }
};

}  // namespace vftrace
