// Descriptors for the end of a process that has used up its own.
#pragma once

namespace vftrace {

// Moves a descriptor to where programs do not look for theirs: they count on getting low ones, and
// some close those that they did not open. Returns the new one, or the same if there is no room.
int move_descriptor_up(int descriptor);

// Keeps a few until the end. For a process whose descriptors we use up as well (hardware counters
// want one per thread): elsewhere none is kept, because programs can list open files.
void keep_spare_descriptors();

// While one is alive there is room for a few more: the spare ones are free, and the soft limit is
// raised as far as the hard one allows. Afterwards the limit is what it was.
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
