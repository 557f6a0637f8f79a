#include "profile/binding.hpp"

#include <algorithm>
#include <charconv>

#include "profile/metric_rows.hpp"
#include "profile/waiting.hpp"

namespace vftrace {
namespace {

bool may_only_use(const BusyThread& thread, const std::vector<std::uint32_t>& processors) {
    return std::includes(processors.begin(), processors.end(), thread.processors.begin(),
                         thread.processors.end());
}

// Threads on one host.
class Host {
  public:
    Host(std::string_view name, double processors, const std::vector<BusyThread>& threads)
        : name_(name), processors_(processors) {
        for (const BusyThread& thread : threads)
            if (thread.host == name) {
                threads_.push_back(&thread);
                busy_ += static_cast<double>(thread.count);
            }
    }

    void find_crowded(std::vector<CrowdedProcessors>& found) const {
        // With more threads than that, some have to share.
        if (busy_ > processors_)
            return;
        std::vector<const BusyThread*> bound = threads_;
        std::stable_sort(bound.begin(), bound.end(), [](const BusyThread* a, const BusyThread* b) {
            return a->processors.size() < b->processors.size();
        });
        std::vector<bool> taken(bound.size(), false);
        for (std::size_t i = 0; i < bound.size(); i++) {
            if (taken[i])
                continue;
            CrowdedProcessors crowd = made(bound[i]->thread->processors, false);
            crowd.places = bound[i]->processors.size();
            std::vector<std::size_t> members;
            for (std::size_t j = 0; j < bound.size(); j++)
                if (!taken[j] && may_only_use(*bound[j], bound[i]->processors)) {
                    members.push_back(j);
                    add(*bound[j], crowd);
                }
            if (crowd.threads <= crowd.places)
                continue;
            for (const std::size_t member : members)
                taken[member] = true;
            found.push_back(std::move(crowd));
        }
        find_shared_cores(bound, taken, found);
    }

  private:
    CrowdedProcessors made(const std::string& processors, bool is_core) const {
        CrowdedProcessors crowd;
        crowd.host = name_;
        crowd.processors = processors;
        crowd.is_core = is_core;
        crowd.places = 1;
        crowd.busy_on_host = busy_;
        crowd.of_host = processors_;
        return crowd;
    }

    // Threads with a processor each, some of them of the same core. If there are fewer threads than
    // cores with two processors would be, another core was free.
    void find_shared_cores(const std::vector<const BusyThread*>& bound,
                           const std::vector<bool>& taken,
                           std::vector<CrowdedProcessors>& found) const {
        if (busy_ > processors_ / 2)
            return;
        std::vector<const BusyThread*> alone;
        for (std::size_t i = 0; i < bound.size(); i++)
            if (!taken[i] && !bound[i]->thread->core.empty())
                alone.push_back(bound[i]);
        std::stable_sort(alone.begin(), alone.end(), [](const BusyThread* a, const BusyThread* b) {
            return a->thread->core < b->thread->core;
        });
        for (auto begin = alone.begin(); begin != alone.end();) {
            const std::string& core = (*begin)->thread->core;
            const auto end = std::find_if(begin, alone.end(), [&](const BusyThread* one) {
                return one->thread->core != core;
            });
            if (end - begin > 1) {
                CrowdedProcessors crowd = made("", true);
                for (auto one = begin; one != end; ++one) {
                    crowd.processors += (one == begin ? "" : ",") + (*one)->thread->processors;
                    add(**one, crowd);
                }
                found.push_back(std::move(crowd));
            }
            begin = end;
        }
    }

    static void add(const BusyThread& thread, CrowdedProcessors& crowd) {
        crowd.members.push_back(thread);
        crowd.threads += thread.count;
    }

