#include "vfd/device_work_merge.hpp"

#include <algorithm>
#include <tuple>

#include "record/gpu_work.hpp"

namespace vftrace {
namespace {

// Later times come from damaged files.
constexpr std::uint64_t latest_time = std::uint64_t{1} << 61;

bool is_work(std::uint64_t word) {
    return device_record_kind(word) == DeviceRecordKind::work ||
           device_record_kind(word) == DeviceRecordKind::sized_work;
}

TracedWork work_of(std::uint64_t word, std::span<const std::uint64_t> words) {
    return {words[0],
            words[1],
            words[2],
            words.size() > 3 ? words[3] : 0,
            device_record_detail(word),
            device_record_number(word)};
}

bool has_times(const TracedWork& work) {
    return work.start_ns <= latest_time && work.ns <= latest_time;
}

// Calls visitor(first word, following words) for each record. Returns false if the words end within
// a record, or if a record has an unknown kind.
template <class Visitor>
bool visit_device_records(std::span<const std::uint64_t> words, Visitor visitor) {
    bool sound = true;
    while (!words.empty()) {
        const std::uint64_t word = words[0];
        const std::size_t follow = words_of_device_record(word);
        if (follow > words.size() - 1)
            return false;
        sound = visitor(word, words.subspan(1, follow)) && sound;
        words = words.subspan(1 + follow);
    }
    return sound;
}

std::string text_of(std::span<const std::uint64_t> words, std::uint64_t bytes) {
    return {reinterpret_cast<const char*>(words.data()), static_cast<std::size_t>(bytes)};
}

}  // namespace

DeviceWorkMerge::DeviceWorkMerge(TraceFileReader& file)
    : file_(file), most_numbers_(file.file_bytes() / (3 * sizeof(std::uint64_t))) {
    for (std::size_t i = 0; i < file.chunks().size(); i++)
        if (file.chunks()[i].kind == ChunkKind::device_work)
            survey(i);
    std::sort(waiting_.begin(), waiting_.end(), [](const WaitingChunk& a, const WaitingChunk& b) {
        return a.first_start != b.first_start ? a.first_start > b.first_start : a.number > b.number;
    });
}

void DeviceWorkMerge::survey(std::size_t number) {
    std::span<const std::uint64_t> words;
    if (!file_.load(number, buffer_, words))
        return;
    std::uint64_t first_start = ~std::uint64_t{0};
    const bool sound =
        visit_device_records(words, [&](std::uint64_t word, std::span<const std::uint64_t> follow) {
            if (!is_work(word))
                return describe(word, follow);
            const TracedWork work = work_of(word, follow);
            if (!is_known(work) || !has_times(work))
                return false;
            tracks_[work.track].pieces++;
            first_start = std::min(first_start, work.start_ns);
            return true;
        });
    if (!sound)
        file_.note_damage(number);
    if (first_start <= latest_time)
        waiting_.push_back({first_start, number});
}

// Descriptions precede the work that needs them.
bool DeviceWorkMerge::describe(std::uint64_t word, std::span<const std::uint64_t> words) {
    const std::uint32_t number = device_record_number(word);
    switch (device_record_kind(word)) {
    case DeviceRecordKind::site: {
        TracedSite site{true, {}, {}};
        if (!read_record(words, site.record) || number >= most_numbers_ ||
            site.record.work >= gpu_works)
            return false;
        words = words.subspan(sizeof site.record / sizeof words[0]);
        if (site.record.text_bytes > words.size_bytes())
            return false;
        site.kernel = text_of(words, site.record.text_bytes);
        if (sites_.size() <= number)
            sites_.resize(number + std::size_t{1});
        sites_[number] = std::move(site);
        return true;
    }
    case DeviceRecordKind::track: {
        TracedTrack track{true, {}, 0};
        if (!read_record(words, track.record) || number >= most_numbers_)
            return false;
        if (tracks_.size() <= number)
            tracks_.resize(number + std::size_t{1});
        if (tracks_[number].known)
            return false;
        tracks_[number] = track;
        return true;
    }
    case DeviceRecordKind::device: {
        if (words.empty() || words[0] > (words.size() - 1) * sizeof words[0])
            return false;
        device_names_.push_back({number, text_of(words.subspan(1), words[0])});
        return true;
    }
    case DeviceRecordKind::moment: {
        MomentRecord moment;
        if (!read_record(words, moment))
            return false;
        moments_.push_back(moment);
        return true;
    }
    case DeviceRecordKind::dropped:
        if (words.empty())
            return false;
        dropped_ += words[0];
        return true;
    default:
        return false;
    }
}

bool DeviceWorkMerge::is_known(const TracedWork& work) const {
    return work.track < tracks_.size() && tracks_[work.track].known && work.site < sites_.size() &&
           sites_[work.site].known;
}

std::string DeviceWorkMerge::device_name(std::uint32_t number) const {
    for (auto name = device_names_.rbegin(); name != device_names_.rend(); ++name)
        if (name->number == number)
            return name->name;
    return {};
}

void DeviceWorkMerge::leave_out_all() {
    for (const WaitingChunk& chunk : waiting_)
        file_.note_damage(chunk.number);
    waiting_.clear();
    for (TracedTrack& track : tracks_)
        track.pieces = 0;
}

bool DeviceWorkMerge::is_later(const std::unique_ptr<OpenChunk>& a,
                               const std::unique_ptr<OpenChunk>& b) {
    return a->next_start() != b->next_start() ? a->next_start() > b->next_start()
                                              : a->number > b->number;
}

void DeviceWorkMerge::open_chunk(std::size_t number) {
    std::span<const std::uint64_t> words;
    if (!file_.load(number, buffer_, words))
        return;
    auto chunk = std::make_unique<OpenChunk>();
    chunk->number = number;
    visit_device_records(words, [&](std::uint64_t word, std::span<const std::uint64_t> follow) {
        if (is_work(word)) {
            const TracedWork work = work_of(word, follow);
            if (is_known(work) && has_times(work))
                chunk->pieces.push_back(work);
        }
        return true;
    });
    if (chunk->pieces.empty())
        return;
    // Pieces that begin at the same time get an order that does not depend on that of their
    // records.
    const auto key = [](const TracedWork& work) {
        return std::tuple(work.start_ns, work.track, work.ns, work.site, work.call_ticks);
    };
    std::sort(chunk->pieces.begin(), chunk->pieces.end(),
              [&](const TracedWork& a, const TracedWork& b) { return key(a) < key(b); });
    open_.push_back(std::move(chunk));
    std::push_heap(open_.begin(), open_.end(), is_later);
}

bool DeviceWorkMerge::next(TracedWork& work) {
    while (!waiting_.empty() &&
           (open_.empty() || waiting_.back().first_start <= open_.front()->next_start())) {
        const std::size_t number = waiting_.back().number;
        waiting_.pop_back();
        open_chunk(number);
    }
    if (open_.empty())
        return false;
    std::pop_heap(open_.begin(), open_.end(), is_later);
    OpenChunk& chunk = *open_.back();
    work = chunk.pieces[chunk.next++];
    if (chunk.next == chunk.pieces.size())
        open_.pop_back();
    else
        std::push_heap(open_.begin(), open_.end(), is_later);
    return true;
}

}  // namespace vftrace
