// A small recording that has something of everything: what the fuzzer of recordings begins with.
#pragma once

#include <string_view>
#include <utility>

#include <weft/profile/chunk.h>
#include <weft/profile/recording.h>

namespace weft::fuzzers {

using profile::ChunkKind;

inline constexpr std::pair<ChunkKind, std::string_view> recording_seed[] = {
    {ChunkKind::about,
     R"({"version":"0","command":"train","host":"here","cpu":"a cpu","threads":2,"unix_ns":1,"steady_ns":1})"},
    {ChunkKind::metrics,
     R"({"counters":{"UncachedCompile":0},"metrics":{"CompileTime":{"count":1,"total":5,"max":5},"HostWaitTime":{"count":1,"total":2,"max":2}},"time_ns":1})"},
    {ChunkKind::strings,
     R"(["host","launch","device","thunk","step","queue","memory","copy","input","compile","wait","loader","train #1"])"},
    {ChunkKind::threads, R"(["main","device"])"},
    {ChunkKind::program,
     R"json({"name":"train","temporary_bytes":64,"peak_bytes":128,"donated":[3],
"allocations":[[0,0,16,0],[2,0,16,0],[3,0,16,0],[1,0,16,0],[3,0,16,16]],
"ops":[{"name":"fusion.5","category":"loop fusion","source":"a.cpp:3","scope":"mlp.up","flops":8,"bytes":32,"reads":[[0,0,16],[1,0,16]],"writes":[[2,0,16],[4,0,16]]},
{"name":"dot.6","category":"dot","source":"a.cpp:4","scope":"","flops":64,"bytes":32,"reads":[[2,0,16],[4,0,16]],"writes":[[3,0,16]]},
{"name":"sort.9","category":"host fallback","source":"a.cpp:5","scope":"","flops":0,"bytes":32,"reads":[[3,0,16]],"writes":[[3,0,16]]}],
"hlo":"HloModule train, entry_computation_layout={(f32[8,6]{1,0})->f32[32]{0}}\n\n%region.1 (a: f32[], b: f32[]) -> f32[] {\n  %a = f32[] parameter(0)\n  %b = f32[] parameter(1)\n  ROOT %c = f32[] add(%a, %b)\n}\n\n%fused_computation.1 (p.1: f32[8,4]) -> (f32[4,8], f32[8,4]) {\n  %p.1 = f32[8,4]{1,0} parameter(0)\n  %tanh.2 = f32[8,4]{1,0} tanh(%p.1), metadata={op_name=\"mlp.up\" source_file=\"a \\\"b\\\".cpp\" source_line=7}\n  %transpose.3 = f32[4,8]{0,1} transpose(%tanh.2), dimensions={1,0}\n  ROOT %tuple.4 = (f32[4,8]{0,1}, f32[8,4]{1,0}) tuple(%transpose.3, %tanh.2)\n}\n\nENTRY %train (x: f32[8,6]) -> f32[32] {\n  %x = f32[8,6]{1,0} parameter(0)\n  %c.1 = f32[] constant(0)\n  %w = f32[6,4]{1,0} broadcast(%c.1), dimensions={}\n  %dot.6 = f32[2,8,4]{2,1,0} dot(%x, %w), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={0}\n  %fusion.5 = (f32[4,8]{1,0}, f32[8,4]{1,0}) fusion(%dot.6), kind=kLoop, calls=%fused_computation.1, metadata={op_name=\"mlp\" source_file=\"main.cpp\" source_line=12}\n  %gte.1 = f32[4,8]{1,0} get-tuple-element(%fusion.5), index=0\n  %cat.2 = f32[8,8]{1,0} concatenate(%gte.1, %gte.1), dimensions={0}\n  %sum.3 = f32[8]{0} reduce(%cat.2, %c.1), dimensions={0}, to_apply=%region.1\n  %g.4 = f32[8,1]{1,0} gather(%cat.2, %sum.3), offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,1}\n  %s.5 = f32[8,8]{1,0} scatter(%cat.2, %sum.3, %g.4), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=%region.1\n  %cv.6 = f32[1,2,2,4]{3,2,1,0} convolution(%x, %w), window={size=3x3 stride=1x1 pad=1_1x1_1 rhs_dilate=1x1}, dim_labels=b01f_01io->b01f, feature_group_count=1\n  %sl.7 = f32[2,4]{1,0} slice(%cat.2), slice={[0:4], [2:8:2]}\n  %pd.8 = f32[4,7]{1,0} pad(%sl.7, %c.1), padding=1_0x2_2_1\n  %t.9 = (f32[8]{0}, s32[]) tuple(%sum.3, %c.1)\n  %wh.10 = (f32[8]{0}, s32[]) while(%t.9), condition=%region.1, body=%region.1\n  %sort.9 = (f32[8]{0}, s32[8]{0}) sort(%sum.3, %sum.3), dimensions={0}, to_apply=%region.1\n  %cc.11 = f32[8]{0} custom-call(%sum.3), custom_call_target=\"x\"\n  ROOT %reshape.12 = f32[32]{0} reshape(%gte.1)\n}\n"})json"},
    {ChunkKind::event,
     R"({"kind":"recompile","subject":"train","place":"a.cpp:3","reason":"a shape","remedy":"","cost_ms":1.5,"bytes":0,"count":2,"time_ns":100})"},
    {ChunkKind::roofs, R"({"flops":1e9,"memory_bytes":1e9,"cache_bytes":1e10})"},
    {ChunkKind::metrics,
     R"({"counters":{"UncachedCompile":9},"metrics":{"CompileTime":{"count":9,"total":500,"max":50},"HostWaitTime":{"count":1,"total":2,"max":2}},"time_ns":900})"},
};

inline constexpr profile::Span seed_spans[] = {
    {.category = 4, .name = 4, .begin_ns = 100, .end_ns = 200, .number = 0},
    {.category = 0, .name = 1, .begin_ns = 110, .end_ns = 120, .number = 1},
    {.category = 5, .name = 5, .begin_ns = 110, .end_ns = 130, .number = 1},
    {.category = 2, .name = 0, .thread = 1, .program = 0, .begin_ns = 130, .end_ns = 180, .number = 1},
    {.category = 3, .name = 0, .thread = 1, .program = 0, .op = 0, .begin_ns = 131, .end_ns = 150, .number = 1},
    {.category = 3, .name = 0, .thread = 1, .program = 0, .op = 1, .begin_ns = 150, .end_ns = 160, .number = 1},
    {.category = 3, .name = 0, .thread = 1, .program = 0, .op = 2, .begin_ns = 160, .end_ns = 179, .number = 1},
    {.category = 4, .name = 4, .begin_ns = 200, .end_ns = 300, .number = 1},
    {.category = 0, .name = 1, .begin_ns = 210, .end_ns = 220, .number = 2},
    {.category = 9, .name = 9, .begin_ns = 215, .end_ns = 225, .number = 2},
    {.category = 2, .name = 0, .thread = 1, .program = 0, .begin_ns = 230, .end_ns = 280, .number = 2},
    {.category = 6, .name = 6, .begin_ns = 240, .end_ns = 240, .number = 4096},
    {.category = 7, .name = 7, .begin_ns = 250, .end_ns = 260, .number = 1},
    {.category = 8, .name = 8, .begin_ns = 281, .end_ns = 290, .number = 1},
    {.category = 10, .name = 10, .begin_ns = 290, .end_ns = 295, .number = 1},
    {.category = 11, .name = 11, .thread = 1, .begin_ns = 290, .end_ns = 299, .number = 1},
};

}  // namespace weft::fuzzers
