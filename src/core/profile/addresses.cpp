#include "profile/addresses.hpp"

#include <algorithm>

#include "base/saturating.hpp"
#include "profile/profile.hpp"

namespace vftrace {

std::uint64_t samples_of(const PathAddresses& row) {
    std::uint64_t samples = 0;
    for (const AddressCount& address : row.addresses)
        add_saturating(samples, address.samples);
    return samples;
}

// A row's time up to each address is rounded, not that of each address, so that nothing is lost.
std::vector<SampledAddress> sampled_addresses(const Profile& profile) {
    std::vector<SampledAddress> all;
    for (const PathAddresses& row : profile.addresses) {
        const auto total = static_cast<double>(samples_of(row));
        double samples = 0;
        std::int64_t before_ns = 0;
        for (const AddressCount& address : row.addresses) {
            samples += static_cast<double>(address.samples);
            const auto until_ns =
                static_cast<std::int64_t>(static_cast<double>(row.time_ns) * (samples / total));
            all.push_back(
                {row.path, row.module, address.offset, address.samples, until_ns - before_ns});
            before_ns = until_ns;
        }
    }
    return all;
}

void sort_and_add_up(std::vector<AddressCount>& addresses) {
    std::sort(addresses.begin(), addresses.end(),
              [](const AddressCount& a, const AddressCount& b) { return a.offset < b.offset; });
    std::size_t kept = 0;
    for (const AddressCount& address : addresses)
        if (kept > 0 && addresses[kept - 1].offset == address.offset)
            add_saturating(addresses[kept - 1].samples, address.samples);
        else
            addresses[kept++] = address;
    addresses.resize(kept);
}

void add_addresses(PathAddresses& sum, const PathAddresses& other) {
    sum.addresses.insert(sum.addresses.end(), other.addresses.begin(), other.addresses.end());
    sort_and_add_up(sum.addresses);
}

}  // namespace vftrace
