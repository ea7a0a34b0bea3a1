// A report as JSON: docs/report.schema.json.
#include "base/version.h"
#include "report/finding_report.h"
#include "report/formats.h"
#include "report/parts.h"
#include "report/record_format.h"

namespace deadheat {

namespace {

class ModelJson {
 public:
  ModelJson(const ReportModel& model, std::FILE* out) : model_(model), out_(sink_of(out)) {}

  void write() {
    out_.put(R"({"tool":"deadheat","report":1,"version":)");
    write_json_text(kVersion, out_);
    out_.put(",\n \"records\":", model_.records, ",\"groups_found\":", model_.groups.size(),
             ",\"suppressed\":", model_.suppressed, ",\"known\":", model_.hidden_known, ",\n \"notes\":");
    texts(model_.notes);
    out_.put(",\n \"unused_suppressions\":");
    texts(model_.unused_suppressions);
    out_.put(",\n \"runs\":[");
    list(model_.runs, [this](const ReportRun& run) { put_run(run); });
    out_.put("],\n \"groups\":[");
    list(model_.groups, [this](const Group& group) { put_group(group); });
    out_.put(']');
    if (model_.has_database) {
      out_.put(",\n \"gone\":[");
      list(model_.gone, [this](const Group& group) { put_group(group); });
      out_.put(']');
    }
    out_.put("}\n");
  }

 private:
  template <class List, class Put>
  void list(const List& all, Put put) {
    std::string_view before = "\n  ";
    for (const auto& element : all) {
      out_.put(before);
      put(element);
      before = ",\n  ";
    }
  }
  void texts(const std::vector<std::string>& all) {
    out_.put('[');
    std::string_view before;
    for (const std::string& text : all) {
      out_.put(before);
      write_json_text(text, out_);
      before = ",";
    }
    out_.put(']');
  }
  void member(std::string_view key, std::string_view text) {
    out_.put(",\"", key, "\":");
    write_json_text(text, out_);
  }
  void member_if_known(std::string_view key, std::string_view text) {
    if (!text.empty()) member(key, text);
  }

  void put_run(const ReportRun& run) {
    out_.put(R"({"id":)");
    write_json_text(run.facts.id, out_);
    out_.put(R"(,"pid":)", run.facts.process, R"(,"records":)", run.records, R"(,"ended":)",
             run.ended ? "true" : "false");
    if (run.facts.started != 0) out_.put(R"(,"started":)", run.facts.started);
    member_if_known("version", run.facts.version);
    member_if_known("host", run.facts.host);
    member_if_known("program", run.facts.program);
    member_if_known("label", run.facts.label);
    member_if_known("detector", run.facts.detector);
    if (run.ended)
      out_.put(R"(,"reports":)", run.end.reports, R"(,"suppressed":)", run.end.suppressed, R"(,"repeated":)",
               run.end.repeated);
    out_.put('}');
  }

  void put_group(const Group& group) {
    out_.put(R"({"fingerprint":")", group.fingerprint, R"(","fingerprints":)");
    texts(group.fingerprints);
    member("kind", finding_name(group.kind));
    member("title", group.title);
    member_if_known("pair", group.pair);
    out_.put(R"(,"rank":)", group.rank, R"(,"reasons":[)");
    std::string_view before;
    for (const RankReason& reason : group.reasons) {
      out_.put(before, R"({"points":)", reason.points, R"(,"why":)");
      write_json_text(reason.why, out_);
      out_.put('}');
      before = ",";
    }
    out_.put(R"(],"records":)", group.records, R"(,"races":)", group.races, R"(,"objects":)", group.objects,
             R"(,"variants":)", group.variants);
    if (model_.has_baseline) out_.put(R"(,"new":)", group.known ? "false" : "true");
    out_.put(R"(,"runs":[)");
    before = "";
    for (const auto& [run, records] : group.runs) {
      out_.put(before, R"({"run":)", run, R"(,"records":)", records, "}");
      before = ",";
    }
    out_.put(R"(],"places":[)");
    before = "";
    for (const auto& [places, records] : group.places) {
      out_.put(before, R"({"at":)");
      write_json_text(places, out_);
      out_.put(R"(,"records":)", records, "}");
      before = ",";
    }
    out_.put(R"(],"suppressions":)");
    texts(group.suppressions);
    member_if_known("foreign_module", group.foreign_module);
    if (model_.has_database) put_history(group.history);
    out_.put(R"(,"examples":[)");
    before = "\n   ";
    for (const Example& example : group.examples) {
      out_.put(before, R"({"run":)", example.run, R"(,"records":)", example.records, ",");
      const int process = example.run < model_.runs.size() ? model_.runs[example.run].facts.process : 0;
      write_finding_members(example.finding, process, out_);
      out_.put('}');
      before = ",\n   ";
    }
    out_.put("]}");
  }

  void put_history(const GroupHistory& history) {
    out_.put(R"(,"history":{"state":)");
    write_json_text(history.state, out_);
    out_.put(R"(,"first_seen":)", history.first_seen, R"(,"last_seen":)", history.last_seen, R"(,"runs_seen":)",
             history.runs_seen, R"(,"runs_since":)", history.runs_since);
    member_if_known("first_run", history.first_run);
    member_if_known("first_label", history.first_label);
    member_if_known("last_run", history.last_run);
    member_if_known("last_label", history.last_label);
    out_.put('}');
  }

  const ReportModel& model_;
  Sink out_;
};

}  // namespace

void write_json_model(const ReportModel& model, const FormatStyle&, std::FILE* out) { ModelJson(model, out).write(); }

}  // namespace deadheat
