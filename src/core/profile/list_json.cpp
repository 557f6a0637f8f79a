// The lists of a profile in its JSON file, one line per row.
#include "profile/list_json.hpp"

#include <string_view>

#include "profile/row_json.hpp"

namespace vftrace {
namespace {

using Layout = JsonWriter::Layout;

class ListWriter {
  public:
    ListWriter(const Profile& profile, JsonWriter& json) : profile_(profile), json_(json) {}

    void write() {
        for_each_list([this](const auto& list) {
            const auto& rows = profile_.*list.rows;
            if (list.name[0] == '\0' || rows.empty())
                return;
            enter(list.section);
            json_.key(list.name).begin_array();
            for (const auto& row : rows) {
                json_.begin_object(Layout::compact);
                write_row_json(row, json_);
                write_details(row);
                json_.end_object();
            }
            json_.end_array();
        });
        enter("");
    }

  private:
    // The object that contains the following lists; "": the outermost one.
    void enter(std::string_view section) {
        if (section == section_)
            return;
        if (!section_.empty())
            json_.end_object();
        if (!section.empty())
            json_.key(section).begin_object();
        section_ = section;
    }

    template <class Row>
    void write_details(const Row&) {}

    void write_details(const ThreadFigures& thread) {
        if (!thread.metrics.empty()) {
            json_.key("metrics").begin_array(Layout::compact);
            for (const RowMetric& value : thread.metrics)
                write_metric_json(value.metric, value.value, json_);
            json_.end_array();
        }
        write_paths(static_cast<std::uint32_t>(&thread - profile_.threads.data()));
    }

    // What one thread spent in each path.
    void write_paths(std::uint32_t thread) {
        const std::vector<ThreadPath>& paths = profile_.thread_paths;
        if (next_path_ == paths.size() || paths[next_path_].thread != thread)
            return;
        json_.key("nodes").begin_array(Layout::compact);
        for (; next_path_ < paths.size() && paths[next_path_].thread == thread; next_path_++) {
            json_.begin_array(Layout::compact);
            json_.unsigned_integer(paths[next_path_].path);
            json_.unsigned_integer(paths[next_path_].calls);
            json_.integer(paths[next_path_].inclusive_ns);
            json_.integer(paths[next_path_].exclusive_ns);
            json_.end_array();
        }
        json_.end_array();
    }

    void write_details(const Series& series) {
        json_.key("time_ns").begin_array(Layout::compact);
        for (const Series::Point& point : series.points)
            json_.integer(point.ns);
        json_.end_array();
        json_.key("values").begin_array(Layout::compact);
        for (const Series::Point& point : series.points)
            json_.number(point.value);
        json_.end_array();
    }

    // The first offset, then distances, which are shorter.
    void write_details(const PathAddresses& row) {
        json_.key("offsets").begin_array(Layout::compact);
        std::uint64_t before = 0;
        for (const AddressCount& address : row.addresses) {
            json_.unsigned_integer(address.offset - before);
            before = address.offset;
        }
        json_.end_array();
        json_.key("samples").begin_array(Layout::compact);
        for (const AddressCount& address : row.addresses)
            json_.unsigned_integer(address.samples);
        json_.end_array();
    }

    void write_details(const PathLatencies& row) {
        json_.key("bins").begin_array(Layout::compact);
        for (const LatencyCount& bin : row.bins)
            json_.unsigned_integer(bin.bin);
        json_.end_array();
        json_.key("counts").begin_array(Layout::compact);
        for (const LatencyCount& bin : row.bins)
            json_.unsigned_integer(bin.calls);
        json_.end_array();
    }

    template <class Number, class Write>
    void write_numbers(std::string_view name, const std::vector<Number>& numbers, Write write) {
        if (numbers.empty())
            return;
        json_.key(name).begin_array(Layout::compact);
        for (const Number number : numbers)
            write(number);
        json_.end_array();
    }

    void write_details(const RankValues& values) {
        write_numbers("calls", values.calls, [this](auto n) { json_.unsigned_integer(n); });
        write_numbers("exclusive_ns", values.exclusive_ns, [this](auto n) { json_.integer(n); });
        json_.key("histogram").begin_array(Layout::compact);
        for (std::size_t bin = 0; bin < values.histogram.size(); bin++) {
            if (values.histogram[bin] == 0)
                continue;
            json_.begin_array(Layout::compact);
            json_.unsigned_integer(smallest_size(bin));
            json_.unsigned_integer(values.histogram[bin]);
            json_.end_array();
        }
        json_.end_array();
    }

    const Profile& profile_;
    JsonWriter& json_;
    std::string_view section_;
    std::size_t next_path_ = 0;  // the first of thread_paths that is not written yet
};

}  // namespace

void write_lists_json(const Profile& profile, JsonWriter& json) {
    ListWriter(profile, json).write();
}

}  // namespace vftrace
