#include "live/shadow/shadow.h"

#include "live/ground/message.h"
#include "live/ground/touched.h"
#include "live/shadow/summary.h"
#include "live/shadow/word.h"

namespace deadheat::live {

constinit ShadowMap shadow_map;
constinit Stripe stripes[kStripes];

namespace {

// Parts from `from` up to `end`, to a place that is `distance` away. No thread can access either place now: one is
// unmapped, and the program does not know the other yet.
void move_parts(uintptr_t from, uintptr_t end, uintptr_t distance) {
  for (uintptr_t word = from; word < end; word += 4) {
    const uintptr_t to = word + distance;
    if (word % kStripeBytes == 0) {
      if (summary_of(word).mode == PartMode::kUntouched) {
        word += kStripeBytes - 4;
        continue;
      }
      use_cells(word);
      use_cells(to);
      ++summary_of(word).version;
      summary_of(to).classes = summary_of(word).classes;
    }
    const ReaderSet classes = summary_of(word).classes;
    const WordState state = WordState::load_cells(word, classes);
    state.store(to);
    if (state.w != 0) store(cell_of(kPlaneW, word), 0);
    for (const ReaderClass c : classes)
      if (state.r[c] != 0) store(cell_of(plane_r(c), word), 0);
  }
}

}  // namespace

void shadow_move(uintptr_t from, uintptr_t to, size_t bytes) {
  if (!shadow_covers(from) || !shadow_covers(to)) return;
  each_touched(from, from + bytes, false, [&](uintptr_t begin, uintptr_t end) { move_parts(begin, end, to - from); });
}

void shadow_start() {
  AddressRange map[512];
  const size_t count = read_memory_map(map);
  if (count == 0) die("cannot read /proc/self/maps, which tells where there is room for the shadow; is /proc mounted?");
  PlaneShape planes[kPlanes] = {};
  planes[kPlaneSummary].log2_scale = -3;
  LayoutRequest request;
  request.planes = planes;
  request.extra_zone = {request.user_space.begin, uint64_t{1} << 32};  // for MAP_32BIT
  // Two that are too large for the gaps between libraries say where mappings go, and which way.
  constexpr size_t kProbe = 1 << 30;
  void* const one = sys::map(nullptr, kProbe, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  void* const two = sys::map(nullptr, kProbe, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
  request.new_mapping = reinterpret_cast<uint64_t>(one);
  request.grows_up = one < two;
  if (one != nullptr) sys::unmap(one, kProbe);
  if (two != nullptr) sys::unmap(two, kProbe);
  auto chosen = choose_layout({map, count}, request);
  if (!chosen) {
    request.extra_zone = {};
    chosen = choose_layout({map, count}, request);
  }
  if (!chosen)
    die("no room for the shadow in the address space; try without address randomisation: setarch -R PROGRAM");
  // Summaries do not straddle pages; the room for the skew has place for this.
  uint64_t& summaries = chosen->base[kPlaneSummary];
  summaries = (summaries + sizeof(Summary) - 1) & ~(sizeof(Summary) - 1);
  layout = *chosen;
  shadow_map.mask = layout.mask & ~uint64_t{3};
  for (unsigned plane = 0; plane < kPlanes; ++plane) shadow_map.base[plane] = layout.base[plane];
  zones_start();
}

DEADHEAT_ARRAY_TAKEN_AT_FORK(kStripes, stripes)

}  // namespace deadheat::live
