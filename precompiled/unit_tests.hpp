// Headers that most unit tests include.
#include <catch2/catch.hpp>

#include "profile/profile.hpp"
