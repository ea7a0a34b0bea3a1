// Options whose value is one word of a short list, or a number within limits.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace deadheat::cli {

// `words` are the values of the enumeration (or false and true) in their order; `value` holds the default.
template <class T>
CLI::Option* add_choice(CLI::App& command, const std::string& name, T& value,
                        const std::vector<std::string_view>& words, const std::string& description) {
  const std::vector<std::string> list(words.begin(), words.end());
  const std::string& preset = list[static_cast<size_t>(value)];
  return command
      .add_option_function<std::string>(
          name,
          [&value, list](const std::string& word) {
            value = static_cast<T>(std::find(list.begin(), list.end(), word) - list.begin());
          },
          fmt::format("{} [{}]", description, preset))
      ->check([list](const std::string& word) {
        const bool is_known = std::find(list.begin(), list.end(), word) != list.end();
        return is_known ? std::string{} : fmt::format("'{}' is none of {}", word, fmt::join(list, ", "));
      })
      ->option_text(fmt::format("{}", fmt::join(list, "|")));
}

// `value` holds the default.
template <class T>
CLI::Option* add_number(CLI::App& command, const std::string& name, T& value, T least, T most,
                        const std::string& description) {
  return command.add_option(name, value, fmt::format("{} [{}]", description, value))
      ->check(CLI::Range(least, most).description(""))
      ->option_text("N");
}

}  // namespace deadheat::cli
