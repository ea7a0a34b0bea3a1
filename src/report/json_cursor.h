// Reads one JSON text from front to back, without a tree in memory.
//
// Use      The caller asks for what it expects; anything else sets the error, after which all answers are empty. Keys
//          and texts without escapes are views of the text that is read.
// Promises Never reads beyond the text. Nesting is limited, so that hostile texts cannot exhaust the stack.
// Tested by test/unit/record_test.cpp
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace deadheat {

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : at_(text.data()), end_(text.data() + text.size()) {}

  bool failed() const { return failed_; }
  // Nothing but blanks is left.
  bool at_end() {
    skip_blanks();
    return at_ == end_;
  }

  // Calls `on_key(key)` for each member of an object; it must read the value.
  template <class OnKey>
  void object(OnKey on_key) {
    if (!enter('{')) return;
    if (!leaves_at_once('}')) do {
        const std::string_view key = text();
        if (!expect(':')) break;
        on_key(key);
      } while (goes_on('}'));
    --depth_;
  }
  // Calls `on_element()` for each; it must read the element.
  template <class OnElement>
  void array(OnElement on_element) {
    if (!enter('[')) return;
    if (!leaves_at_once(']')) do
        on_element();
      while (goes_on(']'));
    --depth_;
  }

  // Of a text with escapes the view lasts until the next one is read.
  std::string_view text();
  std::string_view text_or_null();  // empty for null
  uint64_t number();                // a whole number that is not negative
  int64_t signed_number();
  bool boolean();
  bool is_text();  // whether the next value is one
  void skip();     // any value
  // Any value as it is written.
  std::string_view raw();

 private:
  static constexpr int kDeepest = 64;

  void fail() {
    failed_ = true;
    at_ = end_;
  }
  void skip_blanks() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\n' || *at_ == '\r')) ++at_;
  }
  bool enter(char open);
  bool expect(char c);
  bool leaves_at_once(char close);
  bool goes_on(char close);
  bool word(std::string_view word);
  void decode(const char* from);
  bool escape(std::string& out);

  const char* at_;
  const char* end_;
  std::string decoded_;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace deadheat
