// The choice of the shadow's place, on simulated memory maps of every kind that Linux makes, and on our own.
#include "shadow/layout.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <random>
#include <string>
#include <vector>

namespace deadheat {
namespace {

constexpr uint64_t kTaskSize = 0x7ffffffff000;
constexpr PlaneShape kFourPlanes[] = {{0}, {0}, {0}, {0}};
constexpr PlaneShape kMixedPlanes[] = {{0}, {0}, {0}, {0}, {-2}, {-8}};
// As the live run time has them: W, Older and R of six classes with their origins, and the summaries.
constexpr PlaneShape kLivePlanes[] = {{0}, {0}, {0}, {0}, {0}, {0}, {0}, {0}, {0},
                                      {0}, {0}, {0}, {0}, {0}, {0}, {0}, {-3}};

struct Simulated {
  bool position_independent = true;
  bool legacy = false;  // mappings grow upwards from a third of the address space
  int random_bits = 28;
};

// The kernel's arithmetic (arch/x86/mm/mmap.c, fs/binfmt_elf.c): image, heap, libraries, stack of a small program.
std::vector<AddressRange> simulate(const Simulated& kind, std::mt19937_64& random) {
  const auto pages = [&](int bits) { return bits == 0 ? 0 : (random() & ((uint64_t{1} << bits) - 1)) * kPage; };
  const uint64_t image =
      kind.position_independent ? kTaskSize / 3 * 2 / kPage * kPage + pages(kind.random_bits) : 0x400000;
  const uint64_t image_end = image + 0x50000;
  const uint64_t heap = image_end + (kind.random_bits == 0 ? 0 : pages(13));
  const uint64_t stack_top = kTaskSize - (kind.random_bits == 0 ? 0 : pages(22));
  const uint64_t gap = (8u << 20) + (kind.random_bits == 0 ? 0 : uint64_t{0x3fffff} * kPage) + (1u << 20);
  const uint64_t mmap_top = kind.legacy ? kTaskSize / 3 / kPage * kPage + pages(kind.random_bits) + (64u << 20)
                                        : kTaskSize - gap - pages(kind.random_bits);
  return {{image, image_end},
          {heap, heap + 0x21000},
          {mmap_top - (40u << 20), mmap_top - (30u << 20)},
          {mmap_top - (20u << 20), mmap_top},
          {stack_top - 0x21000, stack_top}};
}

// Every promise of a layout, checked without the code that made it.
void expect_sound(const Layout& layout, std::span<const AddressRange> map, std::span<const PlaneShape> planes) {
  ASSERT_EQ(layout.plane_count, planes.size());
  for (const AddressRange mapping : map) {
    EXPECT_TRUE(layout.covers(mapping.begin));
    EXPECT_TRUE(layout.covers(mapping.end - 1));
  }
  std::vector<AddressRange> covered(layout.zones, layout.zones + layout.zone_count);
  covered.push_back(layout.reservation);
  EXPECT_FALSE(layout.covers(layout.reservation.begin));
  std::vector<AddressRange> all = covered;
  std::vector<AddressRange> exact = covered;  // neighbours in one plane may share a page
  std::vector<size_t> plane_of(covered.size(), planes.size());
  for (size_t p = 0; p < planes.size(); ++p) {
    EXPECT_EQ(layout.log2_scale[p], planes[p].log2_scale);
    EXPECT_EQ(layout.base[p] / kCacheLine % 2, 1u) << "an even number of lines";
    for (size_t q = 0; q < p; ++q) EXPECT_NE(layout.base[p] % kPage, layout.base[q] % kPage);
    for (const AddressRange range : covered) {
      const AddressRange pages = layout.shadow_pages(p, range);
      EXPECT_GE(layout.shadow(p, range.begin), pages.begin);
      EXPECT_LT(layout.shadow(p, range.end - 1), pages.end);
      EXPECT_TRUE(layout.in_one_window(range));
      all.push_back(pages);
      exact.push_back({layout.shadow(p, range.begin), layout.shadow(p, range.end - 1) + 1});
      plane_of.push_back(p);
    }
  }
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_GE(all[i].begin, 0x10000u);
    EXPECT_LE(all[i].end, kTaskSize);
    EXPECT_LT(all[i].begin, all[i].end);
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(plane_of[i] == plane_of[j] ? exact[i].overlaps(exact[j]) : all[i].overlaps(all[j])) << i << " " << j;
  }
}

class LayoutOf : public testing::TestWithParam<Simulated> {};

TEST_P(LayoutOf, TwoThousandSimulatedProcessesAllFit) {
  std::mt19937_64 random(20090615);
  for (int i = 0; i < 2000; ++i) {
    const std::vector<AddressRange> map = simulate(GetParam(), random);
    for (const std::span<const PlaneShape> planes :
         {std::span<const PlaneShape>(kFourPlanes), {kMixedPlanes}, {kLivePlanes}}) {
      LayoutRequest request;
      request.planes = planes;
      request.extra_zone = {0x10000, 4 * kGibibyte};
      request.new_mapping = map[2].begin;
      request.grows_up = GetParam().legacy;
      const std::optional<Layout> layout = choose_layout(map, request);
      ASSERT_TRUE(layout.has_value());
      const bool far_apart = GetParam().random_bits == 32;
      EXPECT_GE(layout->room, request.room / (far_apart ? 4 : 1));
      EXPECT_GE(layout->reservation.size(), 4 * kTebibyte / (far_apart ? 2 : 1) + kGibibyte);
      expect_sound(*layout, map, planes);
      if (HasFailure()) FAIL() << "process " << i;
    }
  }
}

std::string name_of(const testing::TestParamInfo<Simulated>& kind) {
  return std::string(kind.param.position_independent ? "Pie" : "NonPie") + (kind.param.legacy ? "Legacy" : "") +
         std::to_string(kind.param.random_bits) + "Bits";
}

INSTANTIATE_TEST_SUITE_P(All, LayoutOf,
                         testing::Values(Simulated{true, false, 28}, Simulated{true, false, 32},
                                         Simulated{true, false, 0}, Simulated{false, false, 28},
                                         Simulated{false, false, 32}, Simulated{false, false, 0},
                                         Simulated{true, true, 28}, Simulated{true, true, 32}, Simulated{true, true, 0},
                                         Simulated{false, true, 28}, Simulated{false, true, 32}),
                         name_of);

TEST(Layout, IsAPureFunctionOfTheMapWhateverItsOrder) {
  std::mt19937_64 random(1);
  std::vector<AddressRange> map = simulate({}, random);
  LayoutRequest request;
  request.planes = kFourPlanes;
  const std::optional<Layout> one = choose_layout(map, request);
  std::reverse(map.begin(), map.end());
  const std::optional<Layout> two = choose_layout(map, request);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(one->zone_count, two->zone_count);
  EXPECT_EQ(one->reservation, two->reservation);
  for (size_t p = 0; p < 4; ++p) EXPECT_EQ(one->base[p], two->base[p]);
}

// A program that has reserved 1 TiB in the middle before we start leaves less for others.
TEST(Layout, GivesASmallerReservationWhereTheProgramTookTheSpace) {
  std::vector<AddressRange> map = {{0x555555554000, 0x555555600000}, {0x7ffff0000000, 0x7ffff7fff000}};
  LayoutRequest request;
  request.planes = kLivePlanes;
  const std::optional<Layout> before = choose_layout(map, request);
  map.push_back({0x300000000000, 0x300000000000 + kTebibyte});
  const std::optional<Layout> after = choose_layout(map, request);
  ASSERT_TRUE(before && after);
  EXPECT_LT(after->reservation.size(), before->reservation.size());
  expect_sound(*after, map, kLivePlanes);
}

TEST(Layout, SaysSoWhereNothingFits) {
  const std::vector<AddressRange> map = {{0x100000, 0x7f0000000000}};
  LayoutRequest request;
  request.planes = kFourPlanes;
  EXPECT_FALSE(choose_layout(map, request).has_value());
  const std::vector<PlaneShape> too_many(Layout::kMaxPlanes + 1);
  request.planes = too_many;
  EXPECT_FALSE(choose_layout({}, request).has_value());
}

TEST(Layout, MapWithoutCoverIsToldApart) {
  const std::vector<AddressRange> map = {{0x555555554000, 0x555555600000}};
  LayoutRequest request;
  request.planes = kFourPlanes;
  request.room = 64 * kGibibyte;
  request.extra_zone = {0x10000, 4 * kGibibyte};
  const std::optional<Layout> layout = choose_layout(map, request);
  ASSERT_TRUE(layout.has_value());
  EXPECT_TRUE(layout->covers(0x555555554000 - 63 * kGibibyte));
  EXPECT_FALSE(layout->covers(0x555555554000 - 66 * kGibibyte));
  EXPECT_TRUE(layout->covers(0x40000000)) << "what MAP_32BIT gives";
}

TEST(MemoryMap, JoinsWhatTouchesAndLeavesTheRestOfALineForLater) {
  const std::string text =
      "00400000-00401000 r-xp 00000000 08:02 1 /bin/x\n"
      "00401000-00402000 r--p 00000000 08:02 1 /bin/x\n"
      "00500000-00501000 rw-p 00000000 00:00 0\n"
      "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0                  [vsyscall]\n"
      "7f0000000000-7f00";
  std::vector<AddressRange> ranges(8);
  size_t count = 0;
  EXPECT_EQ(parse_memory_map(text, ranges, count), text.rfind('\n') + 1);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(ranges[0], (AddressRange{0x400000, 0x402000}));
  EXPECT_EQ(ranges[1], (AddressRange{0x500000, 0x501000}));
}

TEST(MemoryMap, SaysTooMuchRatherThanTooLittleWhenFull) {
  std::vector<AddressRange> ranges(2);
  size_t count = 0;
  parse_memory_map("1000-2000 r\n3000-4000 r\n5000-6000 r\n7000-8000 r\n", ranges, count);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(ranges[1], (AddressRange{0x3000, 0x8000}));
}

// The real thing: read our own map, choose, and reserve every page of it without touching what is there.
TEST(MemoryMap, OurOwnProcessGetsALayoutThatCanBeReserved) {
  std::vector<AddressRange> ranges(1024);
  ranges.resize(read_memory_map(ranges));
  ASSERT_GT(ranges.size(), 2u);
  int on_the_stack = 0;
  const auto is_mapped = [&](const void* pointer) {
    for (const AddressRange range : ranges)
      if (range.contains(reinterpret_cast<uint64_t>(pointer))) return true;
    return false;
  };
  EXPECT_TRUE(is_mapped(&on_the_stack));
  EXPECT_TRUE(is_mapped(reinterpret_cast<const void*>(&simulate)));
  EXPECT_TRUE(is_mapped(reinterpret_cast<const void*>(&mmap)));
  LayoutRequest request;
  request.planes = kFourPlanes;
  const std::optional<Layout> layout = choose_layout(ranges, request);
  ASSERT_TRUE(layout.has_value());
  expect_sound(*layout, ranges, kFourPlanes);
  std::vector<AddressRange> covered(layout->zones, layout->zones + layout->zone_count);
  covered.push_back(layout->reservation);
  for (size_t p = 0; p < layout->plane_count; ++p)
    for (const AddressRange range : covered) {
      const AddressRange pages = layout->shadow_pages(p, range);
      void* got = mmap(reinterpret_cast<void*>(pages.begin), pages.size(), PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
      ASSERT_EQ(got, reinterpret_cast<void*>(pages.begin));
      munmap(got, pages.size());
    }
}

}  // namespace
}  // namespace deadheat
