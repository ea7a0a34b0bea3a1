// The page of HTML reports: what stands before and after its data. scripts/embed-page makes it of src/report/page when
// Deadheat is built.
#pragma once

#include <string_view>

namespace deadheat {

extern const std::string_view kPageBeforeData;
extern const std::string_view kPageAfterData;

}  // namespace deadheat
