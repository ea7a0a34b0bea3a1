// Chains of edges against the event graph: two events are ordered by a chain exactly if there is a path, and the chain
// is one.
#include "engine/order_chain.h"

#include <gtest/gtest.h>

#include "differential/oracle.h"
#include "differential/trace_random.h"
#include "support/memory_reader.h"

namespace deadheat::test {
namespace {

OrderAnswer answer_for(const TestTrace& trace, uint64_t first, uint64_t second) {
  MemoryReader reader(trace, 7);
  uint64_t events = 0;
  return order_between(reader, first, second, true, events);
}

// Each edge of the graph, the first one begins in the thread of the first event, the last ends in that of the second.
void expect_path(const TestTrace& trace, const EventGraph& graph, const OrderAnswer& answer, size_t first,
                 size_t second) {
  size_t at = first;
  for (const OrderEdge& edge : answer.chain) {
    EXPECT_EQ(trace.events[edge.from].thread, trace.events[at].thread);
    EXPECT_GE(edge.from, at);
    EXPECT_LT(edge.from, edge.to);
    EXPECT_TRUE(graph.ordered(edge.from, edge.to));
    at = edge.to;
  }
  EXPECT_EQ(trace.events[at].thread, trace.events[second].thread);
  EXPECT_LE(at, second);
}

TEST(OrderChain, AgreesWithTheEventGraph) {
  size_t ordered = 0, unordered = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const TestTrace trace = random_trace(seed);
    const EventGraph graph(trace);
    const size_t count = trace.events.size();
    if (count < 2) continue;
    for (size_t i = 0; i < 12; ++i) {
      const size_t first = (seed * 7919 + i * 104729) % (count - 1);
      const size_t second = first + 1 + (seed * 31 + i * 17) % (count - 1 - first);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", events " + std::to_string(first) + " and " +
                   std::to_string(second));
      const OrderAnswer answer = answer_for(trace, first, second);
      ASSERT_EQ(answer.ordered, graph.ordered(first, second));
      ++(answer.ordered ? ordered : unordered);
      if (answer.ordered) expect_path(trace, graph, answer, first, second);
    }
  }
  EXPECT_GT(ordered, 50u);
  EXPECT_GT(unordered, 50u);
}

TEST(OrderChain, SeveralQuestionsHaveTheAnswersOfEachAlone) {
  size_t asked = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    const TestTrace trace = random_trace(seed);
    std::vector<ThreadId> threads;  // of the events, as a reader numbers them
    MemoryReader once(trace);
    for (Batch batch; once.next(batch);)
      for (const Event& e : batch.events) threads.push_back(e.thread);
    std::vector<OrderQuestion> questions;
    for (uint64_t first = 0; first < threads.size(); first += 1 + seed % 5)
      for (uint64_t second = first + 1; second < threads.size(); second += 3)
        if (threads[first] != threads[second]) questions.push_back({threads[first], first, second});
    MemoryReader reader(trace, 7);
    const std::vector<OrderAnswer> answers = orders_between(reader, questions);
    ASSERT_EQ(answers.size(), questions.size());
    for (size_t i = 0; i < answers.size(); i += 1 + answers.size() / 20) {
      const OrderAnswer alone = answer_for(trace, questions[i].first, questions[i].second);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", events " + std::to_string(questions[i].first) + " and " +
                   std::to_string(questions[i].second));
      EXPECT_EQ(answers[i].ordered, alone.ordered);
      ASSERT_EQ(answers[i].chain.size(), alone.chain.size());
      if (!alone.chain.empty()) {
        EXPECT_EQ(answers[i].chain.front().from, alone.chain.front().from);
        EXPECT_EQ(answers[i].chain.back().to, alone.chain.back().to);
      }
      ++asked;
    }
  }
  EXPECT_GT(asked, 200u);
}

TEST(OrderChain, NamesTheEdgesThroughOtherThreads) {
  const TestTrace trace = parse_trace(
      "T0|fork(T1) T0|fork(T2) T0|w(x) T0|acq(m) T0|rel(m) T1|acq(m) T1|rel(m) T1|post(s) T2|swait(s) T2|r(x)");
  const OrderAnswer answer = answer_for(trace, 2, 9);
  ASSERT_TRUE(answer.ordered);
  ASSERT_EQ(answer.chain.size(), 2u);
  EXPECT_EQ(answer.chain[0].from, 4u);
  EXPECT_EQ(answer.chain[0].to, 5u);
  EXPECT_EQ(answer.chain[1].from, 7u);
  EXPECT_EQ(answer.chain[1].to, 8u);
}

TEST(OrderChain, TellsWhereUnorderedThreadsLastMet) {
  const TestTrace trace = parse_trace("T0|acq(m) T0|rel(m) T0|fork(T1) T1|begin T1|acq(m) T1|rel(m) T0|w(x) T1|r(x)");
  const OrderAnswer answer = answer_for(trace, 6, 7);
  EXPECT_FALSE(answer.ordered);
  ASSERT_EQ(answer.chain.size(), 1u);
  EXPECT_EQ(answer.chain[0].from, 2u);
  EXPECT_EQ(answer.chain[0].to, 3u);
}

}  // namespace
}  // namespace deadheat::test
