// The example of PerfGraph's documentation, on a clock that it sets itself: soap 0.2 s, rinse 0.3
// s, and another 0.1 s of cleaning, three times.
#include <iostream>

#include "set_clock.h"
#include <vftrace/time_section.hpp>

class Dog : public PerfGraphInterface {
  public:
    void clean() {
        TIME_SECTION("clean", 2, "Cleaning the Dog");
        take(0.1);
        {
            TIME_SECTION("soap", 3, "Soaping the Dog");
            take(0.2);
        }
        {
            TIME_SECTION("rinse", 3, "Rinsing the Dog");
            take(0.3);
        }
    }
};

int main(int argc, char**) {
    Dog dog;
    for (int i = 0; i < 3; i++)
        dog.clean();
    if (argc > 1) {
        using vftrace::data_type;
        for (int type = 0; type <= static_cast<int>(data_type::CALLS); type++)
            std::cout << vftrace::section_data(static_cast<data_type>(type), "Dog::clean") << " ";
        std::cout << "\n";
        vftrace::section_table table;
        table.level = 6;
        vftrace::print_sections(std::cout, table);
    }
    std::cout << "clean\n";
}
