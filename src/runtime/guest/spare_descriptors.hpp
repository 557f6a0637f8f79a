// Descriptors for the end of a process that has used up its own.
#pragma once

namespace vftrace {

// Moves a descriptor to a number that programs do not use: they rely on getting low ones, and some
// close those that they did not open. Returns the new one, or the same if there is no room.
int move_descriptor_up(int descriptor);

// Keeps a few until the end, for a process in which we use many descriptors too (hardware counters
// need one per thread). In other processes none are kept, because programs can list open files.
void keep_spare_descriptors();

// While one exists, there is room for a few more: the spare ones are free, and the soft limit is
// raised a little, as far as the hard one allows. Afterwards the limit is as before.
class MoreDescriptors {
  public:
    MoreDescriptors();
    ~MoreDescriptors();
    MoreDescriptors(const MoreDescriptors&) = delete;
    MoreDescriptors& operator=(const MoreDescriptors&) = delete;

  private:
    unsigned long limit_before_ = 0;  // 0: it has not been changed
};

}  // namespace vftrace
