// deadheat-symbolizer: answers questions about places in modules until its input ends. See symbolize/protocol.h.
//
// It lives outside the watched program, so that neither elfutils nor the memory it takes can disturb that program, and
// keeps every module that it was asked about open. Arguments are ignored: programs that expect another symbolizer pass
// that one's.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "symbolize/module.h"
#include "symbolize/protocol.h"

namespace deadheat::symbolize {
namespace {

std::string answer(const Request& request) {
  static std::map<std::string, Module> modules;
  Module& module = modules.try_emplace(request.module, request.module).first->second;
  const bool is_that_one = request.build_id.empty() || request.build_id == module.build_id();
  if (request.kind == Request::Kind::kData)
    return format_answer(is_that_one ? module.data(request.offset) : std::nullopt);
  if (request.kind == Request::Kind::kStack)
    return format_answer(is_that_one ? module.stack(request.offset, request.stack) : std::nullopt);
  return format_answer(is_that_one ? module.code(request.offset) : std::vector<Frame>{});
}

int run() {
  char* line = nullptr;
  size_t capacity = 0;
  for (ssize_t length; (length = getline(&line, &capacity, stdin)) >= 0;) {
    const std::optional<Request> request = parse_request({line, static_cast<size_t>(length)});
    const std::string text = request ? answer(*request) : format_answer(std::vector<Frame>{});
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) return 1;
  }
  std::free(line);
  return 0;
}

}  // namespace
}  // namespace deadheat::symbolize

int main() { return deadheat::symbolize::run(); }
