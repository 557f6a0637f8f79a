// The options as JSON in the layout of Vftrace 2.0: 3 blanks per level, in the order of the table.
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "config/config.hpp"
#include "config/json_scalar.hpp"

namespace vftrace {

namespace {

class Printer {
  public:
    Printer() { open('{'); }

    template <class Value>
    void print(const OptionRow& row, const Value& value) {
        std::vector<std::string_view> components = split(row.path, '.');
        std::string_view key = components.back();
        components.pop_back();
        enter(components);
        begin_member(key);
        print_value(value);
    }

    std::string finish() {
        enter({});
        close('}');
        return out_ + '\n';
    }

  private:
    // Closes and opens sections until the open ones are `sections`.
    void enter(const std::vector<std::string_view>& sections) {
        std::size_t common = 0;
        while (common < sections_.size() && common < sections.size() &&
               sections_[common] == sections[common])
            common++;
        while (sections_.size() > common) {
            sections_.pop_back();
            close('}');
        }
        while (sections_.size() < sections.size()) {
            sections_.push_back(sections[sections_.size()]);
            begin_member(sections_.back());
            open('{');
        }
    }

    void new_line() {
        out_ += '\n';
        out_.append(3 * depth_, ' ');
    }

    // Writes the comma after the previous element, if there is one, and begins the line of the
    // next.
    void begin_element() {
        if (!first_)
            out_ += ',';
        first_ = false;
        new_line();
    }

    void begin_member(std::string_view key) {
        begin_element();
        out_ += json_text(std::string(key)) + ": ";
    }

    void open(char bracket) {
        out_ += bracket;
        depth_++;
        first_ = true;
    }

    void close(char bracket) {
        depth_--;
        first_ = false;
        new_line();
        out_ += bracket;
    }

    template <class Value>
    void print_value(const Value& value) {
        out_ += json_text(value);
    }

    template <class Object>
    void print_value(const std::vector<Object>& objects) {
        open('[');
        for (const Object& object : objects) {
            begin_element();
            open('{');
            for (const auto& field : fields_of(objects)) {
                begin_member(field.key);
                out_ += json_text(object.*field.member);
            }
            close('}');
        }
        close(']');
    }

    std::string out_;
    std::vector<std::string_view> sections_;
    std::size_t depth_ = 0;
    bool first_ = true;
};

// Whether each option, in the table's order, differs from its default.
auto changes(const Options& options) {
    const Options defaults;
    return std::array{
#define VFTRACE_OPTION(type, member, path, default_value, check, generation, meaning)              \
    !(options.member == defaults.member),
#include "config/options.inc"
#undef VFTRACE_OPTION
    };
}

// Whether Vftrace 2.0 has the option or section `path`.
bool is_classic(std::string_view path) {
    const std::string section = join_path(path, "");
    return std::any_of(option_table.begin(), option_table.end(), [&](const OptionRow& row) {
        return row.generation == Generation::classic &&
               (row.path == path || row.path.starts_with(section));
    });
}

// Appends the rows of a section to `order`: first what Vftrace 2.0 has, in its order, then the
// rest.
void add_section(std::string_view section, std::vector<const OptionRow*>& order) {
    const std::vector<std::string_view> keys = keys_of_section(section);
    for (const bool classic : {true, false})
        for (std::string_view key : keys) {
            const std::string path = join_path(section, key);
            if (is_classic(path) != classic)
                continue;
            const auto row = std::find_if(option_table.begin(), option_table.end(),
                                          [&](const OptionRow& each) { return each.path == path; });
            if (row != option_table.end())
                order.push_back(&*row);
            else
                add_section(path, order);
        }
}

template <class Wanted>
std::string print_options(const Options& options, Wanted&& wanted) {
    CLocale c_locale;
    Printer printer;
    for_each_option(options, [&](const OptionRow& row, const auto& value) {
        if (wanted(row))
            printer.print(row, value);
    });
    return printer.finish();
}

}  // namespace

std::string print_configuration(const Options& options) {
    return print_options(options, [](const OptionRow&) { return true; });
}

std::string print_compatible_default() {
    Options options;
    options.demangle_cxx = CxxNames::raw;
    return print_options(
        options, [](const OptionRow& row) { return row.generation == Generation::classic; });
}

std::string print_configuration_of_log(const Options& options) {
    CLocale c_locale;
    std::vector<const OptionRow*> order;
    add_section("", order);
    const auto changed = changes(options);
    Printer printer;
    for (const OptionRow* next : order)
        if (next->generation == Generation::classic || changed[next - option_table.data()])
            for_each_option(options, [&](const OptionRow& row, const auto& value) {
                if (&row == next)
                    printer.print(row, value);
            });
    return printer.finish();
}

}  // namespace vftrace
