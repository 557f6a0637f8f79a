// Sums over several runs of a program become means.
#include "compare/mean_of_runs.hpp"

#include <cmath>

namespace vftrace {
namespace {

class Mean {
  public:
    explicit Mean(std::size_t runs) : runs_(runs) {}

    void of(std::int64_t& value) const {
        value = std::llround(static_cast<long double>(value) / static_cast<long double>(runs_));
    }
    void of(std::uint64_t& value) const { value = value / runs_ + (value % runs_ * 2 >= runs_); }
    void of(MessageFigures& figures) const {
        of(figures.messages);
        of(figures.bytes);
        of(figures.ns);
        figures.bandwidth_sum /= static_cast<double>(runs_);
    }
    void of(Profile& profile) const {
        of(profile.run.runtime_ns);
        of(profile.run.paused_ns);
        for (auto time : processor_times)
            if (profile.run.*time > 0)
                of(profile.run.*time);
        for (OverheadItem& item : profile.run.overhead)
            of(item.ns);
        for (Path& path : profile.paths) {
            of(path.calls);
            of(path.samples);
            of(path.page_faults);
            for (auto time : path_times)
                of(path.*time);
        }
        for (FilteredFunction& filtered : profile.filtered) {
            of(filtered.calls);
            of(filtered.exclusive_ns);
            of(filtered.overhead_ns);
        }
        for (MetricValue& value : profile.metric_values)
            if (profile.metrics[value.metric].reduction == Reduction::sum)
                value.value /= static_cast<double>(runs_);
        for (ThreadFigures& thread : profile.threads) {
            of(thread.calls);
            for (std::int64_t ThreadFigures::*time :
                 {&ThreadFigures::time_ns, &ThreadFigures::parallel_ns, &ThreadFigures::waiting_ns,
                  &ThreadFigures::lifetime_ns})
                of(thread.*time);
        }
        for (ParallelRegion& region : profile.parallel_regions) {
            of(region.entries);
            of(region.busy_ns);
            of(region.busy_max_ns);
            of(region.waiting_ns);
        }
        of_gpus(profile);
        for (RankFigures& rank : profile.ranks) {
            of(rank.runtime_ns);
            of(rank.overhead_ns);
            of(rank.mpi_ns);
            of(rank.calls);
            for (auto figure : {&RankFigures::mpi_calls, &RankFigures::delay_ns})
                if (rank.*figure >= 0)  // it is known
                    of(rank.*figure);
        }
        for (PathMessages& messages : profile.messages) {
            of(messages.sent);
            of(messages.received);
        }
        for (PeerMessages& messages : profile.matrix) {
            of(messages.sent);
            of(messages.received);
        }
        for (SizeBin& bin : profile.message_sizes) {
            of(bin.sent);
            of(bin.received);
        }
    }

  private:
    void of_gpus(Profile& profile) const {
        for (PathGpuWork& work : profile.gpu_work) {
            for (auto number : {&PathGpuWork::count, &PathGpuWork::bytes, &PathGpuWork::timely})
                of(work.*number);
            of(work.ns);
            of(work.waited_ns);
        }
        for (GpuStreamFigures& stream : profile.gpu_streams) {
            for (auto number : gpu_stream_numbers)
                of(stream.*number);
            for (auto ns : gpu_stream_times)
                of(stream.*ns);
        }
        for (PathOffload& work : profile.offload)
            for (auto figures : {&PathOffload::count, &PathOffload::bytes})
                for (std::uint64_t& figure : work.*figures)
                    of(figure);
        for (GpuDeviceFigures& device : profile.gpu_devices)
            for (auto ns : gpu_device_times)
                of(device.*ns);
    }

    std::size_t runs_;
};

}  // namespace

void make_means(Profile& sum, std::size_t runs) { Mean(runs).of(sum); }

}  // namespace vftrace
