// The annotation file: its lines, its errors, and that what it names is not watched.
#include "engine/annotations.h"

#include <gtest/gtest.h>

#include <set>

#include "engine/analysis.h"
#include "support/memory_reader.h"

namespace deadheat::test {
namespace {

TEST(Annotations, NamesAreWholeUnlessTheyHaveStars) {
  const Annotations a =
      Annotations::parse("# not ours\nField Hashtable.count\n\n  Method get_*  \r\nClass File\n", "f");
  EXPECT_TRUE(a.hides_field("Hashtable.count"));
  EXPECT_FALSE(a.hides_field("Hashtable.counter"));
  EXPECT_FALSE(a.hides_field("MyHashtable.count"));
  EXPECT_TRUE(a.hides_method("get_trace"));
  EXPECT_FALSE(a.hides_method("forget_trace"));
  EXPECT_TRUE(a.hides_class("File"));
  EXPECT_FALSE(a.hides_class("Hashtable"));
}

TEST(Annotations, ALineThatMakesNoSenseIsAnError) {
  for (const std::string text : {"Feld x", "Field", "Class  "}) {
    try {
      Annotations::parse("Class ok\n" + text, "file");
      ADD_FAILURE() << text;
    } catch (const AnnotationError& error) {
      EXPECT_TRUE(std::string_view(error.what()).starts_with("file:2: ")) << error.what();
    }
  }
  EXPECT_THROW(Annotations::read("/nonexistent/annotations"), AnnotationError);
}

std::set<std::string> racy(const std::string& annotations) {
  const TestTrace trace = parse_trace(
      "0|fork(1) 0|w(o.a)|f 1|w(o.a)|g 0|w(o.b)|f 1|w(o.b)|g 0|w(p)|f 1|w(p)|h 0|w(0x10:4)|f 1|w(0x10:4)|h "
      "0|st(q,relaxed)|f 1|w(q)|h");
  MemoryReader reader(trace);
  Losses losses;
  const AnalysisOptions options;
  const Annotations parsed = Annotations::parse(annotations, "file");
  const std::vector<AnalysisResult> results = analyze(reader, {&options, 1}, /*lenient=*/false, losses, {}, &parsed);
  std::set<std::string> variables;
  for (const Finding& race : results.front().findings.races) variables.emplace(race.memory.name);
  return variables;
}

TEST(Annotations, WhatTheyNameIsNotWatched) {
  using Set = std::set<std::string>;
  EXPECT_EQ(racy(""), (Set{"o.a", "o.b", "p", "0x10:4", "q"}));
  EXPECT_EQ(racy("Field o.a"), (Set{"o.b", "p", "0x10:4", "q"}));
  EXPECT_EQ(racy("Class o"), (Set{"p", "0x10:4", "q"}));
  EXPECT_EQ(racy("Method h"), (Set{"o.a", "o.b"}));
  EXPECT_EQ(racy("Method f"), (Set{"q"}));  // an atomic access stays: it may order threads
  EXPECT_EQ(racy("Class o\nField p\nField q"), (Set{"0x10:4"}));
}

}  // namespace
}  // namespace deadheat::test
