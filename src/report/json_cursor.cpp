#include "report/json_cursor.h"

namespace deadheat {

bool JsonCursor::enter(char open) {
  if (!expect(open)) return false;
  if (++depth_ <= kDeepest) return true;
  fail();
  return false;
}

bool JsonCursor::expect(char c) {
  skip_blanks();
  if (at_ == end_ || *at_ != c) {
    fail();
    return false;
  }
  ++at_;
  return true;
}

bool JsonCursor::leaves_at_once(char close) {
  skip_blanks();
  if (at_ == end_ || *at_ != close) return false;
  ++at_;
  return true;
}

bool JsonCursor::goes_on(char close) {
  skip_blanks();
  if (at_ == end_ || (*at_ != ',' && *at_ != close)) {
    fail();
    return false;
  }
  return *at_++ == ',';
}

bool JsonCursor::word(std::string_view word) {
  skip_blanks();
  if (static_cast<size_t>(end_ - at_) < word.size() || std::string_view(at_, word.size()) != word) return false;
  at_ += word.size();
  return true;
}

bool JsonCursor::is_text() {
  skip_blanks();
  return at_ != end_ && *at_ == '"';
}

std::string_view JsonCursor::text() {
  if (!expect('"')) return {};
  const char* const begin = at_;
  for (; at_ != end_; ++at_) {
    const auto c = static_cast<unsigned char>(*at_);
    if (c == '"') return {begin, static_cast<size_t>(at_++ - begin)};
    if (c == '\\') {
      decode(begin);
      return failed_ ? std::string_view{} : decoded_;
    }
    if (c < 0x20) break;
  }
  fail();
  return {};
}

namespace {

int hex_digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  } else {
    out += static_cast<char>(0xf0 | c >> 18);
    out += static_cast<char>(0x80 | (c >> 12 & 0x3f));
    out += static_cast<char>(0x80 | (c >> 6 & 0x3f));
    out += static_cast<char>(0x80 | (c & 0x3f));
  }
}

}  // namespace

// `at_` is behind a backslash. False if that is no escape.
bool JsonCursor::escape(std::string& out) {
  const auto unit = [this]() -> int {
    if (end_ - at_ < 4) return -1;
    int value = 0;
    for (int i = 0; i < 4; ++i) {
      const int digit = hex_digit(at_[i]);
      if (digit < 0) return -1;
      value = value << 4 | digit;
    }
    at_ += 4;
    return value;
  };
  if (at_ == end_) return false;
  const char c = *at_++;
  constexpr std::string_view kShort = "\"\\/bfnrt", kMeaning = "\"\\/\b\f\n\r\t";
  if (const size_t which = kShort.find(c); which != std::string_view::npos) {
    out += kMeaning[which];
    return true;
  }
  if (c != 'u') return false;
  const int first = unit();
  if (first < 0) return false;
  auto code = static_cast<uint32_t>(first);
  if (code >= 0xd800 && code < 0xe000) {  // half of a pair
    const char* const after = at_;
    int second = -1;
    if (code < 0xdc00 && end_ - at_ >= 6 && at_[0] == '\\' && at_[1] == 'u') {
      at_ += 2;
      second = unit();
    }
    if (second >= 0xdc00 && second < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (static_cast<uint32_t>(second) - 0xdc00);
    } else {
      at_ = after;
      code = 0xfffd;
    }
  }
  append_utf8(out, code);
  return true;
}

void JsonCursor::decode(const char* from) {
  decoded_.assign(from, at_);
  while (at_ != end_) {
    const char c = *at_++;
    if (c == '"') return;
    if (static_cast<unsigned char>(c) < 0x20 || (c == '\\' && !escape(decoded_))) break;
    if (c != '\\') decoded_ += c;
  }
  fail();
}

std::string_view JsonCursor::text_or_null() { return word("null") ? std::string_view{} : text(); }

uint64_t JsonCursor::number() {
  skip_blanks();
  uint64_t value = 0;
  const char* const begin = at_;
  for (; at_ != end_ && *at_ >= '0' && *at_ <= '9'; ++at_) {
    const uint64_t digit = static_cast<uint64_t>(*at_ - '0');
    if (value > (UINT64_MAX - digit) / 10) {
      fail();
      return 0;
    }
    value = value * 10 + digit;
  }
  if (at_ == begin) fail();
  return failed_ ? 0 : value;
}

int64_t JsonCursor::signed_number() {
  skip_blanks();
  const bool negative = at_ != end_ && *at_ == '-';
  if (negative) ++at_;
  const uint64_t value = number();
  if (value > INT64_MAX) fail();
  if (failed_) return 0;
  return negative ? -static_cast<int64_t>(value) : static_cast<int64_t>(value);
}

bool JsonCursor::boolean() {
  if (word("true")) return true;
  if (!word("false")) fail();
  return false;
}

void JsonCursor::skip() {
  skip_blanks();
  if (at_ == end_) return fail();
  switch (*at_) {
    case '{':
      return object([this](std::string_view) { skip(); });
    case '[':
      return array([this] { skip(); });
    case '"':
      text();
      return;
    default:
      break;
  }
  if (word("null") || word("true") || word("false")) return;
  const char* const begin = at_;
  while (at_ != end_ &&
         ((*at_ >= '0' && *at_ <= '9') || *at_ == '-' || *at_ == '+' || *at_ == '.' || *at_ == 'e' || *at_ == 'E'))
    ++at_;
  if (at_ == begin) fail();
}

std::string_view JsonCursor::raw() {
  skip_blanks();
  const char* const begin = at_;
  // Brackets are counted; what is between them is checked by whoever reads the value itself.
  if (at_ != end_ && (*at_ == '[' || *at_ == '{')) {
    int open = 0;
    bool in_text = false;
    for (; at_ != end_; ++at_) {
      const char c = *at_;
      if (in_text) {
        if (c == '\\' && ++at_ == end_) break;
        if (c == '"') in_text = false;
      } else if (c == '"') {
        in_text = true;
      } else if (c == '[' || c == '{') {
        ++open;
      } else if ((c == ']' || c == '}') && --open == 0) {
        ++at_;
        return {begin, static_cast<size_t>(at_ - begin)};
      }
    }
    fail();
    return {};
  }
  skip();
  return failed_ ? std::string_view{} : std::string_view(begin, static_cast<size_t>(at_ - begin));
}

}  // namespace deadheat
