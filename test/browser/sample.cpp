// Writes pages for the tests in a browser: browser_sample varied|large|hostile|empty|text SOURCE [NUMBER], to standard output. `text` writes
// the hostile text with that number by itself; status 2 if there is none.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "report/formats.h"
#include "support/sample_report.h"

int main(int argc, char** argv) {
  using namespace deadheat::testing;
  if (argc < 3) return 2;
  const std::string what = argv[1], source = argv[2];
  const size_t number = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 0;
  if ((what == "hostile" || what == "text") && number >= hostile_texts().size()) return 2;
  if (what == "text") {
    const std::string text = hostile_texts()[number] + "\n";
    return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
  }
  deadheat::ReportModel model;
  if (what == "varied")
    model = varied_report(source);
  else if (what == "large")
    model = large_report(number, source);
  else if (what == "hostile")
    model = report_of(hostile_texts()[number], source);
  else if (what != "empty")
    return 2;
  deadheat::write_html(model, {}, stdout);
}
