#include "live/live_session.hpp"

#include <algorithm>
#include <optional>

#include "live/thread_states.hpp"

namespace vftrace {
namespace {

template <class Number>
Number difference(Number now, Number then) {
    return now > then ? now - then : Number{};
}

Totals totals_of(const LiveThread& thread) { return {thread.calls, thread.seconds, 0}; }

// The item with the same key among the items of an earlier moment, which are sorted by key.
template <class Item, class Key>
Item earlier(const std::vector<Item>& items, Key Item::*key, const Item& now) {
    const auto found = std::lower_bound(
        items.begin(), items.end(), now,
        [&](const Item& item, const Item& wanted) { return item.*key < wanted.*key; });
    Item none{};
    none.*key = now.*key;
    return found == items.end() || (*found).*key != now.*key ? none : *found;
}

// Sorts items by key, and adds up items with the same key.
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

// The rows of a model: each item now, at the moment before, which becomes that of now, and at the
// mark.
template <class Row, class Item, class Key>
void follow(std::vector<Row>& rows, std::vector<Item> now, Key Item::*key,
            std::vector<Item>& before, const std::vector<Item>& marked) {
    unite(now, key);
    rows.clear();
    rows.reserve(now.size());
    for (const Item& item : now)
        rows.push_back({item, earlier(before, key, item), earlier(marked, key, item)});
    before = std::move(now);
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
                // The other program is not profiled (yet).
            }
    for (const FoundProcess& found : again)
        try {
            add(found);
        } catch (const NotWatchable&) {
            // The next refresh() tries again.
        }
}

void LiveSession::refresh() {
    follow_programs();
    const Clock::time_point now = Clock::now();
    model_.interval = refreshed_ == Clock::time_point{}
                          ? 0
                          : std::chrono::duration<double>(now - refreshed_).count();
    refreshed_ = now;
    for (Watched& watched : watched_)
        watched.process->refresh();
    look_for_marks();
    const std::size_t paths = names_.paths.all().size();
    model_.names = &names_;
    for (std::size_t path = model_.is_outermost.size(); path < paths; path++) {
        const LivePath& own = names_.paths[path];
        std::uint32_t above = own.parent;
        while (above != no_path && names_.paths[above].function != own.function)
            above = names_.paths[above].parent;
        model_.is_outermost.push_back(above == no_path);
    }
    model_.before = model_.now;
    for (PathSums* sums : {&model_.now, &model_.before, &model_.marked}) {
        sums->calls.resize(paths, 0);
        sums->exclusive.resize(paths, 0.0);
    }
    model_.processes.clear();
    model_.threads.clear();
    model_.devices.clear();
    model_.elapsed = model_.since_mark = 0;
    std::vector<PeerFigures> peers;
    std::vector<TaskFigures> tasks;
    std::vector<MemoryFigures> memory;
    for (std::uint32_t i = 0; i < watched_.size(); i++) {
        add_process(watched_[i], i);
        const LiveTree& tree = watched_[i].process->tree();
        peers.insert(peers.end(), tree.peers().begin(), tree.peers().end());
        tasks.insert(tasks.end(), tree.tasks().begin(), tree.tasks().end());
        memory.insert(memory.end(), tree.memory().begin(), tree.memory().end());
    }
    follow(model_.peers, std::move(peers), &PeerFigures::peer, peers_before_, peers_marked_);
    follow(model_.tasks, std::move(tasks), &TaskFigures::path, tasks_before_, tasks_marked_);
    follow(model_.memory, std::move(memory), &MemoryFigures::path, memory_before_, memory_marked_);
}

void LiveSession::add_process(Watched& watched, std::uint32_t index) {
    LiveProcess& process = *watched.process;
    process.tree().add_changes_to(model_.now.calls, model_.now.exclusive);
    const LiveTree& tree = process.tree();
    const std::vector<LiveThread>& threads = process.threads();
    watched.threads_before.resize(threads.size());
    watched.marked.threads.resize(std::max(watched.marked.threads.size(), threads.size()));
    Totals sum;
    model_.threads.reserve(model_.threads.size() + threads.size());
    // Takes 20 us for each.
    constexpr std::size_t most_states = 256;
    const bool shows_states = process.presence() == Presence::running &&
                              process.facts().pid == process.facts().own_pid &&
                              threads.size() <= most_states;
    for (std::size_t i = 0; i < threads.size(); i++) {
        const Totals total = totals_of(threads[i]);
        sum += total;
        model_.threads.push_back(
            {index, threads[i], total, watched.threads_before[i], watched.marked.threads[i]});
        if (shows_states && threads[i].in_use)
            model_.threads.back().now.state =
                text_of_thread_state(process.facts().pid, threads[i].tid);
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
    row.marked = watched.marked.total;
    watched.before = sum;
    model_.elapsed = std::max(model_.elapsed, row.elapsed);
    model_.since_mark = std::max(model_.since_mark, row.elapsed - watched.marked.elapsed);
    model_.processes.push_back(std::move(row));
    for (const LiveDevice& device : tree.devices())
        model_.devices.push_back({index, device,
                                  earlier(watched.devices_before, &LiveDevice::number, device),
                                  earlier(watched.marked.devices, &LiveDevice::number, device)});
    watched.devices_before = tree.devices();
}

LiveSession::Marked LiveSession::marked_at(const LiveTree& tree, std::size_t paths) {
    Marked marked;
    marked.elapsed = tree.elapsed_seconds();
    marked.paths.calls.assign(paths, 0);
    marked.paths.exclusive.assign(paths, 0.0);
    tree.add_to(marked.paths.calls, marked.paths.exclusive);
    for (const LiveThread& thread : tree.threads()) {
        marked.threads.push_back(totals_of(thread));
        marked.total += marked.threads.back();
    }
    marked.total.overhead = tree.overhead_seconds();
    marked.devices = tree.devices();
    marked.peers = tree.peers();
    marked.tasks = tree.tasks();
    marked.memory = tree.memory();
    return marked;
}

void LiveSession::look_for_marks() {
    bool any = false;
    for (Watched& watched : watched_)
        if (watched.process->presence() == Presence::running)
            if (const std::unique_ptr<LiveTree> tree = watched.process->new_mark()) {
                watched.marked = marked_at(*tree, names_.paths.all().size());
                any = true;
            }
    if (any)
        add_marks();
}

// Adds up the marks of all processes.
void LiveSession::add_marks() {
    model_.has_mark = true;
    model_.marked.calls.assign(names_.paths.all().size(), 0);
    model_.marked.exclusive.assign(names_.paths.all().size(), 0.0);
    peers_marked_.clear();
    tasks_marked_.clear();
    memory_marked_.clear();
    for (const Watched& watched : watched_) {
        const Marked& marked = watched.marked;
        for (std::size_t path = 0; path < marked.paths.calls.size(); path++) {
            model_.marked.calls[path] += marked.paths.calls[path];
            model_.marked.exclusive[path] += marked.paths.exclusive[path];
        }
        peers_marked_.insert(peers_marked_.end(), marked.peers.begin(), marked.peers.end());
        tasks_marked_.insert(tasks_marked_.end(), marked.tasks.begin(), marked.tasks.end());
        memory_marked_.insert(memory_marked_.end(), marked.memory.begin(), marked.memory.end());
    }
    unite(peers_marked_, &PeerFigures::peer);
    unite(tasks_marked_, &TaskFigures::path);
    unite(memory_marked_, &MemoryFigures::path);
}

void LiveSession::mark() {
    for (Watched& watched : watched_)
        watched.marked = marked_at(watched.process->tree(), names_.paths.all().size());
    add_marks();
    model_.since_mark = 0;
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
    for (ModelMemory& path : model_.memory)
        path.marked = path.total;
}

}  // namespace vftrace
