#include "race/finding.h"

namespace deadheat {

const char* finding_title(FindingKind kind) {
  static constexpr const char* kTitles[] = {
#define DEADHEAT_TITLE(kind, title, name, type) title,
      DEADHEAT_FINDINGS(DEADHEAT_TITLE)
#undef DEADHEAT_TITLE
  };
  return kTitles[static_cast<unsigned>(kind)];
}

const char* finding_name(FindingKind kind) {
  static constexpr const char* kNames[] = {
#define DEADHEAT_NAME(kind, title, name, type) name,
      DEADHEAT_FINDINGS(DEADHEAT_NAME)
#undef DEADHEAT_NAME
  };
  return kNames[static_cast<unsigned>(kind)];
}

StackView Finding::summary_stack() const {
  if (!sides.empty()) return sides[0].stack;
  if (!stacks.empty()) return stacks[0].stack;
  return threads.empty() ? StackView{} : threads[0].created_at;
}

}  // namespace deadheat
