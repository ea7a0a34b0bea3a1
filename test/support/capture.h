// What a function writes to a stdio stream, as a string.
#pragma once

#include <cstdio>
#include <functional>
#include <string>

namespace deadheat::test {

std::string captured(const std::function<void(std::FILE*)>& write);

}  // namespace deadheat::test
