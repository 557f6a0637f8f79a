/* vftrace/time_section.hpp: sections under the names of MOOSE's PerfGraph interface, so that code
 * written for that interface compiles unchanged. For C++11 and later.
 *
 * The interface is described at https://mooseframework.inl.gov/source/utils/PerfGraph.html. */
#ifndef VFTRACE_TIME_SECTION_HPP
#define VFTRACE_TIME_SECTION_HPP

#include "sections.hpp"

using PerfID = ::vftrace::section_id;

/* Base of classes that have timed sections; sections are called prefix::name. */
class PerfGraphInterface : public ::vftrace::section_source {
  public:
    using ::vftrace::section_source::section_source;
    VFTRACE_DETAIL_UNSEEN PerfGraphInterface() = default;

  protected:
    /* Returns the section, for the form of TIME_SECTION with one argument. */
    VFTRACE_DETAIL_UNSEEN PerfID registerTimedSection(const std::string& section_name,
                                                      unsigned int level) const {
        return register_section(section_name, static_cast<int>(level));
    }
    VFTRACE_DETAIL_UNSEEN PerfID registerTimedSection(const std::string& section_name,
                                                      unsigned int level,
                                                      const std::string& live_message,
                                                      bool print_dots = true) const {
        return register_section(section_name, static_cast<int>(level), live_message, print_dots);
    }
};

#define TIME_SECTION(...) VFTRACE_SECTION(__VA_ARGS__)

#endif
