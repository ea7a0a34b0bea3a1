#include "symbolize/protocol.h"

#include <charconv>

namespace deadheat::symbolize {
namespace {

void skip_blanks(std::string_view& text) {
  while (!text.empty() && (text[0] == ' ' || text[0] == '\t')) text.remove_prefix(1);
}

std::string_view take_word(std::string_view& text) {
  skip_blanks(text);
  const std::string_view word = text.substr(0, text.find_first_of(" \t"));
  text.remove_prefix(word.size());
  return word;
}

std::optional<std::string> take_path(std::string_view& text) {
  skip_blanks(text);
  if (text.empty() || text[0] != '"') return std::string(take_word(text));
  std::string path;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return path;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    path += text[i];
  }
  return std::nullopt;
}

std::optional<uint64_t> take_number(std::string_view& text) {
  std::string_view word = take_word(text);
  const bool is_hex = word.starts_with("0x") || word.starts_with("0X");
  if (is_hex) word.remove_prefix(2);
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number, is_hex ? 16 : 10);
  if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<Request> parse_request(std::string_view line) {
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.remove_suffix(1);
  Request request;
  const std::string_view kind = take_word(line);
  if (kind == "DATA")
    request.kind = Request::Kind::kData;
  else if (kind == "STACK")
    request.kind = Request::Kind::kStack;
  else if (kind != "CODE")
    return std::nullopt;
  const std::optional<std::string> module = take_path(line);
  const std::optional<uint64_t> offset = take_number(line);
  if (!module || module->empty() || !offset) return std::nullopt;
  request.module = *module;
  request.offset = *offset;
  if (request.kind == Request::Kind::kStack) {
    StackBytes& stack = request.stack;
    for (uint64_t* value :
         {&stack.address, &stack.bytes, &stack.stack_pointer, &stack.frame_end, &stack.lowest_return}) {
      const std::optional<uint64_t> number = take_number(line);
      if (!number) return std::nullopt;
      *value = *number;
    }
  }
  request.build_id = take_word(line);
  skip_blanks(line);
  if (!line.empty()) return std::nullopt;
  return request;
}

std::string format_answer(const std::vector<Frame>& frames) {
  if (frames.empty()) return "??\n??:0:0\n\n";
  std::string text;
  for (const Frame& frame : frames) {
    text += (frame.function.empty() ? "??" : frame.function) + "\n";
    text += (frame.file.empty() ? "??" : frame.file) + ":" + std::to_string(frame.line) + ":" +
            std::to_string(frame.column) + "\n";
  }
  return text + "\n";
}

std::string format_answer(const std::optional<Variable>& variable) {
  if (!variable) return "??\n0 0\n\n";
  return variable->name + "\n" + std::to_string(variable->start) + " " + std::to_string(variable->size) + "\n\n";
}

std::string format_answer(const std::optional<StackVariable>& variable) {
  if (!variable) return "\n";
  if (variable->name.empty()) return "??\n??:0:0\n0 0 0\n\n";
  return variable->name + "\n" + (variable->file.empty() ? "??" : variable->file) + ":" +
         std::to_string(variable->line) + ":0\n" + std::to_string(variable->begin) + " " +
         std::to_string(variable->size) + " " + std::to_string(variable->inlined) + "\n\n";
}

}  // namespace deadheat::symbolize
