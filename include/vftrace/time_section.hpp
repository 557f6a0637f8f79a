/* vftrace/time_section.hpp: sections under the names of MOOSE's PerfGraph interface, so that code
 * written for that interface compiles unchanged. For C++11 and later.
 *
 * The interface is described at https://mooseframework.inl.gov/source/utils/PerfGraph.html. */
#ifndef VFTRACE_TIME_SECTION_HPP
#define VFTRACE_TIME_SECTION_HPP

#include "sections.hpp"

using PerfID = ::vftrace::section_id;

/* The figures and tables of all sections; the object itself is empty. */
class PerfGraph {
  public:
    /* As enum vftrace_section_figure, with the same values. */
    enum DataType {
        SELF = VFTRACE_SELF,
        CHILDREN = VFTRACE_CHILDREN,
        TOTAL = VFTRACE_TOTAL,
        SELF_AVG = VFTRACE_SELF_AVG,
        CHILDREN_AVG = VFTRACE_CHILDREN_AVG,
        TOTAL_AVG = VFTRACE_TOTAL_AVG,
        SELF_PERCENT = VFTRACE_SELF_PERCENT,
        CHILDREN_PERCENT = VFTRACE_CHILDREN_PERCENT,
        TOTAL_PERCENT = VFTRACE_TOTAL_PERCENT,
        SELF_MEMORY = VFTRACE_SELF_MEMORY,
        CHILDREN_MEMORY = VFTRACE_CHILDREN_MEMORY,
        TOTAL_MEMORY = VFTRACE_TOTAL_MEMORY,
        CALLS = VFTRACE_CALLS
    };

    /* Like vftrace::section_data(). */
    VFTRACE_DETAIL_UNSEEN double sectionData(DataType type, const std::string& section_name,
                                             bool must_exist = true) const {
        return ::vftrace::section_data(static_cast<::vftrace::data_type>(type), section_name,
                                       must_exist);
    }

    /* Print the table down to a level, the children that take most time, and the sections with the
     * most self time: see vftrace_section_table. */
    template <class Stream>
    VFTRACE_DETAIL_UNSEEN void print(Stream& console, unsigned int level) const {
        ::vftrace::section_table table;
        table.level = static_cast<int>(level);
        ::vftrace::print_sections(console, table);
    }
    template <class Stream>
    VFTRACE_DETAIL_UNSEEN void printHeaviestBranch(Stream& console) const {
        ::vftrace::section_table table;
        table.level = -1;
        table.branch = 1;
        ::vftrace::print_sections(console, table);
    }
    template <class Stream>
    VFTRACE_DETAIL_UNSEEN void printHeaviestSections(Stream& console, unsigned int number) const {
        ::vftrace::section_table table;
        table.level = -1;
        table.heaviest = static_cast<int>(number);
        ::vftrace::print_sections(console, table);
    }
};

/* Base of classes that have timed sections; sections are called prefix::name. Without a prefix it
 * is what the function type() of the given object returns, or else the name of the class. */
class PerfGraphInterface : public ::vftrace::section_source {
  public:
    using ::vftrace::section_source::section_source;
    VFTRACE_DETAIL_UNSEEN PerfGraphInterface() = default;
    template <class Object>
    VFTRACE_DETAIL_UNSEEN explicit PerfGraphInterface(const Object* object)
        : section_source(type_of(object, 0)) {}
    template <class Object>
    VFTRACE_DETAIL_UNSEEN PerfGraphInterface(const Object*, const std::string& prefix)
        : section_source(prefix) {}
    VFTRACE_DETAIL_UNSEEN PerfGraphInterface(PerfGraph&, const std::string& prefix)
        : section_source(prefix) {}
    /* A text is a prefix, not an object. */
    VFTRACE_DETAIL_UNSEEN explicit PerfGraphInterface(const char* prefix)
        : section_source(prefix) {}

    VFTRACE_DETAIL_UNSEEN PerfGraph& perfGraph() const {
        static PerfGraph graph;
        return graph;
    }

  protected:
    /* Returns the section, for the form of TIME_SECTION with one argument. */
    VFTRACE_DETAIL_UNSEEN PerfID registerTimedSection(const std::string& section_name,
                                                      unsigned int level = 1) const {
        return register_section(section_name, static_cast<int>(level));
    }
    VFTRACE_DETAIL_UNSEEN PerfID registerTimedSection(const std::string& section_name,
                                                      unsigned int level,
                                                      const std::string& live_message,
                                                      bool print_dots = true) const {
        return register_section(section_name, static_cast<int>(level), live_message, print_dots);
    }

  private:
    template <class Object>
    VFTRACE_DETAIL_UNSEEN static auto type_of(const Object* object, int)
        -> decltype(std::string(object->type())) {
        return object->type();
    }
    template <class Object>
    VFTRACE_DETAIL_UNSEEN static std::string type_of(const Object*, long) {
        return {};
    }
};

/* VFTRACE_SECTION() in a member function of a class that is derived from PerfGraphInterface, with
 * or without a semicolon behind it. The base may depend on a template's parameters. */
#define TIME_SECTION(...)                                                                          \
    VFTRACE_DETAIL_SECTION(__COUNTER__, this->vftrace_prefix_of_scope(), __VA_ARGS__);

#endif
