// Watches several processes together, moment by moment.
#include "live/live_session.hpp"

#include <algorithm>
#include <optional>

namespace vftrace {
namespace {

template <class Number>
Number difference(Number now, Number then) {
    return now > then ? now - then : Number{};
}

Totals totals_of(const LiveThread& thread) { return {thread.calls, thread.seconds, 0}; }

// The item with the same key among those of an earlier moment, which are sorted by it.
template <class Item, class Key>
Item earlier(const std::vector<Item>& items, Key Item::*key, const Item& now) {
    const auto found = std::lower_bound(
        items.begin(), items.end(), now,
        [&](const Item& item, const Item& wanted) { return item.*key < wanted.*key; });
    Item none{};
    none.*key = now.*key;
    return found == items.end() || (*found).*key != now.*key ? none : *found;
}

// Sorts items by key, and makes one of those with the same.
template <class Item, class Key>
void unite(std::vector<Item>& items, Key Item::*key) {
    std::sort(items.begin(), items.end(),
              [&](const Item& a, const Item& b) { return a.*key < b.*key; });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < items.size(); i++)
        if (kept > 0 && items[kept - 1].*key == items[i].*key)
            items[kept - 1] += items[i];
        else
            items[kept++] = items[i];
    items.resize(kept);
}

}  // namespace

double Totals::all_seconds() const {
    double sum = 0;
    for (double each : seconds)
        sum += each;
    return sum;
}

Totals& Totals::operator+=(const Totals& other) {
    calls += other.calls;
    overhead += other.overhead;
    for (std::size_t i = 0; i < times_in; i++)
        seconds[i] += other.seconds[i];
    return *this;
}

Totals operator-(const Totals& now, const Totals& then) {
    Totals result{difference(now.calls, then.calls), {}, difference(now.overhead, then.overhead)};
    for (std::size_t i = 0; i < times_in; i++)
        result.seconds[i] = difference(now.seconds[i], then.seconds[i]);
    return result;
}

std::uint32_t LiveModel::running() const {
    return static_cast<std::uint32_t>(
        std::count_if(processes.begin(), processes.end(), [](const ModelProcess& process) {
            return process.presence == Presence::running;
        }));
}

void LiveSession::add(const FoundProcess& found) {
    Watched watched;
    watched.process = std::make_unique<LiveProcess>(found, names_);
    const LiveFacts& facts = watched.process->facts();
    const auto place = std::find_if(watched_.begin(), watched_.end(), [&](const Watched& other) {
        const LiveFacts& there = other.process->facts();
        return std::pair(there.rank, there.pid) > std::pair(facts.rank, facts.pid);
    });
    watched_.insert(place, std::move(watched));
}

bool LiveSession::has(std::int64_t pid) const {
    return std::any_of(watched_.begin(), watched_.end(), [&](const Watched& watched) {
        return watched.process->facts().pid == pid &&
               watched.process->presence() == Presence::running;
    });
}

void LiveSession::follow_programs() {
    std::vector<FoundProcess> again;
    for (const Watched& watched : watched_)
        if (watched.process->presence() == Presence::other_program &&
            !has(watched.process->facts().pid))
            try {
                again.push_back(find_process(watched.process->facts().pid));
            } catch (const NotWatchable&) {
                // It is not profiled (yet).
            }
    for (const FoundProcess& found : again)
        try {
            add(found);
        } catch (const NotWatchable&) {
            // The next time it may be.
        }
}

