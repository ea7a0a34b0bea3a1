#include "event/names_block.h"

#include <algorithm>
#include <vector>

#include "event/binary_format.h"
#include "event/text_notation.h"

namespace deadheat {

namespace {

// The number of a table in the file is its position here.
template <class Visitor>
void for_each_table(auto& names, Visitor&& visit) {
  // The object of a variable may be called `0x10`, but cannot be allocated by that name: the event decoder sees to it.
  visit(0, names.objects, Operand::kNone);
  visit(1, names.variables, Operand::kVariable);
  visit(2, names.threads, Operand::kThread);
  visit(3, names.locks, Operand::kLock);
  visit(4, names.messages, Operand::kMessage);
  visit(5, names.barriers, Operand::kBarrier);
  visit(6, names.semaphores, Operand::kSemaphore);
  visit(7, names.conditions, Operand::kCondition);
  visit(8, names.locations, Operand::kNone);
}

}  // namespace

uint32_t NamesBlockEncoder::encode(const Names& names, size_t most_bytes, std::string& out) {
  uint32_t total = 0;
  std::string bytes;
  const auto write_table = [&]<class Id>(size_t number, const NameTable<Id>& table, Operand) {
    const size_t first = written_[number];
    size_t next = first;
    bytes.clear();
    while (next < table.size() && out.size() + bytes.size() < most_bytes) {
      const std::string_view name = table[static_cast<Id>(next++)];
      append_varint(bytes, name.size());
      bytes += name;
    }
    if (next == first) return;
    out += static_cast<char>(number);
    append_varint(out, first);
    append_varint(out, next - first);
    out += bytes;
    written_[number] = next;
    total += static_cast<uint32_t>(next - first);
  };
  for_each_table(names, write_table);
  return total;
}

const char* decode_names(std::string_view payload, uint32_t count, Names& names) {
  PayloadCursor cursor(payload);
  uint64_t total = 0;
  std::vector<std::string_view> list;
  while (!cursor.rest().empty()) {
    const uint8_t wanted = cursor.byte();
    const uint64_t first = cursor.varint();
    const uint64_t in_table = cursor.varint();
    if (!cursor.ok()) return "its names are cut short";
    if (wanted >= kNameTables) return "it has a table of an unknown kind";
    list.clear();
    for (uint64_t i = 0; i < in_table && cursor.ok(); ++i) list.push_back(cursor.take(cursor.varint()));
    if (!cursor.ok()) return "its names are cut short";
    total += in_table;
    const char* wrong = nullptr;
    for_each_table(names, [&]<class Id>(size_t number, NameTable<Id>& table, Operand operand) {
      if (number != wanted) return;
      const auto is_valid = [operand](std::string_view name) { return is_valid_name(operand, name); };
      if (first != table.size()) {
        wrong = "its names do not go on where the last ones ended";
      } else if (!std::all_of(list.begin(), list.end(), is_valid)) {
        wrong = "it has an impossible name";
      } else {
        bool all_new = false;
        if constexpr (std::is_same_v<Id, VariableId>)
          all_new = names.append_variables(list);
        else
          all_new = table.append(list);
        if (!all_new) wrong = "it has a name twice";
      }
    });
    if (wrong != nullptr) return wrong;
  }
  return total == count ? nullptr : "its number of names is wrong";
}

}  // namespace deadheat
