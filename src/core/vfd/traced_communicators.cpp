#include "vfd/traced_communicators.hpp"

#include <algorithm>
#include <cstring>

#include "profile/profile.hpp"
#include "vfd/trace_file_reader.hpp"

namespace vftrace {

bool TracedCommunicators::add(std::span<const std::uint64_t> words) {
    CommunicatorRecord record;
    if (!read_record(words, record) ||
        record.count >
            words.subspan(sizeof record / sizeof words[0]).size_bytes() / sizeof(std::int32_t))
        return false;
    const std::uint64_t key = key_of(record.id, record.list);
    auto place =
        std::lower_bound(sorted_.begin(), sorted_.end(), key,
                         [](const Communicator& known, std::uint64_t k) { return known.key < k; });
    if (place == sorted_.end() || place->key != key)
        place = sorted_.insert(place, {key, {}});
    std::vector<std::int32_t>& ranks = place->ranks;
    if (record.first > ranks.size())
        return false;  // an earlier record is lost
    if (record.count == 0)
        return true;
    ranks.resize(std::max<std::size_t>(ranks.size(), std::size_t{record.first} + record.count));
    std::memcpy(ranks.data() + record.first, words.data() + sizeof record / sizeof words[0],
                record.count * sizeof ranks[0]);
    return true;
}

const std::vector<std::int32_t>* TracedCommunicators::ranks(std::uint32_t id, PeerList list) const {
    const std::uint64_t key = key_of(id, list);
    const auto place =
        std::lower_bound(sorted_.begin(), sorted_.end(), key,
                         [](const Communicator& known, std::uint64_t k) { return known.key < k; });
    return place != sorted_.end() && place->key == key ? &place->ranks : nullptr;
}

namespace {

bool id_before(const TracedGroups::Group& group, std::uint32_t id) { return group.id < id; }

}  // namespace

bool TracedGroups::add(std::span<const std::uint64_t> words) {
    GroupRecord record;
    if (!read_record(words, record) || record.count > record.size ||
        record.first > record.size - record.count ||
        record.count >
            words.subspan(sizeof record / sizeof words[0]).size_bytes() / sizeof(std::int32_t))
        return false;
    auto place = std::lower_bound(groups_.begin(), groups_.end(), record.id, id_before);
    if (place == groups_.end() || place->id != record.id)
        place = groups_.insert(place, {record.id, record.identity, record.size, {}});
    std::vector<std::int32_t>& ranks = place->ranks;
    if (record.first > ranks.size() || record.identity != place->identity ||
        record.size != place->size)
        return false;  // an earlier record is lost
    ranks.resize(std::max<std::size_t>(ranks.size(), std::size_t{record.first} + record.count));
    if (record.count > 0)
        std::memcpy(ranks.data() + record.first, words.data() + sizeof record / sizeof words[0],
                    record.count * sizeof ranks[0]);
    return true;
}

std::uint32_t TracedGroups::index_of(std::uint32_t id) const {
    const auto place = std::lower_bound(groups_.begin(), groups_.end(), id, id_before);
    return place != groups_.end() && place->id == id
               ? static_cast<std::uint32_t>(place - groups_.begin())
               : no_index;
}

}  // namespace vftrace
