// A list in JSON, element by element.
#pragma once

#include <string_view>

#include "report/sink.h"

namespace deadheat {

// The elements of a list, in brackets.
template <class List, class Put>
void put_list(const List& list, Sink& out, Put put) {
  out.put('[');
  std::string_view before;
  for (const auto& element : list) {
    out.put(before);
    put(element);
    before = ",";
  }
  out.put(']');
}

}  // namespace deadheat