    std::string name_;
    double processors_, busy_ = 0;
    std::vector<const BusyThread*> threads_;
};

// nullptr: there are none, as without MPI.
const RankFigures* figures_of_rank(const Profile& profile, std::uint32_t rank) {
    const auto found = std::lower_bound(
        profile.ranks.begin(), profile.ranks.end(), rank,
        [](const RankFigures& one, std::uint32_t wanted) { return one.rank < wanted; });
    return found != profile.ranks.end() && found->rank == rank ? &*found : nullptr;
}

std::int64_t runtime_of_rank(const Profile& profile, std::uint32_t rank) {
    const RankFigures* const figures = figures_of_rank(profile, rank);
    return figures ? figures->runtime_ns : profile.run.runtime_ns;
}

double crowding(const CrowdedProcessors& crowd) {
    return static_cast<double>(crowd.threads) / static_cast<double>(crowd.places);
}

}  // namespace

const std::string& host_of_rank(const Profile& profile, std::uint32_t rank) {
    const RankFigures* const figures = figures_of_rank(profile, rank);
    return figures ? figures->host : profile.run.host;
}

std::vector<std::uint32_t> processors_of(std::string_view list) {
    constexpr std::uint32_t most = 1 << 16;
    std::vector<std::uint32_t> numbers;
    const char *at = list.data(), *const end = at + list.size();
    while (at < end) {
        std::uint32_t first = 0;
        auto parsed = std::from_chars(at, end, first);
        std::uint32_t last = first;
        if (parsed.ec == std::errc() && parsed.ptr < end && *parsed.ptr == '-')
            parsed = std::from_chars(parsed.ptr + 1, end, last);
        const bool is_next = numbers.empty() || numbers.back() < first;
        if (parsed.ec != std::errc() || last < first || last >= most || !is_next ||
            (parsed.ptr < end && *parsed.ptr != ','))
            return {};
        for (std::uint32_t number = first; number <= last; number++)
            numbers.push_back(number);
        at = parsed.ptr + 1;
    }
    return numbers;
}

double CrowdedProcessors::waited_s() const {
    const double part = 1 - static_cast<double>(places) / static_cast<double>(threads);
    double seconds = 0;
    for (const BusyThread& thread : members)
        seconds +=
            static_cast<double>(thread.count) * std::min(thread.displaced_s, part * thread.life_s);
    return is_core ? 0 : seconds;
}

double processors_of_host(const Profile& profile, std::string_view host) {
    for (const HostMetric& value : profile.host_metrics)
        if (value.host == host && value.device.empty() &&
            is_named(profile.metrics[value.metric].name, MetricId::processors_count, 0))
            return value.value;
    return 0;
}

std::vector<BusyThread> busy_threads(const Profile& profile) {
    constexpr double least_busy = 0.5, least_life = 0.5;
    std::vector<BusyThread> threads;
    for (const ThreadFigures& thread : profile.threads) {
        const ThreadStates states = states_of(profile, thread);
        const double busy_ns = states.running_ns + states.displaced_ns;
        const auto count = static_cast<double>(thread.threads);
        if (thread.processors.empty() || thread.number == no_index ||
            states.watched_ns <
                least_life * count * static_cast<double>(runtime_of_rank(profile, thread.rank)) ||
            !(busy_ns >= least_busy * states.watched_ns))
            continue;
        BusyThread busy{&thread, host_of_rank(profile, thread.rank),
                        processors_of(thread.processors)};
        busy.count = thread.threads;
        busy.life_s = states.watched_ns / count / 1e9;
        busy.displaced_s = states.displaced_ns / count / 1e9;
        if (!busy.processors.empty())
            threads.push_back(std::move(busy));
    }
    return threads;
}

std::vector<CrowdedProcessors> crowded_processors(const Profile& profile,
                                                  const std::vector<BusyThread>& threads) {
    std::vector<std::string> hosts;
    hosts.reserve(threads.size());
    for (const BusyThread& thread : threads)
        hosts.push_back(thread.host);
    std::sort(hosts.begin(), hosts.end());
    hosts.erase(std::unique(hosts.begin(), hosts.end()), hosts.end());
    std::vector<CrowdedProcessors> found;
    for (const std::string& host : hosts)
        Host(host, processors_of_host(profile, host), threads).find_crowded(found);
    std::stable_sort(found.begin(), found.end(),
                     [](const CrowdedProcessors& a, const CrowdedProcessors& b) {
                         return a.is_core != b.is_core ? b.is_core : crowding(a) > crowding(b);
                     });
    return found;
}

}  // namespace vftrace
