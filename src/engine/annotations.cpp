#include "engine/annotations.h"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "race/suppressions.h"

namespace deadheat {

namespace {

std::string_view trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

}  // namespace

Annotations Annotations::parse(std::string_view text, const std::string& file) {
  Annotations annotations;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.empty() || line.front() == '#') continue;
    const size_t blank = line.find_first_of(" \t");
    const std::string_view kind = line.substr(0, blank);
    const std::string_view name = blank == std::string_view::npos ? "" : trimmed(line.substr(blank));
    std::vector<std::string>* patterns = kind == "Field"    ? &annotations.fields_
                                         : kind == "Method" ? &annotations.methods_
                                         : kind == "Class"  ? &annotations.classes_
                                                            : nullptr;
    if (patterns == nullptr || name.empty())
      throw AnnotationError(
          fmt::format("{}:{}: '{}'; expected Field NAME, Method NAME or Class NAME", file, number, line));
    patterns->push_back(fmt::format("^{}$", name));  // the whole name, as the paper has it
  }
  return annotations;
}

Annotations Annotations::read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf() || file.eof()))
    throw AnnotationError(fmt::format("{}: cannot be read; expected a file of annotations", path));
  return parse(text.str(), path);
}

bool Annotations::matches(const std::vector<std::string>& patterns, std::string_view name) {
  for (const std::string& pattern : patterns)
    if (matches_pattern(pattern, name)) return true;
  return false;
}

template <class Ask>
bool Unwatched::is_hidden(std::vector<Answer>& answers, size_t id, Ask ask) {
  if (id >= answers.size()) answers.resize(id + 1, Answer::kUnknown);
  if (answers[id] == Answer::kUnknown) answers[id] = ask() ? Answer::kHidden : Answer::kWatched;
  return answers[id] == Answer::kHidden;
}

bool Unwatched::is_hidden(const Event& e) {
  if (e.location != kNoLocation &&
      is_hidden(locations_, index(e.location), [&] { return annotations_.hides_method(names_.location(e.location)); }))
    return true;
  return !e.is_range && is_hidden(variables_, index(e.variable()), [&] {
    const ObjectId object = names_.variable_info[index(e.variable())].object;
    return annotations_.hides_field(names_.variables[e.variable()]) || annotations_.hides_class(names_.objects[object]);
  });
}

void Unwatched::apply(Batch& batch) {
  for (Event& e : batch.events)
    if (is_plain_access(e.kind) && is_hidden(e)) e.kind = EventKind::kNothing;
}

}  // namespace deadheat
