#include "event/text_trace.h"

#include <gtest/gtest.h>

#include <set>

#include "support/trace_files.h"

namespace deadheat::test {
namespace {

ReadTrace read_text(std::string_view contents, bool lenient = false) {
  const TemporaryFolder folder;
  ReadTrace trace = read_all(folder.write("t.std", contents), lenient);
  // The folder's name differs from run to run.
  const std::string prefix = folder.path("");
  if (trace.error.starts_with(prefix)) trace.error = trace.error.substr(prefix.size());
  for (std::string& position : trace.positions)
    if (position.starts_with(prefix)) position = position.substr(prefix.size());
  return trace;
}

struct Line {
  std::string_view in;
  std::string_view out;  // as it is written again
  EventKind kind;
};

// Every kind, and every liberty of the notation.
constexpr Line kLines[] = {
    {"T|nop", "-|nop", EventKind::kNothing},
    {"T|r(x)|1", "T|r(x)|1", EventKind::kRead},
    {"T|r(x)", "T|r(x)", EventKind::kRead},
    {"T|r(x)|", "T|r(x)", EventKind::kRead},
    {"T|r(x)|a b:c.d(7)", "T|r(x)|a b:c.d(7)", EventKind::kRead},
    {"T|r(0x10:8)", "T|r(0x10:8)", EventKind::kRead},
    {"T|r(0x00Ff:08)", "T|r(0xff:8)", EventKind::kRead},
    {"T|r(0xffffffffffffffff:1)", "T|r(0xffffffffffffffff:1)", EventKind::kRead},
    {"T|r(0x10)", "T|r(0x10)", EventKind::kRead},
    {"T|r(0xg:1)", "T|r(0xg:1)", EventKind::kRead},
    {"T|r(a(b)c))", "T|r(a(b)c))", EventKind::kRead},
    {"T|r((x)", "T|r((x)", EventKind::kRead},
    {"T|r(a,b)", "T|r(a,b)", EventKind::kRead},
    {"thread one|r(\xc3\xa9 \t)", "thread one|r(\xc3\xa9 \t)", EventKind::kRead},
    {"T|w(A[7])|42", "T|w(A[7])|42", EventKind::kWrite},
    {"T|vr(v)", "T|vr(v)", EventKind::kVolatileRead},
    {"T|vw(v)", "T|vw(v)", EventKind::kVolatileWrite},
    {"T|ld(x,relaxed)", "T|ld(x,relaxed)", EventKind::kAtomicLoad},
    {"T|ld(a,b,rlx)", "T|ld(a,b,relaxed)", EventKind::kAtomicLoad},
    {"T|ld(x,con)", "T|ld(x,consume)", EventKind::kAtomicLoad},
    {"T|ld(0x8:4,acq)", "T|ld(0x8:4,acquire)", EventKind::kAtomicLoad},
    {"T|st(x,rel)", "T|st(x,release)", EventKind::kAtomicStore},
    {"T|rmw(x,ar)", "T|rmw(x,acq_rel)", EventKind::kAtomicRmw},
    {"T|rmw(x,sc)", "T|rmw(x,seq_cst)", EventKind::kAtomicRmw},
    {"T|cas(x,acq_rel,ok)", "T|cas(x,acq_rel,ok)", EventKind::kCasOk},
    {"T|cas(x,y,acquire,fail)", "T|cas(x,y,acquire,fail)", EventKind::kCasFail},
    {"T|acq(L)", "T|acq(L)", EventKind::kAcquire},
    {"T|rel(L)", "T|rel(L)", EventKind::kRelease},
    {"T|racq(L)", "T|racq(L)", EventKind::kReadAcquire},
    {"T|rrel(L)", "T|rrel(L)", EventKind::kReadRelease},
    {"T|fork(U)", "T|fork(U)", EventKind::kFork},
    {"T|join(U)", "T|join(U)", EventKind::kJoin},
    {"T|begin", "T|begin", EventKind::kBegin},
    {"T|begin()", "T|begin", EventKind::kBegin},
    {"T|begin(T)|3", "T|begin|3", EventKind::kBegin},
    {"T|end(0)", "T|end", EventKind::kEnd},
    {"T|fence(seq_cst)", "T|fence(seq_cst)", EventKind::kFence},
    {"T|wait(C)", "T|wait(C)", EventKind::kWait},
    {"T|notify(C)", "T|notify(C)", EventKind::kNotify},
    {"T|benter(B)", "T|benter(B)", EventKind::kBarrierEnter},
    {"T|gone(U)", "T|gone(U)", EventKind::kSeenEnded},
    {"T|bleave(B)", "T|bleave(B)", EventKind::kBarrierLeave},
    {"T|post(S)", "T|post(S)", EventKind::kPost},
    {"T|swait(S)", "T|swait(S)", EventKind::kSemaphoreWait},
    {"T|snd(M)", "T|snd(M)", EventKind::kSend},
    {"T|rcv(M)", "T|rcv(M)", EventKind::kReceive},
    {"T|alloc(A,64)", "T|alloc(A,64)", EventKind::kAlloc},
    {"T|alloc(a,b,0)", "T|alloc(a,b,0)", EventKind::kAlloc},
    {"T|alloc(0x100,64)", "T|alloc(0x100,64)", EventKind::kAlloc},
    {"T|free(A)", "T|free(A)", EventKind::kFree},
    {"T|free(0x100)", "T|free(0x100)", EventKind::kFree},
};

TEST(TextTrace, ReadsAndWritesEveryLine) {
  for (const Line& line : kLines) {
    const ReadTrace trace = read_text(line.in);
    ASSERT_EQ(trace.error, "") << line.in;
    ASSERT_EQ(trace.events.size(), 1u) << line.in;
    EXPECT_EQ(trace.events[0].kind, line.kind) << line.in;
    EXPECT_EQ(trace.text, std::string(line.out) + "\n") << line.in;
    EXPECT_EQ(read_text(trace.text).text, trace.text) << line.in;
  }
}

TEST(TextTrace, TheTableHasALineForEveryKind) {
  std::set<EventKind> kinds;
  for (const Line& line : kLines) kinds.insert(line.kind);
  EXPECT_EQ(kinds.size(), kEventKindCount);
}

TEST(TextTrace, OperandsBecomeWhatTheyMean) {
  const ReadTrace trace = read_text("T|r(0x10:8)\nT|alloc(0x100,64)\nT|alloc(A,9)\nT|cas(x,acquire,fail)\nT|fork(U)\n");
  ASSERT_EQ(trace.events.size(), 5u);
  EXPECT_EQ(trace.events[0], (Event{0x10, 8, ThreadId{0}, kNoLocation, EventKind::kRead, {}, true}));
  EXPECT_EQ(trace.events[1], (Event{0x100, 64, ThreadId{0}, kNoLocation, EventKind::kAlloc, {}, true}));
  EXPECT_EQ(trace.events[2], (Event{0, 9, ThreadId{0}, kNoLocation, EventKind::kAlloc, {}, false}));
  EXPECT_EQ(trace.events[3],
            (Event{0, 0, ThreadId{0}, kNoLocation, EventKind::kCasFail, MemoryOrder::kAcquire, false}));
  EXPECT_EQ(trace.events[4], (Event{1, 0, ThreadId{0}, kNoLocation, EventKind::kFork, {}, false}));
}

TEST(TextTrace, VariablesKnowTheirObjects) {
  const ReadTrace trace = read_text("T|r(A[7])\nT|r(x)\nT|w(A[8])\nT|r(A.f)\nT|r(A[7])\nT|st(B[x],relaxed)\n");
  const ObjectId A{0}, x{1}, B{2};
  constexpr uint64_t kNone = VariableInfo::kNotAnElement;
  EXPECT_EQ(trace.variables, (std::vector<VariableInfo>{{A, 7}, {x, kNone}, {A, 8}, {A, kNone}, {B, kNone}}));
}

TEST(TextTrace, CommentsAndBlankLinesAreNoEvents) {
  const ReadTrace trace = read_text("\xEF\xBB\xBF# comment\r\n\r\nT|r(x)|1\r\n  \t\n#T|w(x)\nT|w(x)|2");
  EXPECT_EQ(trace.error, "");
  EXPECT_EQ(trace.text, "T|r(x)|1\nT|w(x)|2\n");
  EXPECT_EQ(trace.numbers, (std::vector<uint64_t>{0, 1}));
  EXPECT_EQ(trace.positions, (std::vector<std::string>{"t.std:3", "t.std:6"}));
}

TEST(TextTrace, AnEmptyFileIsAnEmptyTrace) {
  const ReadTrace trace = read_text("");
  EXPECT_EQ(trace.error, "");
  EXPECT_TRUE(trace.events.empty());
  EXPECT_FALSE(trace.losses.truncated);
}

struct BadLine {
  std::string_view line;
  std::string_view error;  // what the message must contain
};

constexpr BadLine kBadLines[] = {
    {"T", "expected THREAD|OPERATION|LOCATION, found 'T'"},
    {"|r(x)", "'' cannot be the name of a thread"},
    {"T|r(x)|1|2", "expected three fields THREAD|OPERATION|LOCATION, found more"},
    {"T|", "unknown operation ''"},
    {"T|(x)", "unknown operation '(x)'"},
    {"T|read(x)", "unknown operation 'read(x)'; expected one of nop r w"},
    {"T|R(x)", "unknown operation 'R(x)'"},
    {"T|overlongname(x)", "unknown operation 'overlongname(x)'"},
    {"T|r", "'r' needs an operand; expected r(VARIABLE)"},
    {"T|r()", "the operand is empty; expected r(VARIABLE)"},
    {"T|r(x", "no closing parenthesis at the end of 'r(x'; expected r(VARIABLE)"},
    {"T|r(x)y", "no closing parenthesis"},
    {"T|r(x) |1", "no closing parenthesis"},
    {"T|begin(x", "no closing parenthesis"},
    {"T|r(a\x01"
     "b)",
     "'a\\x01b' cannot be a name here; expected r(VARIABLE)"},
    {"T|fork(#T)", "'#T' cannot be a name here; expected fork(THREAD)"},
    {"T\x02|r(x)", "'T\\x02' cannot be the name of a thread"},
    {"T|r(x)|a\x7f\x03", "cannot be a location"},
    {"T|r(0x10:)", "needs a size of at least one byte"},
    {"T|r(0x10:0)", "needs a size of at least one byte"},
    {"T|r(0x10:8x)", "needs a size of at least one byte"},
    {"T|r(0x10:99999999999999999999)", "needs a size of at least one byte"},
    {"T|r(0xffffffffffffffff:2)", "goes beyond the end of memory"},
    {"T|r(0x12345678123456781:1)", "does not fit in 64 bits"},
    {"T|ld(x)", "the memory order is missing; expected ld(VARIABLE,ORDER)"},
    {"T|ld(x,strong)", "'strong' is no memory order"},
    {"T|ld(,relaxed)", "the operand is empty"},
    {"T|cas(x,acquire)", "a compare-exchange ends in ',ok' or ',fail'; expected cas(VARIABLE,ORDER,ok|fail)"},
    {"T|cas(x,ok)", "the memory order is missing"},
    {"T|fence", "'fence' needs an operand; expected fence(ORDER)"},
    {"T|fence()", "'' is no memory order"},
    {"T|alloc(A)", "the size is missing; expected alloc(OBJECT,SIZE)"},
    {"T|alloc(A,x)", "'x' is no size"},
    {"T|alloc(A,-1)", "'-1' is no size"},
    {"T|alloc(A,99999999999999999999)", "is no size"},
    {"T|alloc(0xffffffffffffff00,257)", "goes beyond the end of memory"},
    {"T|free(0x12345678123456781)", "does not fit in 64 bits"},
};

TEST(TextTrace, EveryBadLineIsSaidInOneLine) {
  for (const BadLine& bad : kBadLines) {
    const ReadTrace trace = read_text("T|r(x)\n" + std::string(bad.line) + "\nT|w(y)\n");
    EXPECT_TRUE(trace.error.starts_with("t.std:2: ")) << bad.line << ": " << trace.error;
    EXPECT_NE(trace.error.find(bad.error), std::string::npos) << bad.line << ": " << trace.error;
    EXPECT_EQ(trace.error.find('\n'), std::string::npos);
    EXPECT_EQ(trace.text, "T|r(x)\n") << "what stands before the error is handed out first";
  }
}

TEST(TextTrace, LenientKeepsTheNumbersOfTheFile) {
  for (const BadLine& bad : kBadLines) {
    const ReadTrace trace = read_text("T|r(x)\n" + std::string(bad.line) + "\nT|w(y)\n", true);
    EXPECT_EQ(trace.error, "") << bad.line;
    EXPECT_EQ(trace.losses.skipped_lines, 1u);
    EXPECT_EQ(trace.text, "T|r(x)\n-|nop\nT|w(y)\n") << bad.line;
    EXPECT_EQ(trace.events.at(1), Event{}) << bad.line;
    EXPECT_EQ(trace.variables.size(), 2u) << "a malformed line adds no names: " << bad.line;
  }
}

TEST(TextTrace, LinesMayBeLongButNotEndless) {
  const std::string long_name(1000000, 'x');
  EXPECT_EQ(read_text("T|r(" + long_name + ")\nT|w(y)\n").text, "T|r(" + long_name + ")\nT|w(y)\n");
  const std::string endless = "T|r(" + std::string(5000000, 'x') + ")\nT|w(y)\n";
  EXPECT_EQ(read_text(endless).error, "t.std:1: the line is longer than 1048576 bytes");
  const ReadTrace lenient = read_text(endless, true);
  EXPECT_EQ(lenient.text, "-|nop\nT|w(y)\n");
  EXPECT_EQ(lenient.positions.at(1), "t.std:2");
  EXPECT_EQ(read_text("#" + endless).text, "T|w(y)\n");
}

TEST(TextTrace, LongFilesComeInBatchesThatJoin) {
  std::string contents;
  for (int i = 0; i < 150000; ++i)
    contents +=
        "T" + std::to_string(i % 7) + "|w(V" + std::to_string(i % 20011) + ")|" + std::to_string(i % 100) + "\n";
  const ReadTrace trace = read_text(contents);
  EXPECT_EQ(trace.text, contents);
  EXPECT_EQ(trace.variables.size(), 20011u);
  for (size_t i = 0; i < trace.numbers.size(); ++i) ASSERT_EQ(trace.numbers[i], i);
}

TEST(TextTrace, AMissingFileOrADirectoryIsSaid) {
  EXPECT_EQ(read_all("/no/such/file").error, "/no/such/file: cannot be opened: No such file or directory");
  EXPECT_EQ(read_all("/").error, "/: is a directory; expected a trace file");
}

}  // namespace
}  // namespace deadheat::test
