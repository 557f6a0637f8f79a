// Sections as code that is written for MOOSE's PerfGraph declares them. Prints calls and times.
#include <cmath>
#include <cstdio>
#include <iostream>
#include <sstream>

#include <vftrace/time_section.hpp>

struct Problem : PerfGraphInterface {
    Problem() : PerfGraphInterface("Problem") {}
};

// The base depends on the template's parameter.
template <class Base>
struct Derived : Base {
    void solve() { TIME_SECTION("solve", 1); }
    void output() {
        [&] { TIME_SECTION("output", 2, "Writing output", false) }();
    }
};

struct Object {
    std::string type() const { return "Kernel"; }
};
struct Named : PerfGraphInterface {
    explicit Named(const Object& object) : PerfGraphInterface(&object) {}
    void compute() { TIME_SECTION("compute", 3) }
};
struct WithPrefix : PerfGraphInterface {
    explicit WithPrefix(const Object& object) : PerfGraphInterface(&object, "Mesh") {}
    void refine() {
        TIME_SECTION("final", 1, "Executing Final Objects")
        partition();
    }
    void partition() { TIME_SECTION(_partition); }
    const PerfID _partition = registerTimedSection("partition");
};
struct WithGraph : PerfGraphInterface {
    explicit WithGraph(PerfGraph& graph) : PerfGraphInterface(graph, "App") {}
    void execute() { TIME_SECTION(std::string("execute"), 1, std::string("Executing")); }
};

int main() {
    Derived<Problem> problem;
    problem.solve();
    problem.output();
    Object object;
    Named(object).compute();
    WithPrefix(object).refine();
    PerfGraph& graph = problem.perfGraph();
    WithGraph(graph).execute();
    for (const char* name : {"Problem::solve", "Problem::output", "Kernel::compute", "Mesh::final",
                             "Mesh::partition", "App::execute", "missing"})
        std::printf("%s %g\n", name,
                    problem.perfGraph().sectionData(PerfGraph::CALLS, name, false));
    std::printf("%d\n", graph.sectionData(PerfGraph::TOTAL, "Mesh::final") >=
                            graph.sectionData(PerfGraph::SELF, "Mesh::partition"));
    try {
        graph.sectionData(PerfGraph::TOTAL, "missing");
    } catch (const std::out_of_range&) {
        std::puts("unknown");
    }
    std::ostringstream text;
    graph.print(text, 2);
    graph.printHeaviestBranch(text);
    graph.printHeaviestSections(text, 2);
    for (const char* title : {"Performance Graph:", "Heaviest Branch:", "Heaviest Sections:"})
        std::printf("%d", text.str().find(title) != std::string::npos);
    std::puts("");
}
