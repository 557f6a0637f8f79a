// Functions of other tools' interfaces that are linked statically into the program.
#pragma once

namespace vftrace {

// Makes them call the functions of libvftrace_annotations that stand for them, if that is loaded.
// Reports those for which that is not possible. To be called before the program begins.
void take_static_functions();

}  // namespace vftrace
