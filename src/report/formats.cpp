#include "report/formats.h"

#include <algorithm>

namespace deadheat {

namespace {

constexpr Format kFormats[] = {
    {"text", "for people: each bug as ThreadSanitizer shows it, with what else is known, and a table at the end",
     write_text_model},
    {"json", "for programs: everything (docs/report.schema.json)", write_json_model},
    {"html", "a web page in one file: list, filter, both accesses with source, a picture", write_html},
    {"sarif", "SARIF 2.1.0, for code hosts and editors", write_sarif},
    {"junit", "JUnit XML, for CI systems: each bug is a failed test", write_junit},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

const Format* find_format(std::string_view name) {
  const auto found =
      std::find_if(std::begin(kFormats), std::end(kFormats), [&](const Format& f) { return f.name == name; });
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace deadheat
