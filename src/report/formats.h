// The formats of a report: one table. A new format is a function and a row in formats.cpp; `deadheat report`, `run`,
// `analyze`, `compare`, their help and the completion read the table.
//
// Promises A writer is a pure function of the model and the style, but for source excerpts, which it reads from disk
//          (source_excerpt.h). Errors of `out` stay with `out`: its owner checks it at the end.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "race/report_model.h"

namespace deadheat {

struct FormatStyle {
  bool in_colour = false;   // text on a terminal
  bool with_source = true;  // show lines of the source, where the files are there
  std::string source_root;  // relative names of source files are relative to this; empty: the current folder
};

struct Format {
  std::string_view name;         // of --format
  std::string_view description;  // for the help
  void (*write)(const ReportModel& model, const FormatStyle& style, std::FILE* out);
};

std::span<const Format> formats();
const Format* find_format(std::string_view name);  // null if there is none

// The writers.
void write_text_model(const ReportModel& model, const FormatStyle& style, std::FILE* out);
void write_json_model(const ReportModel& model, const FormatStyle& style, std::FILE* out);
void write_sarif(const ReportModel& model, const FormatStyle& style, std::FILE* out);
void write_html(const ReportModel& model, const FormatStyle& style, std::FILE* out);
void write_junit(const ReportModel& model, const FormatStyle& style, std::FILE* out);

}  // namespace deadheat
