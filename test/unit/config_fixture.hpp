// A clean environment and temporary configuration files for tests of the configuration.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include "config/config.hpp"

namespace vftrace_test {

class ConfigFixture {
  public:
    ConfigFixture() { clear(); }
    ~ConfigFixture() {
        clear();
        for (const std::string& path : files_)
            std::remove(path.c_str());
    }

    void set(const std::string& name, const std::string& value) {
        setenv(name.c_str(), value.c_str(), 1);
    }

    // A new file with this content; removed at the end of the test.
    std::string file(const std::string& content) {
        char path[] = "/tmp/vftrace_config_XXXXXX";
        int descriptor = mkstemp(path);
        close(descriptor);
        std::ofstream(path, std::ios::binary) << content;
        files_.push_back(path);
        return path;
    }

    // The options that a run with this file reads. Messages are in text().
    vftrace::Options read(const std::string& content) {
        set("VFTR_CONFIG", file(content));
        return read_environment().options;
    }

    vftrace::Configuration read_environment() {
        findings_ = vftrace::Findings();
        return vftrace::read_configuration(findings_);
    }

    // All messages of the last read, one after the other.
    std::string text() const {
        std::string all;
        for (const vftrace::Finding& finding : findings_.list())
            all += finding.text + '\n';
        return all;
    }
    const vftrace::Findings& findings() const { return findings_; }

  private:
    static void clear() {
        std::vector<std::string> names;
        for (char** entry = environ; entry && *entry; entry++) {
            std::string name = *entry;
            if (name.rfind("VFTR_", 0) == 0)
                names.push_back(name.substr(0, name.find('=')));
        }
        for (const std::string& name : names)
            unsetenv(name.c_str());
    }

    vftrace::Findings findings_;
    std::vector<std::string> files_;
};

}  // namespace vftrace_test
