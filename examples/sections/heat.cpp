// Heat in a plate, with sections, which show users of this program where its time goes.
//
//     c++ -O2 -std=c++11 heat.cpp -o heat        compiles, links and runs without the library
//     ./heat 1000
//     vftrace run -- ./heat 1000                 messages while it runs, tables at the end
//
// Prints the mean temperature and, with the library, how long the steps took.
#include <vftrace/sections.hpp>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

class Plate : public vftrace::section_source {
  public:
    explicit Plate(std::size_t width) : section_source("Plate"), width_(width) {
        VFTRACE_SECTION("setup", 2, "Setting up the plate");
        now_.assign(width * width, 20.0);
        next_ = now_;
        for (std::size_t i = 0; i < width; i++)
            now_[i] = next_[i] = 100.0;
    }

    void step() {
        VFTRACE_SECTION("step", 2);
        {
            VFTRACE_SECTION("conduct", 3);
            for (std::size_t y = 1; y + 1 < width_; y++)
                for (std::size_t x = 1; x + 1 < width_; x++)
                    next_[y * width_ + x] =
                        0.25 * (at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1));
        }
        {
            VFTRACE_SECTION("radiate", 3);
            for (double& cell : next_)
                cell -= 1e-13 * std::pow(cell + 273.15, 4.0) * 1e-1;
        }
        std::swap(now_, next_);
    }

    double mean() const {
        VFTRACE_SECTION("mean", 4);
        double sum = 0;
        for (const double cell : now_)
            sum += cell;
        return sum / static_cast<double>(now_.size());
    }

  private:
    double at(std::size_t x, std::size_t y) const { return now_[y * width_ + x]; }

    std::size_t width_;
    std::vector<double> now_, next_;
};

int main(int argc, char** argv) {
    const int steps = argc > 1 ? std::atoi(argv[1]) : 200;
    VFTRACE_SECTION("heat", 0, "Heating the plate");
    Plate plate(600);
    {
        VFTRACE_SECTION("solve", 1, "Solving");
        for (int i = 0; i < steps; i++) {
            plate.step();
            if (i % 10 == 0)
                plate.mean();
        }
    }
    std::cout << "mean temperature " << plate.mean() << "\n";

    // The program queries its own times, which are 0 if nothing is recorded.
    using vftrace::data_type;
    const double seconds = vftrace::section_data(data_type::TOTAL_AVG, "Plate::step", false);
    if (seconds > 0)
        std::cout << "a step took " << 1000 * seconds << " ms, "
                  << vftrace::section_data(data_type::SELF_PERCENT, "Plate::radiate")
                  << " % of the time is radiation\n";

    vftrace::section_table table;
    table.level = 3;
    table.heaviest = 2;
    vftrace::print_sections(std::cout, table);
}
