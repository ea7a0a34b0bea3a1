// A report as SARIF 2.1.0 (OASIS Static Analysis Results Interchange Format), for code hosts and editors.
//
// A group is a result. Its location is the place of the access that completed the race; the other access, where the
// threads and the locks were created and where the memory was allocated are related locations. A code flow has two
// thread flows, one for each thread, from its outermost frame to the access. Files below the source root (else the
// current folder) are named relative to it, as code hosts need.
// Tested by test/unit/report_model_test.cpp, test/report/sarif
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/version.h"
#include "race/fingerprint.h"
#include "report/additions.h"
#include "report/finding_report.h"
#include "report/formats.h"
#include "report/parts.h"
#include "report/source_excerpt.h"

namespace deadheat {

namespace {

struct Rule {
  FindingKind kind;
  const char* id;
  const char* title;
};
// In the order of the enumeration: the index of a rule is that of its first kind.
constexpr Rule kRules[] = {
#define DEADHEAT_RULE(kind, title, name, type) {FindingKind::k##kind, name, title},
    DEADHEAT_FINDINGS(DEADHEAT_RULE)
#undef DEADHEAT_RULE
};

// Ids are unique: of kinds with one name the first stands for all.
bool is_first_of_its_name(size_t index) {
  for (size_t i = 0; i < index; ++i)
    if (std::string_view(kRules[i].id) == kRules[index].id) return false;
  return true;
}

size_t rule_index(FindingKind kind) {
  size_t number = 0;
  for (size_t i = 0; i < std::size(kRules); ++i) {
    if (std::string_view(kRules[i].id) == finding_name(kind)) return number;
    if (is_first_of_its_name(i)) ++number;
  }
  return 0;
}

constexpr int kError = 50, kWarning = 20;  // ranks from which on a result has that level

std::string_view level_of(const Group& group) {
  return group.rank >= kError ? "error" : group.rank >= kWarning ? "warning" : "note";
}

class Sarif {
 public:
  Sarif(const ReportModel& model, const FormatStyle& style, std::FILE* out) : model_(model), out_(sink_of(out)) {
    std::error_code error;
    const std::filesystem::path root = style.source_root.empty() ? std::filesystem::current_path(error)
                                                                 : std::filesystem::absolute(style.source_root, error);
    root_ = root.lexically_normal().string();
    if (!root_.ends_with('/')) root_ += '/';
  }

  void write() {
    out_.put(
        R"({"$schema":"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",)",
        "\n", R"("version":"2.1.0","runs":[{"tool":{"driver":{"name":"Deadheat","version":)");
    write_json_text(kVersion, out_);
    out_.put(R"(,"rules":[)");
    std::string_view before = "\n ";
    for (size_t i = 0; i < std::size(kRules); ++i) {
      if (!is_first_of_its_name(i)) continue;
      out_.put(before, R"({"id":")", kRules[i].id, R"(","shortDescription":{"text":")", kRules[i].title, R"("}})");
      before = ",\n ";
    }
    out_.put("]}},\n\"columnKind\":\"utf16CodeUnits\",\"invocations\":[{\"executionSuccessful\":true");
    out_.put(R"(,"toolExecutionNotifications":[)");
    std::vector<std::string> notes = closing_lines(model_);
    for (const std::string& line : gone_lines(model_)) notes.push_back("not seen in the last runs: " + line);
    notes.push_back(summary_of(model_));
    before = "";
    for (const std::string& note : notes) {
      out_.put(before, R"({"level":"note","message":)");
      message(note);
      out_.put('}');
      before = ",";
    }
    out_.put(']');
    out_.put("}],\n\"results\":[");
    before = "\n ";
    for (const Group& group : model_.groups) {
      out_.put(before);
      result(group);
      before = ",\n ";
    }
    out_.put("]}]}\n");
  }

 private:
  void message(std::string_view text) {
    out_.put(R"({"text":)");
    write_json_text(text.empty() ? "?" : text, out_);
    out_.put('}');
  }

  // Bytes other than these would have to be read as parts of a URI.
  static std::string encoded(std::string_view path) {
    std::string uri;
    for (const char c : path) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
                         c == '-' || c == '_' || c == '.' || c == '~';
      if (plain)
        uri += c;
      else
        uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return uri;
  }
  std::string uri_of(std::string_view file) const {
    std::string path = std::filesystem::path(file).lexically_normal().string();
    if (path.starts_with(root_)) return encoded(std::string_view(path).substr(root_.size()));
    return (path.starts_with('/') ? "file://" : "") + encoded(path);
  }

  // The members of a location, without braces; with an id where other locations are told apart by it.
  void location(const StackFrame* frame, std::string_view text, int id = -1) {
    std::string_view before;
    const auto next = [&] {
      out_.put(before);
      before = ",";
    };
    out_.put('{');
    if (id >= 0) {
      next();
      out_.put(R"("id":)", id);
    }
    const FileAndLine where = frame == nullptr ? FileAndLine{} : file_and_line(*frame);
    if (!where.file.empty()) {
      next();
      out_.put(R"("physicalLocation":{"artifactLocation":{"uri":)");
      write_json_text(uri_of(where.file), out_);
      out_.put('}');
      if (where.line > 0) {
        out_.put(R"(,"region":{"startLine":)", where.line);
        if (frame->column > 0) out_.put(R"(,"startColumn":)", frame->column);
        out_.put('}');
      }
      out_.put('}');
    }
    if (frame != nullptr && !frame->function.empty()) {
      next();
      out_.put(R"("logicalLocations":[{"kind":"function","fullyQualifiedName":)");
      write_json_text(frame->function, out_);
      out_.put("}]");
    }
    if (!text.empty() || where.file.empty()) {
      next();
      out_.put(R"("message":)");
      message(text.empty() ? place_text(frame) : text);
    }
    out_.put('}');
  }

