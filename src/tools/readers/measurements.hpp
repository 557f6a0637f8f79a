// Values of figures at points, as Extra-P's files have them.
#pragma once

#include <string>
#include <vector>

namespace vftrace {

struct Measurements {
    // The values of a metric of a call path at one point, one for each repetition.
    struct Figure {
        std::string callpath;  // "main->solve"
        std::string metric;
        std::vector<double> point;  // by parameter
        std::vector<double> values;
    };

    std::vector<std::string> parameters;
    std::vector<Figure> figures;  // one for each call path, metric and point
};

}  // namespace vftrace
