// The options as JSON in the layout of Vftrace 2.0: 3 blanks per level, in the order of the table.
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

std::string print_options(const Options& options, bool classic_only) {
    CLocale c_locale;
    Printer printer;
    for_each_option(options, [&](const OptionRow& row, const auto& value) {
        if (!classic_only || row.generation == Generation::classic)
            printer.print(row, value);
    });
    return printer.finish();
}

}  // namespace

std::string print_configuration(const Options& options) { return print_options(options, false); }

std::string print_compatible_default() { return print_options(Options{}, true); }

}  // namespace vftrace
