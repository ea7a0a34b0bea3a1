// Reports: findings as text for people and as JSON for programs.
//
// Both are written race by race, so that a long list costs no memory beyond the findings themselves. Errors of `out`
// stay with `out`: its owner checks it at the end.
#pragma once

#include <cstdio>
#include <span>

#include "race/findings.h"

namespace deadheat {

// What was found in words: for each race the variable, both accesses, and a summary in the last line.
void write_text_report(const Findings& findings, std::FILE* out);
// The others were told before: they count in the summary alone.
void write_text_report(const Findings& findings, std::span<const Finding> shown, std::FILE* out);

// One object with the keys tool, version, detector, filter, trace, races, stats, always in this order.
void write_json_report(const Findings& findings, std::FILE* out);

}  // namespace deadheat
