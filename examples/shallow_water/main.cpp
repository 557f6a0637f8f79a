// A two-dimensional shallow-water solver, as an example of a program to profile. See README.md.
#include "diagnostics.hpp"
#include "regions.hpp"
#include "scenarios.hpp"
#include "verify.hpp"

#include <charconv>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

using namespace shallow_water;

namespace {

constexpr std::string_view usage =
    "usage: shallow_water [options]\n"
    "  --size N       cells in each direction (default 256)\n"
    "  --nx N, --ny N cells in x and in y\n"
    "  --steps N      time steps (default 400)\n"
    "  --every N      steps between two lines of output (default 100)\n"
    "  --case NAME    drop (default) or lake\n"
    "  --late RANK    have this process come late, so that others wait for it\n"
    "  --image FILE   write the surface in the end as a PGM image\n"
    "  --verify       check the solver against known solutions instead\n"
    "  --help         print this text\n"
    "exit status: 0 if mass was conserved and all checks passed, 1 if not, 2 for a wrong option\n";

struct Options {
    int nx = 256;
    int ny = 256;
    int steps = 400;
    int every = 100;
    std::string scenario = "drop";
    std::string image;
    int late = -1;
    bool verify = false;
    bool help = false;
};

int parse_number(std::string_view option, std::string_view text, int minimum) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < minimum ||
        number > 30000) {
        throw std::invalid_argument(std::string(option) + ": not a number from " +
                                    std::to_string(minimum) + " to 30000: " + std::string(text));
    }
    return number;
}

Options parse_options(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; i++) {
        const std::string_view option = argv[i];
        const auto value = [&]() -> std::string_view {
            if (++i >= argc) {
                throw std::invalid_argument(std::string(option) + " needs a value");
            }
            return argv[i];
        };
        if (option == "--size") {
            options.nx = options.ny = parse_number(option, value(), 1);
        } else if (option == "--nx") {
            options.nx = parse_number(option, value(), 1);
        } else if (option == "--ny") {
            options.ny = parse_number(option, value(), 1);
        } else if (option == "--steps") {
            options.steps = parse_number(option, value(), 0);
        } else if (option == "--every") {
            options.every = parse_number(option, value(), 1);
        } else if (option == "--case") {
            options.scenario = value();
        } else if (option == "--late") {
            options.late = parse_number(option, value(), 0);
        } else if (option == "--image") {
            options.image = value();
        } else if (option == "--verify") {
            options.verify = true;
        } else if (option == "--help") {
            options.help = true;
        } else {
            throw std::invalid_argument("unknown option " + std::string(option));
        }
    }
    if (options.scenario != "drop" && options.scenario != "lake") {
        throw std::invalid_argument("no such case: " + options.scenario);
    }
    return options;
}

// Returns the figures to the first process, which prints them.
Diagnostics print_line(int step, const Solver& solver) {
    const Diagnostics now = diagnose(solver.gather_lake());
    if (is_first_process()) {
        std::printf("%6d %9.4f %18.9f %18.6f %9.5f\n", step, solver.time(), now.mass, now.energy,
                    now.max_speed);
    }
    return now;
}

// Returns whether the mass was conserved, as far as the process knows.
bool simulate(const Options& options) {
    Solver solver = options.scenario == "drop" ? make_drop(options.nx, options.ny)
                                               : make_lake_at_rest(options.nx, options.ny);
    if (options.late == process_rank()) {
        solver.be_late();
    }
    if (is_first_process()) {
        std::printf("%6s %9s %18s %18s %9s\n", "step", "time/s", "mass/m3", "energy", "speed/m/s");
    }
    const Diagnostics start = print_line(0, solver);
    {
        REGION("time loop");
        for (int step = 1; step <= options.steps; step++) {
            solver.step(std::numeric_limits<double>::max());
            if (step % options.every == 0 || step == options.steps) {
                print_line(step, solver);
            }
        }
    }
    const Lake lake = solver.gather_lake();
    if (!is_first_process()) {
        return true;
    }
    if (!options.image.empty()) {
        write_image(lake, options.image);
    }
    const double change = std::abs(diagnose(lake).mass - start.mass) / start.mass;
    const bool conserved = change <= 1e-12;
    std::printf("checksum %016" PRIx64 "\n", checksum(lake.state));
    std::printf("mass %s: relative change %.1e\n", conserved ? "conserved" : "NOT CONSERVED",
                change);
    return conserved;
}

}  // namespace

int main(int argc, char** argv) {
    const Processes processes;
    try {
        const Options options = parse_options(argc, argv);
        if (options.help) {
            if (is_first_process()) {
                std::fwrite(usage.data(), 1, usage.size(), stdout);
            }
            return 0;
        }
        return (options.verify ? verify() : simulate(options)) ? 0 : 1;
    } catch (const std::invalid_argument& error) {  // the same in all processes
        if (is_first_process()) {
            std::fprintf(stderr, "shallow_water: %s (--help lists the options)\n", error.what());
        }
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "shallow_water: %s\n", error.what());
        end_all_processes(1);
    }
}
