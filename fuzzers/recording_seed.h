// A small recording with every kind of content, from which the fuzzer of recordings starts.
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
"contents":{"name":"train","computations":[{"name":"region.1","root":2,"instructions":[
{"name":"a","opcode":"parameter","shape":[["f32",[]]],"parameter":0},
{"name":"b","opcode":"parameter","shape":[["f32",[]]],"parameter":1},
{"name":"c","opcode":"add","shape":[["f32",[]]],"operands":[0,1]}]},
{"name":"fused_computation.1","root":3,"instructions":[
{"name":"p.1","opcode":"parameter","shape":[["f32",[8,4]]],"parameter":0},
{"name":"tanh.2","opcode":"tanh","shape":[["f32",[8,4]]],"operands":[0],"scope":"mlp.up","file":"a \"b\".cpp","line":7,"dims":["input 0 dim 0","input 1 dim 1"]},
{"name":"transpose.3","opcode":"transpose","shape":[["f32",[4,8]]],"operands":[1],"attributes":[["dimensions",[1,0],false]]},
{"name":"tuple.4","opcode":"tuple","shape":[["f32",[4,8]],["f32",[8,4]]],"operands":[2,1],"tuple":true}]},
{"name":"train","root":18,"instructions":[
{"name":"x","opcode":"parameter","shape":[["f32",[8,6]]],"parameter":0},
{"name":"c.1","opcode":"constant","shape":[["f32",[]]],"literal":[0,0,128,63]},
{"name":"w","opcode":"broadcast","shape":[["f32",[6,4]]],"operands":[1],"attributes":[["dimensions",[],false]],"dims":["broadcast to 6","broadcast to 4"]},
{"name":"dot.6","opcode":"dot","shape":[["f32",[2,8,4]]],"operands":[0,2],"attributes":[["lhs_batch_dims",[0],false],["rhs_batch_dims",[0],false],["lhs_contracting_dims",[1],false],["rhs_contracting_dims",[0],false]]},
{"name":"fusion.5","opcode":"fusion","shape":[["f32",[4,8]],["f32",[8,4]]],"operands":[3],"tuple":true,"calls":[1],"attributes":[["kind","kLoop",false]],"scope":"mlp","file":"main.cpp","line":12},
{"name":"gte.1","opcode":"get-tuple-element","shape":[["f32",[4,8]]],"operands":[4],"attributes":[["index",0,false]]},
{"name":"cat.2","opcode":"concatenate","shape":[["f32",[8,8]]],"operands":[5,5],"attributes":[["dimensions",[0],false]]},
{"name":"sum.3","opcode":"reduce","shape":[["f32",[8]]],"operands":[6,1],"calls":[0],"attributes":[["dimensions",[0],false]]},
{"name":"g.4","opcode":"gather","shape":[["f32",[8,1]]],"operands":[6,7],"attributes":[["offset_dims",[1],false],["collapsed_slice_dims",[0],false],["start_index_map",[0],false],["index_vector_dim",1,false],["slice_sizes",[1,1],false]]},
{"name":"s.5","opcode":"scatter","shape":[["f32",[8,8]]],"operands":[6,7,8],"calls":[0],"attributes":[["update_window_dims",[1],false],["inserted_window_dims",[0],false],["scatter_dims_to_operand_dims",[0],false],["index_vector_dim",1,false]]},
{"name":"cv.6","opcode":"convolution","shape":[["f32",[1,2,2,4]]],"operands":[0,2],"window":[[3,3],[1,1],[1,1,1,1],[],[1,1],[]],"convolution":[[0,3,1,2],[2,3,0,1],[0,3,1,2]],"attributes":[["feature_group_count",1,false]]},
{"name":"sl.7","opcode":"slice","shape":[["f32",[2,4]]],"operands":[6],"attributes":[["slice",[[0,4,1],[2,8,2]],false]]},
{"name":"pd.8","opcode":"pad","shape":[["f32",[4,7]]],"operands":[11,1],"attributes":[["padding",[[1,0,0],[2,2,1]],false]]},
{"name":"t.9","opcode":"tuple","shape":[["f32",[8]],["i32",[]]],"operands":[7,1],"tuple":true},
{"name":"wh.10","opcode":"while","shape":[["f32",[8]],["i32",[]]],"operands":[13],"tuple":true,"calls":[0,0]},
{"name":"sort.9","opcode":"sort","shape":[["f32",[8]],["i32",[]]],"operands":[7,7],"tuple":true,"calls":[0],"attributes":[["dimensions",[0],false]]},
{"name":"cc.11","opcode":"custom-call","shape":[["f32",[8]]],"operands":[7],"attributes":[["custom_call_target","x",true]]},
{"name":"cd.12","opcode":"conditional","shape":[["f32",[8]],["i32",[]]],"operands":[1,13,13],"tuple":true,"calls":[0,0]},
{"name":"reshape.13","opcode":"reshape","shape":[["f32",[32]]],"operands":[5]}]}],"thunks":[4,3,15]}})json"},
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
