// The attributes of ops: one plain struct for each set of attributes. A struct lists its fields once, with StableHLO's names;
// copying, hashing, comparing, printing and parsing are derived from that list. A name `a.b` denotes field b of the struct
// attribute a, whose mnemonic is the struct's struct_name: a = #stablehlo.gather<b = [1]>.
//
// The fields that a struct names in `size_fields` are lists of sizes, or of positions that depend on sizes. They are stored as
// int64 (see Sizes in base/size.h) and change with the sizes of the operands. The text of an op may omit the fields that its
// struct names in `optional_fields`, members of struct attributes, and booleans; an omitted field has the default that the struct
// gives it.
//
// Attributes live in a Graph's arena, so they are trivially destructible: lists are spans into the same arena.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <weft/base/arena.h>
#include <weft/base/type.h>

namespace weft::ir {

using Ints = std::span<const std::int64_t>;

// Enumerations are printed with StableHLO's words: `names` is in the order of the enumerators.
template <class E>
struct EnumNames;
#define WEFT_ENUM_NAMES(E, type, ...)                                             \
  template <>                                                                     \
  struct EnumNames<E> {                                                           \
    static constexpr std::string_view attribute = type;                           \
    static constexpr auto names = std::to_array<std::string_view>({__VA_ARGS__}); \
  };

enum class Direction : std::uint8_t { EQ, NE, LT, LE, GT, GE };
WEFT_ENUM_NAMES(Direction, "comparison_direction", "EQ", "NE", "LT", "LE", "GT", "GE")
enum class Comparison : std::uint8_t { NOTYPE, FLOAT, TOTALORDER, SIGNED, UNSIGNED };
WEFT_ENUM_NAMES(Comparison, "comparison_type", "NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED")
enum class RngAlgorithm : std::uint8_t { DEFAULT, THREE_FRY, PHILOX };
WEFT_ENUM_NAMES(RngAlgorithm, "rng_algorithm", "DEFAULT", "THREE_FRY", "PHILOX")

// The elements of a constant: row-major, little-endian. A splat stores a single element that stands for all of them.
struct Literal {
  Type type;
  std::span<const std::byte> bytes;