void LiveSession::refresh() {
    follow_programs();
    const Clock::time_point now = Clock::now();
    model_.interval = refreshed_ == Clock::time_point{}
                          ? 0
                          : std::chrono::duration<double>(now - refreshed_).count();
    refreshed_ = now;
    if (marked_ != Clock::time_point{})
        model_.since_mark = std::chrono::duration<double>(now - marked_).count();
    for (Watched& watched : watched_)
        watched.process->refresh();
    const std::size_t paths = names_.paths.all().size();
    model_.names = &names_;
    for (std::size_t path = model_.is_outermost.size(); path < paths; path++) {
        const LivePath& own = names_.paths[path];
        std::uint32_t above = own.parent;
        while (above != no_path && names_.paths[above].function != own.function)
            above = names_.paths[above].parent;
        model_.is_outermost.push_back(above == no_path);
    }
    std::swap(model_.before, model_.now);
    model_.now.calls.assign(paths, 0);
    model_.now.exclusive.assign(paths, 0.0);
    for (PathSums* sums : {&model_.before, &model_.marked}) {
        sums->calls.resize(paths, 0);
        sums->exclusive.resize(paths, 0.0);
    }
    model_.processes.clear();
    model_.threads.clear();
    model_.devices.clear();
    model_.elapsed = 0;
    std::vector<PeerFigures> peers;
    std::vector<TaskFigures> tasks;
    for (std::uint32_t i = 0; i < watched_.size(); i++) {
        add_process(watched_[i], i);
        const LiveTree& tree = watched_[i].process->tree();
        peers.insert(peers.end(), tree.peers().begin(), tree.peers().end());
        tasks.insert(tasks.end(), tree.tasks().begin(), tree.tasks().end());
    }
    unite(peers, &PeerFigures::peer);
    unite(tasks, &TaskFigures::path);
    model_.peers.clear();
    model_.peers.reserve(peers.size());
    for (const PeerFigures& peer : peers)
        model_.peers.push_back({peer, earlier(peers_before_, &PeerFigures::peer, peer),
                                earlier(peers_marked_, &PeerFigures::peer, peer)});
    peers_before_ = std::move(peers);
    model_.tasks.clear();
    model_.tasks.reserve(tasks.size());
    for (const TaskFigures& task : tasks)
        model_.tasks.push_back({task, earlier(tasks_before_, &TaskFigures::path, task),
                                earlier(tasks_marked_, &TaskFigures::path, task)});
    tasks_before_ = std::move(tasks);
}

void LiveSession::add_process(Watched& watched, std::uint32_t index) {
    const LiveProcess& process = *watched.process;
    const LiveTree& tree = process.tree();
    tree.add_to(model_.now.calls, model_.now.exclusive);
    const std::vector<LiveThread>& threads = process.threads();
    watched.threads_before.resize(threads.size());
    watched.threads_marked.resize(threads.size());
    Totals sum;
    model_.threads.reserve(model_.threads.size() + threads.size());
    for (std::size_t i = 0; i < threads.size(); i++) {
        const Totals total = totals_of(threads[i]);
        sum += total;
        model_.threads.push_back(
            {index, threads[i], total, watched.threads_before[i], watched.threads_marked[i]});
        watched.threads_before[i] = total;
    }
    sum.overhead = tree.overhead_seconds();
    ModelProcess row;
    row.facts = process.facts();
    row.presence = process.presence();
    row.problem = process.problem();
    row.writes_profile = process.writes_profile();
    row.elapsed = process.elapsed_seconds();
    row.threads = static_cast<std::uint32_t>(std::count_if(
        threads.begin(), threads.end(), [](const LiveThread& thread) { return thread.in_use; }));
    row.filtered = process.filtered_functions();
    row.nodes = tree.node_count();
    row.total = sum;
    row.before = watched.before;
    row.marked = watched.marked;
    watched.before = sum;
    model_.elapsed = std::max(model_.elapsed, row.elapsed);
    model_.processes.push_back(std::move(row));
    for (const DeviceFigures& device : tree.devices())
        model_.devices.push_back({index, device,
                                  earlier(watched.devices_before, &DeviceFigures::number, device),
                                  earlier(watched.devices_marked, &DeviceFigures::number, device)});
    watched.devices_before = tree.devices();
}

void LiveSession::mark() {
    marked_ = refreshed_;
    model_.has_mark = true;
    model_.since_mark = 0;
    model_.marked = model_.now;
    for (Watched& watched : watched_) {
        watched.marked = watched.before;
        watched.threads_marked = watched.threads_before;
        watched.devices_marked = watched.devices_before;
    }
    for (ModelProcess& process : model_.processes)
        process.marked = process.total;
    for (ModelThread& thread : model_.threads)
        thread.marked = thread.total;
    for (ModelDevice& device : model_.devices)
        device.marked = device.total;
    for (ModelPeer& peer : model_.peers)
        peer.marked = peer.total;
    for (ModelTask& task : model_.tasks)
        task.marked = task.total;
    peers_marked_ = peers_before_;
    tasks_marked_ = tasks_before_;
}

std::vector<FoundProcess> processes_of_job(const std::vector<FoundProcess>& processes,
                                           std::int64_t pid) {
    LiveNames names;
    struct Known {
        FoundProcess found;
        LiveFacts facts;
    };
    std::vector<Known> known;
    std::optional<LiveFacts> wanted;
    for (const FoundProcess& found : processes)
        try {
            known.push_back({found, LiveProcess(found, names).facts()});
            if (found.pid == pid)
                wanted = known.back().facts;
        } catch (const NotWatchable&) {
            // Whoever asks for it will be told.
        }
    std::vector<FoundProcess> job;
    for (const Known& each : known)
        if (wanted && (each.found.pid == pid || same_job(*wanted, each.facts)))
            job.push_back(each.found);
    return job;
}

}  // namespace vftrace
