// Errors of the command line in words: what was wrong, what was probably meant, where help is.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace deadheat::cli {

// The candidate that differs from `word` by the fewest typing mistakes; empty if none is near enough to be meant.
std::string nearest(std::string_view word, std::span<const std::string> candidates);

// "; did you mean 'analyze'?", or nothing.
std::string suggestion(std::string_view word, std::span<const std::string> candidates);

// One line without a newline for an error that `app.parse` threw.
std::string explain(const CLI::ParseError& error, const CLI::App& app);

}  // namespace deadheat::cli