  bool is_splat() const { return std::ssize(bytes) == byte_size(type.dtype()); }
  // Returns element `i` in row-major order; T is the C++ type of the dtype.
  template <class T>
  T at(std::int64_t i) const {
    T value;
    std::memcpy(&value, bytes.data() + (is_splat() ? 0 : i * sizeof(T)), sizeof(T));
    return value;
  }
};

// A matrix of integers: dense<[[0, 1], [2, 3]]>.
struct IntMatrix {
  std::int64_t columns = 0;
  Ints values;
};

struct ParameterAttributes {
  std::int64_t index = 0;
  static void fields(auto& self, auto&& field) { field("index", self.index); }
};
struct ConstantAttributes {
  Literal value;
  static void fields(auto& self, auto&& field) { field("value", self.value); }
};
struct IotaAttributes {
  std::int64_t dimension = 0;
  static void fields(auto& self, auto&& field) { field("iota_dimension", self.dimension); }
};
struct CompareAttributes {
  Direction direction = Direction::EQ;
  Comparison type = Comparison::NOTYPE;
  static constexpr auto optional_fields = std::to_array<std::string_view>({"compare_type"});
  static void fields(auto& self, auto&& field) {
    field("comparison_direction", self.direction);
    field("compare_type", self.type);
  }
};
struct ReducePrecisionAttributes {
  std::int32_t exponent_bits = 8, mantissa_bits = 23;
  static void fields(auto& self, auto&& field) {
    field("exponent_bits", self.exponent_bits);
    field("mantissa_bits", self.mantissa_bits);
  }
};
struct BroadcastAttributes {
  Ints dimensions;  // the result dimension for each operand dimension
  static void fields(auto& self, auto&& field) { field("broadcast_dimensions", self.dimensions); }
};
struct TransposeAttributes {
  Ints permutation;
  static void fields(auto& self, auto&& field) { field("permutation", self.permutation); }
};
struct SliceAttributes {
  Ints start, limit, strides;
  static constexpr auto size_fields = std::to_array<std::string_view>({"start_indices", "limit_indices"});
  static void fields(auto& self, auto&& field) {
    field("start_indices", self.start);
    field("limit_indices", self.limit);
    field("strides", self.strides);
  }
};
struct PadAttributes {
  Ints low, high, interior;
  static constexpr auto size_fields = std::to_array<std::string_view>({"edge_padding_low", "edge_padding_high"});
  static void fields(auto& self, auto&& field) {
    field("edge_padding_low", self.low);
    field("edge_padding_high", self.high);
    field("interior_padding", self.interior);
  }
};
struct ConcatenateAttributes {
  std::int64_t dimension = 0;
  static void fields(auto& self, auto&& field) { field("dimension", self.dimension); }
};
struct DimensionsAttributes {  // reverse, reduce
  Ints dimensions;
  static void fields(auto& self, auto&& field) { field("dimensions", self.dimensions); }
};
struct DynamicSliceAttributes {
  Ints sizes;
  static constexpr auto size_fields = std::to_array<std::string_view>({"slice_sizes"});
  static void fields(auto& self, auto&& field) { field("slice_sizes", self.sizes); }
};
struct DotAttributes {  // result dimensions: batching, lhs free, rhs free
  Ints lhs_batching, rhs_batching, lhs_contracting, rhs_contracting;
  static constexpr std::string_view struct_name = "dot";
  static void fields(auto& self, auto&& field) {
    field("dot_dimension_numbers.lhs_batching_dimensions", self.lhs_batching);
    field("dot_dimension_numbers.rhs_batching_dimensions", self.rhs_batching);
    field("dot_dimension_numbers.lhs_contracting_dimensions", self.lhs_contracting);
    field("dot_dimension_numbers.rhs_contracting_dimensions", self.rhs_contracting);
  }
};
struct ConvolutionAttributes {
  std::int64_t input_batch = 0, input_feature = 1;
  Ints input_spatial;
  std::int64_t kernel_input_feature = 1, kernel_output_feature = 0;
  Ints kernel_spatial;
  std::int64_t output_batch = 0, output_feature = 1;
  Ints output_spatial;
  Ints strides, padding /* low, high of each spatial dimension */, lhs_dilation, rhs_dilation, reversal /* 0 or 1 */;
  std::int64_t feature_groups = 1, batch_groups = 1;
  static constexpr std::string_view struct_name = "conv";
  static constexpr auto size_fields = std::to_array<std::string_view>({"padding"});
  static constexpr auto optional_fields =
      std::to_array<std::string_view>({"window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal",
                                       "feature_group_count", "batch_group_count"});
  static void fields(auto& self, auto&& field) {
    field("dimension_numbers.input_batch_dimension", self.input_batch);
    field("dimension_numbers.input_feature_dimension", self.input_feature);
    field("dimension_numbers.input_spatial_dimensions", self.input_spatial);
    field("dimension_numbers.kernel_input_feature_dimension", self.kernel_input_feature);
    field("dimension_numbers.kernel_output_feature_dimension", self.kernel_output_feature);
    field("dimension_numbers.kernel_spatial_dimensions", self.kernel_spatial);
    field("dimension_numbers.output_batch_dimension", self.output_batch);
    field("dimension_numbers.output_feature_dimension", self.output_feature);
    field("dimension_numbers.output_spatial_dimensions", self.output_spatial);
    field("window_strides", self.strides);
    field("padding", self.padding);
    field("lhs_dilation", self.lhs_dilation);
    field("rhs_dilation", self.rhs_dilation);
    field("window_reversal", self.reversal);
    field("feature_group_count", self.feature_groups);
    field("batch_group_count", self.batch_groups);
  }
};
struct GatherAttributes {
  Ints offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map;
  std::int64_t index_vector_dim = 0;
  Ints slice_sizes;
  bool indices_are_sorted = false;
  static constexpr std::string_view struct_name = "gather";
  static constexpr auto size_fields = std::to_array<std::string_view>({"slice_sizes"});
  static void fields(auto& self, auto&& field) {
    field("dimension_numbers.offset_dims", self.offset_dims);
    field("dimension_numbers.collapsed_slice_dims", self.collapsed_slice_dims);
    field("dimension_numbers.operand_batching_dims", self.operand_batching_dims);
    field("dimension_numbers.start_indices_batching_dims", self.start_indices_batching_dims);
    field("dimension_numbers.start_index_map", self.start_index_map);
    field("dimension_numbers.index_vector_dim", self.index_vector_dim);
    field("slice_sizes", self.slice_sizes);
    field("indices_are_sorted", self.indices_are_sorted);
  }
};
struct ScatterAttributes {
  Ints update_window_dims, inserted_window_dims, input_batching_dims, scatter_indices_batching_dims,
      scatter_dims_to_operand_dims;
  std::int64_t index_vector_dim = 0;
  bool indices_are_sorted = false, unique_indices = false;
  static constexpr std::string_view struct_name = "scatter";
  static void fields(auto& self, auto&& field) {
    field("scatter_dimension_numbers.update_window_dims", self.update_window_dims);
    field("scatter_dimension_numbers.inserted_window_dims", self.inserted_window_dims);
    field("scatter_dimension_numbers.input_batching_dims", self.input_batching_dims);
    field("scatter_dimension_numbers.scatter_indices_batching_dims", self.scatter_indices_batching_dims);
    field("scatter_dimension_numbers.scatter_dims_to_operand_dims", self.scatter_dims_to_operand_dims);
    field("scatter_dimension_numbers.index_vector_dim", self.index_vector_dim);
    field("indices_are_sorted", self.indices_are_sorted);
    field("unique_indices", self.unique_indices);
  }
};
struct SortAttributes {
  std::int64_t dimension = -1;
  bool is_stable = false;
  static constexpr auto optional_fields = std::to_array<std::string_view>({"dimension"});
  static void fields(auto& self, auto&& field) {
    field("dimension", self.dimension);
    field("is_stable", self.is_stable);
  }
};
struct ReduceWindowAttributes {
  Ints window_dimensions, window_strides, base_dilations, window_dilations,
      padding;  // padding: low, high of each dimension
  static constexpr auto size_fields = std::to_array<std::string_view>({"window_dimensions", "padding"});
  static constexpr auto optional_fields =
      std::to_array<std::string_view>({"window_strides", "base_dilations", "window_dilations", "padding"});
  static void fields(auto& self, auto&& field) {
    field("window_dimensions", self.window_dimensions);
    field("window_strides", self.window_strides);
    field("base_dilations", self.base_dilations);
    field("window_dilations", self.window_dilations);
    field("padding", self.padding);
  }
};
struct SelectAndScatterAttributes {
  Ints window_dimensions, window_strides, padding;
  static constexpr auto size_fields = std::to_array<std::string_view>({"window_dimensions", "padding"});
  static constexpr auto optional_fields =
      std::to_array<std::string_view>({"window_dimensions", "window_strides", "padding"});
  static void fields(auto& self, auto&& field) {
    field("window_dimensions", self.window_dimensions);
    field("window_strides", self.window_strides);
    field("padding", self.padding);
  }
};
struct RngAttributes {
  RngAlgorithm algorithm = RngAlgorithm::DEFAULT;
  static void fields(auto& self, auto&& field) { field("rng_algorithm", self.algorithm); }
};

// The union of the attributes of all collectives; each collective uses some of the fields.
struct CollectiveAttributes {
  IntMatrix groups;  // one group per row, padded with -1; for collective_permute, pairs of source and target
  std::int64_t channel = 0, channel_type = 0;  // 0 if there is no channel
  bool use_global_device_ids = false;
  bool has_dynamic_root = false;  // the last operand gives each member the index of the sender or receiver in its group
  std::int64_t dimension = 0;     // the dimension that is gathered, scattered or split
  std::int64_t concat_dimension = 0, split_count = 1;
  static constexpr std::string_view struct_name = "channel_handle";
  static constexpr auto optional_fields = std::to_array<std::string_view>({"channel_handle"});

