// pprof's format (https://github.com/google/pprof, proto/profile.proto): a gzipped protobuf message
// with a sample for each call path and a location for each function.
#include <algorithm>
#include <map>
#include <memory>

#include <fmt/core.h>
#include <protozero/pbf_builder.hpp>
#include <protozero/pbf_writer.hpp>
#include <zlib.h>

#include "export/exporters.hpp"
#include "export/profile_tree.hpp"
#include "export/trace_profile.hpp"

namespace vftrace {
namespace {

// Numbers of the fields in profile.proto.
enum class Pprof : protozero::pbf_tag_type {
    sample_type = 1,
    sample = 2,
    mapping = 3,
    location = 4,
    function = 5,
    string_table = 6,
    time_nanos = 9,
    duration_nanos = 10,
    comment = 13,
    default_sample_type = 14
};
enum class ValueType : protozero::pbf_tag_type { type = 1, unit = 2 };
enum class Sample : protozero::pbf_tag_type { location_ids = 1, values = 2, label = 3 };
enum class Label : protozero::pbf_tag_type { key = 1, text = 2, number = 3 };
enum class Mapping : protozero::pbf_tag_type {
    id = 1,
    memory_start = 2,
    memory_limit = 3,
    filename = 5,
    build_id = 6,
    has_functions = 7,
    has_filenames = 8,
    has_line_numbers = 9
};
enum class Location : protozero::pbf_tag_type { id = 1, mapping_id = 2, address = 3, line = 4 };
enum class Line : protozero::pbf_tag_type { function_id = 1, line = 2 };
enum class FunctionField : protozero::pbf_tag_type {
    id = 1,
    name = 2,
    system_name = 3,
    filename = 4,
    start_line = 5
};

// Compresses data into the output.
class GzipStream {
  public:
    explicit GzipStream(ExportOutput& output) : output_(output) {
        constexpr int gzip_format = 15 + 16;
        if (deflateInit2(&stream_, 6, Z_DEFLATED, gzip_format, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            throw ExportError("zlib cannot be used");
    }
    ~GzipStream() { deflateEnd(&stream_); }
    GzipStream(const GzipStream&) = delete;
    GzipStream& operator=(const GzipStream&) = delete;

    void write(std::string_view bytes) { compress(bytes, Z_NO_FLUSH); }
    void finish() { compress({}, Z_FINISH); }

  private:
    void compress(std::string_view bytes, int flush) {
        // zlib only reads the bytes.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
        stream_.avail_in = static_cast<uInt>(bytes.size());
        do {
            stream_.next_out = reinterpret_cast<Bytef*>(piece_);
            stream_.avail_out = sizeof piece_;
            deflate(&stream_, flush);
            output_.write({piece_, sizeof piece_ - stream_.avail_out});
        } while (stream_.avail_out == 0);
    }

    ExportOutput& output_;
    z_stream stream_{};
    char piece_[64 * 1024];
};

class PprofFile {
  public:
    PprofFile(const std::vector<const Profile*>& profiles, ExportOutput& output) : stream_(output) {
        text_index("");  // must be the first text
        add_value_type(Pprof::sample_type, "calls", "count");
        add_value_type(Pprof::sample_type, "time", "nanoseconds");
        for (const Profile* profile : profiles)
            for (const AdditiveMetric& metric : additive_metrics(*profile))
                if (metrics_.try_emplace(metric.name, metrics_.size()).second)
                    add_value_type(Pprof::sample_type, metric.name.c_str(),
                                   metric.unit_word("count"));
    }

    // All profiles of the file are from one run; `name` distinguishes them.
    void add(const Profile& profile, const std::string& name) {
        add_modules(profile);
        add_functions(profile);
        if (profile.thread_paths.empty())
            for (std::uint32_t i = 0; i < profile.paths.size(); i++)
                add_sample(profile, i, profile.paths[i].calls, profile.paths[i].exclusive_ns, name,
                           "");
        for (const ThreadPath& part : profile.thread_paths) {
            const ThreadFigures& thread = profile.threads[part.thread];
            add_sample(profile, part.path, part.calls, part.exclusive_ns, name,
                       thread.name.empty() ? fmt::format("{}", thread.number)
                                           : fmt::format("{} ({})", thread.number, thread.name));
        }
        add_metrics(profile, name);
    }

    void finish(const RunInfo& run) {
        const std::uint64_t comment = text_index(run.command_line);
        const std::uint64_t time = text_index("time");
        write([&](auto& pbf) {
            pbf.add_int64(Pprof::time_nanos, run.start_unix_ns);
            pbf.add_int64(Pprof::duration_nanos, run.runtime_ns);
            if (!run.command_line.empty())
                pbf.add_int64(Pprof::comment, static_cast<std::int64_t>(comment));
            pbf.add_int64(Pprof::default_sample_type, static_cast<std::int64_t>(time));
        });
        std::vector<const std::string*> texts(texts_.size());
        for (const auto& [text, index] : texts_)
            texts[index] = &text;
        for (const std::string* text : texts)
            write([&](auto& pbf) { pbf.add_string(Pprof::string_table, *text); });
        stream_.finish();
    }

  private:
    template <class Fill>
    void write(Fill fill) {
        message_.clear();
        protozero::pbf_builder<Pprof> pbf(message_);
        fill(pbf);
        stream_.write(message_);
    }

    std::uint64_t text_index(const std::string& text) {
        return texts_.try_emplace(text, texts_.size()).first->second;
    }

    void add_value_type(Pprof field, const char* type, const char* unit) {
        const std::uint64_t type_text = text_index(type), unit_text = text_index(unit);
        write([&](auto& pbf) {
            protozero::pbf_builder<ValueType> value(pbf, field);
            value.add_int64(ValueType::type, static_cast<std::int64_t>(type_text));
            value.add_int64(ValueType::unit, static_cast<std::int64_t>(unit_text));
        });
    }

    // Addresses are those in the file; each module gets a separate range for them.
    static constexpr std::uint64_t module_bytes = std::uint64_t{1} << 44;

    void add_modules(const Profile& profile) {
        mapping_of_.clear();
        for (const Module& module : profile.modules) {
            const auto [place, is_new] =
                mappings_.try_emplace({module.path, module.build_id}, mappings_.size() + 1);
            const std::uint64_t number = place->second;
            mapping_of_.push_back(number);
            if (!is_new)
                continue;
            const std::uint64_t path = text_index(module.path), id = text_index(module.build_id);
            write([&](auto& pbf) {
                protozero::pbf_builder<Mapping> mapping(pbf, Pprof::mapping);
                mapping.add_uint64(Mapping::id, number);
                mapping.add_uint64(Mapping::memory_start, number * module_bytes);
                mapping.add_uint64(Mapping::memory_limit, (number + 1) * module_bytes);
                mapping.add_int64(Mapping::filename, static_cast<std::int64_t>(path));
                mapping.add_int64(Mapping::build_id, static_cast<std::int64_t>(id));
                for (const Mapping has :
                     {Mapping::has_functions, Mapping::has_filenames, Mapping::has_line_numbers})
                    mapping.add_bool(has, true);
            });
        }
    }

    // Functions of several ranks are the same if all their data are equal.
    void add_functions(const Profile& profile) {
        location_of_.clear();
        for (const Function& function : profile.functions) {
            const std::uint64_t mapping =
                function.module == no_index ? 0 : mapping_of_[function.module];
            const std::string name = name_on_one_line(function.display);
            const auto [place, is_new] = functions_.try_emplace(
                {mapping, function.offset, name + '\0' + function.symbol}, functions_.size() + 1);
            location_of_.push_back(place->second);
            if (is_new)
                add_function(function, name, place->second, mapping);
        }
    }

    void add_function(const Function& function, const std::string& display, std::uint64_t id,
                      std::uint64_t mapping) {
        const std::uint64_t name = text_index(display),
                            symbol =
                                text_index(function.symbol.empty() ? display : function.symbol),
                            file = text_index(function.file);
        write([&](auto& pbf) {
            protozero::pbf_builder<FunctionField> record(pbf, Pprof::function);
            record.add_uint64(FunctionField::id, id);
            record.add_int64(FunctionField::name, static_cast<std::int64_t>(name));
            record.add_int64(FunctionField::system_name, static_cast<std::int64_t>(symbol));
            record.add_int64(FunctionField::filename, static_cast<std::int64_t>(file));
            record.add_int64(FunctionField::start_line, function.line);
        });
        write([&](auto& pbf) {
            protozero::pbf_builder<Location> location(pbf, Pprof::location);
            location.add_uint64(Location::id, id);
            if (mapping != 0) {
                location.add_uint64(Location::mapping_id, mapping);
                location.add_uint64(Location::address,
                                    mapping * module_bytes + function.offset % module_bytes);
            }
            protozero::pbf_builder<Line> line(location, Location::line);
            line.add_uint64(Line::function_id, id);
            line.add_int64(Line::line, function.line);
        });
    }

    // Metrics have separate samples, because their shares by thread are not known.
    void add_metrics(const Profile& profile, const std::string& name) {
        const std::vector<AdditiveMetric> metrics = additive_metrics(profile);
        for (std::uint32_t path = 0; path < profile.paths.size(); path++) {
            std::vector<std::int64_t> values(2 + metrics_.size(), 0);
            for (const AdditiveMetric& metric : metrics)
                values[2 + metrics_.at(metric.name)] = metric.rounded(path);
            if (std::any_of(values.begin(), values.end(), [](std::int64_t v) { return v != 0; }))
                write_sample(profile, path, values, name, "");
        }
    }

    void add_sample(const Profile& profile, std::uint32_t path, std::uint64_t calls,
                    std::int64_t ns, const std::string& name, const std::string& thread) {
        if (is_pause(profile, path) || (calls == 0 && ns <= 0))
            return;
        std::vector<std::int64_t> values(2 + metrics_.size(), 0);
        values[0] = static_cast<std::int64_t>(calls);
        values[1] = std::max<std::int64_t>(0, ns);
        write_sample(profile, path, values, name, thread);
    }

    void write_sample(const Profile& profile, std::uint32_t path,
                      const std::vector<std::int64_t>& values, const std::string& name,
                      const std::string& thread) {
        std::vector<std::uint64_t> locations;
        for (std::uint32_t i = path; i != no_index; i = profile.paths[i].parent)
            locations.push_back(location_of_[profile.paths[i].function]);
        const std::pair<const char*, std::uint64_t> labels[] = {{"source", text_index(name)},
                                                                {"thread", text_index(thread)}};
        std::vector<std::pair<std::uint64_t, std::uint64_t>> indices;
        for (const auto& [key, text] : labels)
            if (text != 0)
                indices.emplace_back(text_index(key), text);
        write([&](auto& pbf) {
            protozero::pbf_builder<Sample> sample(pbf, Pprof::sample);
            sample.add_packed_uint64(Sample::location_ids, locations.begin(), locations.end());
            sample.add_packed_int64(Sample::values, values.begin(), values.end());
            for (const auto& [key, text] : indices) {
                protozero::pbf_builder<Label> label(sample, Sample::label);
                label.add_int64(Label::key, static_cast<std::int64_t>(key));
                label.add_int64(Label::text, static_cast<std::int64_t>(text));
            }
        });
    }

    GzipStream stream_;
    std::string message_;
    std::map<std::string, std::uint64_t> texts_;
    std::map<std::string, std::size_t> metrics_;  // by name: index among the values after time
    std::map<std::pair<std::string, std::string>, std::uint64_t> mappings_;
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::string>, std::uint64_t> functions_;
    std::vector<std::uint64_t> mapping_of_;   // by module of the profile that is being added
    std::vector<std::uint64_t> location_of_;  // by function of that profile
};

}  // namespace

void export_pprof(const ExportSource& source, ExportOutput& output) {
    const SourceProfiles all = profiles_of_source(source, output);
    const auto file = std::make_unique<PprofFile>(all.profiles, output);  // its buffer is large
    for (std::size_t i = 0; i < all.profiles.size(); i++)
        file->add(*all.profiles[i], all.names.empty() ? "" : all.names[i]);
    file->finish(all.profiles.front()->run);
}

}  // namespace vftrace
