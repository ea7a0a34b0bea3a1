// A search index over generated documents: built once, then queried by many threads that share nothing but the index.
// After lusearch of the DaCapo suite, as used by ReX and SlimState
//
// Planted, after RaceTrack's category H (unlocked lazy initialisation): with --race the weights of the documents are computed by
// whoever needs them first, without a lock. Otherwise std::call_once sees to that.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <unordered_map>

#include "program.h"

namespace {

constexpr int kWordsOfDocument = 40;
constexpr int kVocabulary = 300;

// Word number k of document d; the frequencies differ a lot, as in a language.
int word_of(int document, int k) {
  program::Random random(static_cast<uint64_t>(document) * kWordsOfDocument + static_cast<uint64_t>(k));
  const double x = random.unit();
  return static_cast<int>(kVocabulary * x * x);
}

class Index {
 public:
  struct Posting {
    int document = 0;
    int count = 0;
  };

  Index(int documents, bool race) : documents_(documents), race_(race), weights_(static_cast<std::size_t>(documents)) {
    for (int d = 0; d < documents; ++d) {
      for (int k = 0; k < kWordsOfDocument; ++k) {
        std::vector<Posting>& postings = words_["word" + std::to_string(word_of(d, k))];
        if (postings.empty() || postings.back().document != d) postings.push_back({d, 0});
        ++postings.back().count;
      }
    }
  }

  // The documents that have both words, best first.
  std::vector<int> query(const std::string& one, const std::string& other) {
    need_weights();
    const auto first = words_.find(one), second = words_.find(other);
    std::vector<std::pair<double, int>> found;
    if (first == words_.end() || second == words_.end()) return {};
    auto i = first->second.begin(), j = second->second.begin();
    while (i != first->second.end() && j != second->second.end()) {
      if (i->document == j->document) {
        found.emplace_back((i->count + j->count) * weight(i->document), i->document);
        ++i;
        ++j;
      } else {
        ++(i->document < j->document ? i : j);
      }
    }
    std::ranges::sort(found, std::greater());
    std::vector<int> documents;
    for (const auto& [score, document] : found) documents.push_back(document);
    return documents;
  }

 private:
  OWN_LINES double weight(int document) const {
    return weights_[document];  // race lazy
  }
  OWN_LINES void compute_weights() {
    for (int d = 0; d < documents_; ++d) weights_[d] = 1 / std::sqrt(1.0 + d % 17);  // race lazy
  }
  OWN_LINES void need_weights() {
    if (!race_) return std::call_once(once_, [this] { compute_weights(); });
    if (weighted_) return;  // race lazy
    compute_weights();
    weighted_ = true;  // race lazy
  }

  const int documents_;
  const bool race_;
  std::unordered_map<std::string, std::vector<Posting>> words_;
  std::once_flag once_;
  std::vector<double> weights_;
  bool weighted_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  const program::Arguments given = program::arguments("search", argc, argv);
  const int documents = std::min(60 + 20 * given.size, 2000);
  const int queries = std::max(100 * given.size * 200 / documents, given.threads);
  Index index(documents, given.race);
  std::vector<std::size_t> found(static_cast<std::size_t>(queries));
  const auto words = [](int q) { return std::pair(word_of(q, 1), word_of(q, 2)); };
  program::run_threads(given.threads, [&](int me) {
    for (int q = me; q < queries; q += given.threads) {
      const auto [one, other] = words(q);
      found[q] = index.query("word" + std::to_string(one), "word" + std::to_string(other)).size();
    }
  });

  // A sample of the queries by reading the documents themselves.
  bool right = true;
  for (int q = 0; q < queries; q += queries / 3 + 1) {
    const auto [one, other] = words(q);
    std::size_t expected = 0;
    for (int d = 0; d < documents; ++d) {
      bool has_one = false, has_other = false;
      for (int k = 0; k < kWordsOfDocument; ++k) {
        const int word = word_of(d, k);
        has_one = has_one || word == one;
        has_other = has_other || word == other;
      }
      expected += has_one && has_other;
    }
    right = right && found[q] == expected;
  }
  return program::verdict("search", given, right);
}