 protected:
  static void channel_fields(auto& self, auto&& field) {
    field("channel_handle.handle", self.channel);
    field("channel_handle.type", self.channel_type);
  }
};
struct CollectiveGroupAttributes : CollectiveAttributes {
  static void fields(auto& self, auto&& field) {
    field("replica_groups", self.groups);
    channel_fields(self, field);
  }
};
struct CollectiveRootAttributes : CollectiveAttributes {
  static void fields(auto& self, auto&& field) {
    CollectiveGroupAttributes::fields(self, field);
    field("has_dynamic_root", self.has_dynamic_root);
  }
};
struct CollectivePermuteAttributes : CollectiveAttributes {
  static void fields(auto& self, auto&& field) {
    field("source_target_pairs", self.groups);
    channel_fields(self, field);
  }
};
struct AllReduceAttributes : CollectiveAttributes {
  static void fields(auto& self, auto&& field) {
    CollectiveGroupAttributes::fields(self, field);
    field("use_global_device_ids", self.use_global_device_ids);
  }
};
struct AllGatherAttributes : CollectiveAttributes {
  static void fields(auto& self, auto&& field) {
    field("all_gather_dim", self.dimension);
    AllReduceAttributes::fields(self, field);
  }
};
struct ReduceScatterAttributes : CollectiveAttributes {
  static void fields(auto& self, auto&& field) {
    field("scatter_dimension", self.dimension);
    AllReduceAttributes::fields(self, field);
  }
};
struct AllToAllAttributes : CollectiveAttributes {
  static void fields(auto& self, auto&& field) {
    field("split_dimension", self.dimension);
    field("concat_dimension", self.concat_dimension);
    field("split_count", self.split_count);
    CollectiveGroupAttributes::fields(self, field);
  }
};
struct TransferAttributes {  // send, recv
  std::int64_t channel = 0, channel_type = 0;
  bool is_host_transfer = false;
  static constexpr std::string_view struct_name = "channel_handle";
  static constexpr auto optional_fields = std::to_array<std::string_view>({"channel_handle"});
  static void fields(auto& self, auto&& field) {
    field("channel_handle.handle", self.channel);
    field("channel_handle.type", self.channel_type);
    field("is_host_transfer", self.is_host_transfer);
  }
};
struct InfeedAttributes {
  std::string_view config = {};
  static constexpr auto optional_fields = std::to_array<std::string_view>({"infeed_config"});
  static void fields(auto& self, auto&& field) { field("infeed_config", self.config); }
};
struct OutfeedAttributes {
  std::string_view config = {};
  static constexpr auto optional_fields = std::to_array<std::string_view>({"outfeed_config"});
  static void fields(auto& self, auto&& field) { field("outfeed_config", self.config); }
};
struct RunParallelAttributes {  // in text: programs = [[@a, @b], [@c, @d]], infeed = [@e]
  std::int64_t partitions = 1, infeeds = 0;
  static void fields(auto& self, auto&& field) {
    field("partitions", self.partitions);
    field("infeeds", self.infeeds);
  }
};
struct ProbeAttributes {
  std::string_view name;
  static void fields(auto& self, auto&& field) { field("probe_id", self.name); }
};
struct ProbeCheckAttributes {
  std::string_view name = {};
  std::int32_t iteration = 0;
  static constexpr auto optional_fields = std::to_array<std::string_view>({"iter"});
  static void fields(auto& self, auto&& field) {
    field("probe_id", self.name);
    field("iter", self.iteration);
  }
};
struct CompositeAttributes {
  std::string_view name;  // weft.softmax
  static void fields(auto& self, auto&& field) { field("name", self.name); }
};

struct ShardingAttributes {
  std::string_view sharding;  // as written: #sdy.sharding<@mesh, [{"x"}, {}]>
  static void fields(auto& self, auto&& field) { field("sharding", self.sharding); }
};
struct ManualComputationAttributes {
  std::string_view in_shardings, out_shardings;  // as written: #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, ...]>
  std::string_view manual_axes;                  // #sdy<manual_axes{"x"}>
  static void fields(auto& self, auto&& field) {
    field("in_shardings", self.in_shardings);
    field("out_shardings", self.out_shardings);
    field("manual_axes", self.manual_axes);
  }
};
struct PlacementAttributes {  // for ops that StableHLO writes as a custom_call with an attribute of another dialect
  std::string_view backend_config = {};
  static constexpr auto optional_fields = std::to_array<std::string_view>({"backend_config"});
  static void fields(auto& self, auto&& field) { field("backend_config", self.backend_config); }
};

struct CustomCallAttributes {
  std::string_view target = {};
  bool has_side_effect = false;
  std::string_view backend_config = {};  // passed on unchanged
  static constexpr auto optional_fields = std::to_array<std::string_view>({"backend_config"});
  static void fields(auto& self, auto&& field) {
    field("call_target_name", self.target);
    field("has_side_effect", self.has_side_effect);
    field("backend_config", self.backend_config);
  }
};

// ---------------------------------------------------------------------------------------------------------------------
// Operations derived from the lists of fields.

// A visitor that is called with each field of an attribute struct, in order.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  // bits: 64, or 32 where StableHLO requires i32
  virtual void integer(std::string_view name, std::int64_t value, int bits) = 0;
  virtual void boolean(std::string_view name, bool value) = 0;
  virtual void integers(std::string_view name, Ints values) = 0;
  virtual void matrix(std::string_view name, const IntMatrix& values) = 0;
  virtual void enumerator(std::string_view name, std::string_view attribute, std::string_view value) = 0;
  virtual void string(std::string_view name, std::string_view value) = 0;
  virtual void literal(std::string_view name, const Literal& value) = 0;
};