  static std::string thread_name(const Side& side) {
    if (side.thread == 0 && !side.thread_name.empty()) return std::string(side.thread_name);
    return side.thread == 0 ? "main thread" : fmt::format("thread T{}", side.thread);
  }
  static std::string access_words(const Side& side) {
    return fmt::format("{} of {} by {}", op_name(side.kind), counted(side.bytes, "byte", "bytes"), thread_name(side));
  }

  void result(const Group& group) {
    const Finding& finding = group.finding();
    std::vector<StackView> stacks = stacks_of(finding);
    const StackFrame* const place = stacks.empty() ? nullptr : place_frame(stacks[0]);
    out_.put(R"({"ruleId":")", finding_name(finding.kind), R"(","ruleIndex":)", rule_index(finding.kind),
             R"(,"level":")", level_of(group), R"(","kind":"fail","message":)");
    message(words(group, stacks));
    out_.put(R"(,"locations":[)");
    location(place, "");
    out_.put(R"(],"relatedLocations":[)");
    related(finding);
    out_.put("],");
    if (finding.is_race()) {
      flows(finding);
      out_.put(',');
    }
    out_.put(R"("partialFingerprints":{"deadheat/v1":")", group.fingerprint, R"(","primaryLocationLineHash":")",
             group.fingerprint, R"(:1"},"occurrenceCount":)", std::max<uint64_t>(group.records, 1), R"(,"rank":)",
             std::clamp(group.rank, 0, 100));
    if (model_.has_baseline) out_.put(R"(,"baselineState":")", group.known ? "unchanged" : "new", "\"");
    out_.put(R"(,"properties":{"fingerprints":[)");
    std::string_view before;
    for (const std::string& fingerprint : group.fingerprints) {
      out_.put(before, "\"", fingerprint, "\"");
      before = ",";
    }
    out_.put(R"(],"runs":)", group.runs.size(), R"(,"objects":)", group.objects);
    texts("details", additions_to(group));
    texts("suppressions", group.suppressions);
    out_.put("}}");
  }

  void texts(std::string_view key, const std::vector<std::string>& list) {
    out_.put(R"(,")", key, R"(":[)");
    std::string_view before;
    for (const std::string& text : list) {
      out_.put(before);
      write_json_text(text, out_);
      before = ",";
    }
    out_.put(']');
  }

  std::string words(const Group& group, const std::vector<StackView>& stacks) const {
    std::string text = group.title;
    if (stacks.size() > 1)
      text += fmt::format(": {} and {}", place_text(place_frame(stacks[0])), place_text(place_frame(stacks[1])));
    text += ".";
    for (const std::string& line : explanation_lines(group.finding())) text += " " + line;
    return text;
  }

  void related(const Finding& finding) {
    int id = 0;
    const auto add = [&](StackView stack, const std::string& text) {
      const StackFrame* const frame = place_frame(stack);
      if (frame == nullptr) return;
      out_.put(id == 0 ? "" : ",");
      location(frame, text, id++);
    };
    for (const Side& side : finding.sides)
      if (&side != finding.sides.data() && side.kind != AccessKind::kNone)
        add(side.stack, "earlier " + access_words(side));
    for (size_t i = 1; i < finding.stacks.size(); ++i) add(finding.stacks[i].stack, "also here");
    for (const FindingThread& thread : finding.threads)
      add(thread.created_at, fmt::format("thread T{} is created here", thread.number));
    for (size_t i = 0; i < finding.locks.size(); ++i)
      add(finding.locks[i].created_at, fmt::format("mutex M{} is created here", i));
    if (finding.memory.kind == Memory::kHeap) add(finding.memory.stack, "the memory is allocated here");
  }

  void flows(const Finding& finding) {
    out_.put(R"("codeFlows":[{"threadFlows":[)");
    std::string_view before;
    for (size_t i = 0; i < std::min<size_t>(finding.sides.size(), 2); ++i) {
      const Side& side = finding.sides[i];
      if (side.kind == AccessKind::kNone) continue;
      out_.put(before, R"({"id":)");
      write_json_text(fmt::format("{}{}", thread_name(side), i == 0 ? "" : " (earlier)"), out_);
      out_.put(R"(,"locations":[)");
      if (side.stack.empty()) {
        out_.put(R"({"importance":"essential","location":)");
        location(nullptr, access_words(side));
        out_.put('}');
      }
      for (size_t level = 0; level < side.stack.size(); ++level) {
        const StackFrame& frame = side.stack[side.stack.size() - 1 - level];
        const bool innermost = level + 1 == side.stack.size();
        out_.put(level == 0 ? "" : ",", R"({"nestingLevel":)", level, R"(,"importance":")",
                 innermost ? "essential" : "important", R"(","location":)");
        location(&frame, innermost                ? access_words(side)
                         : frame.function.empty() ? place_text(&frame)
                                                  : std::string(frame.function));
        out_.put('}');
      }
      out_.put("]}");
      before = ",";
    }
    out_.put("]}]");
  }

  const ReportModel& model_;
  std::string root_;
  Sink out_;
};

}  // namespace

void write_sarif(const ReportModel& model, const FormatStyle& style, std::FILE* out) {
  Sarif(model, style, out).write();
}

}  // namespace deadheat
