#include "export/replay.hpp"

#include <algorithm>
#include <cmath>

#include "record/task_moments.hpp"

namespace vftrace {
namespace {

class Replay {
  public:
    Replay(const VfdFile& file, std::uint32_t thread, ReplayVisitor& visitor)
        : file_(file), stacks_(file.stacks()), thread_(thread), visitor_(visitor),
          depth_of_(stacks_.size(), 0), left_out_(file.left_out(thread)),
          is_older_(file.header().numbers.interval_ns > 0 && file.hides_what_was_left_out()) {
        has_left_out_ = left_out_.next(next_left_out_);
        for (const VfdGap& gap : file.extension().gaps)
            if (gap.thread == thread && gap.events > 0)
                gap_starts_.push_back(gap.start_ns);
        std::sort(gap_starts_.begin(), gap_starts_.end());
        if (thread == 0)
            push(0, 0, 0);
    }

    void sample(const VfdSample& sample) {
        const std::int64_t ns = std::max(sample.ns, last_ns_);  // clocks and files may have errors
        const std::uint32_t stack = sample.stack;
        const bool is_missing = find_missing(ns);
        if (sample.kind == VfdSampleKind::enter) {
            // Recursive calls have the path of the call that they are folded into. Only if no event
            // is missing can they be distinguished from a call after one whose end is missing.
            const bool is_recursion =
                file_.extension().present && !is_missing && depth_of_[stack] > 0;
            if (top() != stacks_[stack].parent && !is_recursion && !is_task(stack))
                catch_up(stack, caller_on_thread(stack), ns);
            mark_interrupted();
            push(stack, ns, ns);
        } else {
            if (top() != stack)
                catch_up(stack, stack, ns);
            mark_interrupted();
            pop(ns, ns, true);
        }
        last_ns_ = ns;
        if (!sample.counters.empty())
            visitor_.counters(ns, sample.counters);
    }

    // An event of a task on this thread: these are always exact, regardless of the number of
    // samples. Samples of the same time, which may have reported it, come first.
    void moment(const VfdTaskMoment& found) {
        const std::int64_t ns = std::max<std::int64_t>(found.ns, last_ns_);
        const auto moment = static_cast<TaskMoment>(found.moment);
        if (moment == TaskMoment::created)
            return;
        if (moment == TaskMoment::run) {
            const std::uint32_t sampled = depth_of_[found.stack];
            const bool is_open = sampled > 0 && open_[sampled - 1].begin_ns == ns &&
                                 (runs_.empty() || runs_.back().depth < sampled);
            if (!is_open)
                push(found.stack, ns, ns);
            runs_.push_back({found.task, depth_of_[found.stack]});
        } else {
            const auto run = std::find_if(runs_.rbegin(), runs_.rend(), [&](const TaskRun& one) {
                return one.task == found.task;
            });
            if (run == runs_.rend())
                return;  // it ended while not running here, or a sample reported it
            const std::uint32_t depth = run->depth;
            figures_.inserted += open_.size() - depth;
            while (open_.size() >= depth)
                pop(ns, ns, open_.size() == depth);
        }
        last_ns_ = ns;
    }

    ReplayFigures end() {
        figures_.end_ns = std::max(last_ns_, end_of_run_ns(file_));
        find_missing(figures_.end_ns);
        figures_.inserted += open_.size();
        while (!open_.empty())
            pop(figures_.end_ns, open_.size() <= certain_ ? figures_.end_ns : last_ns_,
                thread_ == 0 && open_.size() == 1);  // init is open to the end
        return figures_;
    }

  private:
    struct Frame {
        std::uint32_t stack;
        std::uint32_t outer_depth;  // of the same stack further out; 0 if none
        std::int64_t begin_ns;
        std::int64_t known_from;   // begin_ns if that is in the trace
        bool interrupted = false;  // it may have ended and begun again
    };

    struct TaskRun {
        std::uint64_t task;
        std::uint32_t depth;  // in open_, from 1
    };
    std::uint32_t top() const { return open_.empty() ? no_index : open_.back().stack; }

    // `known_from`: the first time at which the call is known to be open.
    void push(std::uint32_t stack, std::int64_t ns, std::int64_t known_from) {
        open_.push_back({stack, depth_of_[stack], ns, known_from});
        depth_of_[stack] = static_cast<std::uint32_t>(open_.size());
        figures_.calls++;
        visitor_.open(stack, ns);
    }

    // `known_to`: the last time at which the call is known to be open.
    void pop(std::int64_t ns, std::int64_t known_to, bool recorded) {
        const Frame frame = open_.back();
        open_.pop_back();
        depth_of_[frame.stack] = frame.outer_depth;
        while (!runs_.empty() && runs_.back().depth > open_.size())
            runs_.pop_back();
        visitor_.close(
            {frame.stack, ns, recorded && !frame.interrupted && frame.known_from == frame.begin_ns,
             frame.interrupted,
             frame.interrupted ? 0 : std::max<std::int64_t>(known_to - frame.known_from, 0)});
    }