// A reader that is asked for each field of an attribute struct, in order. A function returns false to keep the default. The lists
// that it stores must stay valid until reading ends (Graph::append copies them).
class FieldReader {
 public:
  virtual ~FieldReader() = default;
  std::span<const std::string_view> optional_fields;  // of the struct that is being read
  virtual bool integer(std::string_view name, std::int64_t& value) = 0;
  virtual bool boolean(std::string_view name, bool& value) = 0;
  virtual bool integers(std::string_view name, Ints& values) = 0;
  virtual bool matrix(std::string_view name, IntMatrix& values) = 0;
  virtual bool enumerator(std::string_view name, std::span<const std::string_view> names, int& value) = 0;
  virtual bool string(std::string_view name, std::string_view& value) = 0;
  virtual bool literal(std::string_view name, Literal& value) = 0;
};

// The operations on one attribute struct, which is passed by pointer.
struct AttributeSchema {
  const void* (*copy)(Arena& arena, const void* attributes);  // deep: copies lists too
  std::uint64_t (*hash)(const void* attributes);              // stable across processes
  bool (*equal)(const void* a, const void* b);
  void (*visit)(const void* attributes, FieldVisitor& visitor);
  const void* (*read)(Arena& arena, FieldReader& reader);
  bool has_sizes;
  // `sizes` returns the numbers of all size fields, concatenated. `with_sizes` returns a copy with other numbers, as many as before.
  std::vector<std::int64_t> (*sizes)(const void* attributes);
  const void* (*with_sizes)(Arena& arena, const void* attributes, Ints sizes);
  std::uint64_t (*hash_without_sizes)(const void* attributes);
  bool (*equal_without_sizes)(const void* a, const void* b);  // the size fields must still have equal lengths
  // mnemonic of the struct attribute that holds some of the fields; empty if there is none
  std::string_view struct_name;
  std::span<const std::string_view> optional_fields;
};

// The schema of an attribute struct. ops.cpp instantiates the schemas of the op table (attribute_schema.h).
template <class A>
struct Schema {
  static const AttributeSchema value;
};
template <class A>
inline constexpr const AttributeSchema* schema = &Schema<A>::value;

}  // namespace weft::ir