    // Returns whether events are missing between the last sample and `ns`. Sets certain_: the
    // number of open calls that were open all that time.
    bool find_missing(std::int64_t ns) {
        bool after_gap = false, is_thinned = is_older_;
        for (; next_gap_ < gap_starts_.size() && gap_starts_[next_gap_] <= ns; next_gap_++)
            after_gap = true;
        std::size_t certain = is_thinned ? 0 : open_.size();
        for (; has_left_out_ && next_left_out_.ns <= ns;
             has_left_out_ = left_out_.next(next_left_out_)) {
            const std::uint32_t stack = next_left_out_.stack;
            is_thinned = true;
            figures_.left_out += next_left_out_.events;
            certain = std::min<std::size_t>(certain, stack == vfd_no_stack ? 0 : depth_of_[stack]);
        }
        // Every exit from these is in the trace.
        if (is_thinned)
            for (std::size_t i = open_.size(); i > certain; i--)
                if (stacks_[open_[i - 1].stack].precise)
                    certain = i;
        if (after_gap)
            certain = 0;
        if (thread_ == 0)
            certain = std::max<std::size_t>(certain, 1);  // init
        certain_ = std::min(certain, open_.size());
        if ((after_gap || is_thinned) && ns > last_ns_)
            visitor_.left_out(last_ns_, ns, certain_ == 0 ? no_index : open_[certain_ - 1].stack);
        return after_gap || is_thinned;
    }

    // Calls that are open before and after events that are missing.
    void mark_interrupted() {
        for (; certain_ < open_.size(); certain_++)
            open_[certain_].interrupted = true;
    }

    // A task runs inside the calls that its thread has open at that time; the path above it is
    // where it was created.
    bool is_task(std::uint32_t stack) const {
        const std::uint32_t function = stacks_[stack].function;
        const std::vector<Function>& functions = file_.extension().functions;
        return function < functions.size() && functions[function].kind == NodeKind::task;
    }

    // Whether the path above a stack belongs to another thread. The stack itself belongs to this
    // thread only if a sample names it.
    bool is_border(std::uint32_t stack) const {
        if (thread_ == 0)
            return false;
        const std::uint32_t function = stacks_[stack].function;
        const std::vector<Function>& functions = file_.extension().functions;
        if (stack == 0 || function >= functions.size())
            return stack == 0;
        if (functions[function].kind == NodeKind::thread)
            return true;
        return functions[function].kind == NodeKind::openmp &&
               file_.threads()[thread_].openmp_worker &&
               stacks_[stack].name.starts_with("omp parallel");
    }

    std::uint32_t caller_on_thread(std::uint32_t stack) const {
        const std::uint32_t caller = stacks_[stack].parent;
        const bool is_open = caller != no_index && depth_of_[caller] > 0;
        return is_border(stack) && !is_open ? no_index : caller;
    }

    // Inserts the events that must have happened since the last sample, so that `innermost` becomes
    // the innermost open call. `sampled`: the stack of the sample at `ns`.
    void catch_up(std::uint32_t sampled, std::uint32_t innermost, std::int64_t ns) {
        missing_.clear();
        std::uint32_t stack = innermost;
        bool keeps_all = false;
        while (stack != no_index && depth_of_[stack] == 0 && !keeps_all) {
            keeps_all = is_task(stack);
            if (!keeps_all && is_border(stack) && stack != sampled) {
                stack = no_index;
                break;
            }
            missing_.push_back(stack);
            stack = caller_on_thread(stack);
        }
        const std::size_t kept = keeps_all           ? open_.size()
                                 : stack == no_index ? 0
                                                     : depth_of_[stack];
        const std::int64_t between = last_ns_ + (ns - last_ns_) / 2;
        figures_.inserted += open_.size() - kept + missing_.size();
        while (open_.size() > kept)
            pop(between, open_.size() <= certain_ ? between : last_ns_, false);
        mark_interrupted();
        for (; !missing_.empty(); missing_.pop_back())
            push(missing_.back(), between, ns);
        certain_ = open_.size();
    }

    const VfdFile& file_;
    const std::vector<VfdStack>& stacks_;
    const std::uint32_t thread_;
    ReplayVisitor& visitor_;
    std::vector<Frame> open_;
    std::vector<std::uint32_t> depth_of_;  // by stack: place in open_, from 1; 0 if it is not open
    std::vector<std::uint32_t> missing_;   // kept for its memory
    std::vector<TaskRun> runs_;            // open runs with a known beginning
    std::vector<std::int64_t> gap_starts_;
    std::size_t next_gap_ = 0;
    VfdLeftOutStream left_out_;
    VfdLeftOut next_left_out_{};
    bool has_left_out_ = false;
    std::size_t certain_ = 0;  // see find_missing()
    const bool is_older_;      // the file does not contain what was left out
    std::int64_t last_ns_ = 0;
    ReplayFigures figures_;
};

}  // namespace

std::int64_t end_of_run_ns(const VfdFile& file) {
    const double ns = file.header().numbers.runtime_s * 1e9;
    return ns > 0.0 && ns < 9e18 ? static_cast<std::int64_t>(std::llround(ns)) : 0;
}

ReplayFigures replay_thread(const VfdFile& file, std::uint32_t thread, ReplayVisitor& visitor,
                            const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
    constexpr std::uint64_t samples_between = 1 << 16;
    Replay replay(file, thread, visitor);
    VfdSampleStream samples = file.samples(thread);
    VfdSample sample;
    VfdTaskMomentStream moments = file.task_moments(thread);
    VfdTaskMoment moment;
    bool has_moment = moments.next(moment);
    for (std::uint64_t count = 1; samples.next(sample); count++) {
        for (; has_moment && moment.ns < sample.ns; has_moment = moments.next(moment))
            replay.moment(moment);
        if (sample.kind == VfdSampleKind::message)
            visitor.message(sample.message);
        else
            replay.sample(sample);
        if (progress && count % samples_between == 0)
            progress(samples.position(), samples.size());
    }
    for (; has_moment; has_moment = moments.next(moment))
        replay.moment(moment);
    return replay.end();
}

}  // namespace vftrace
