// sin, cos, tan and atan2.
#include <array>

#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <weft/compiler/codegen/llvm/math_emitter.h>

namespace weft::compiler {

using llvm::Value;

namespace {

constexpr double two_over_pi = 0.63661977236758134308;

// The bits of 2 / pi behind the point, after 64 zeros.
constexpr std::array<std::uint32_t, 42> two_over_pi_words = {
    0x00000000, 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
    0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5, 0x2ebb4484,
    0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff, 0xde05980f, 0xef2f118b,
    0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7, 0xebe5f17b, 0x3d0739f7, 0x8a5292ea,
    0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab, 0xf0cfbc20, 0x9af4361d};

Value* two_over_pi_table(llvm::Module& module) {
  constexpr const char* name = "two_over_pi";
  if (llvm::GlobalVariable* const known = module.getNamedGlobal(name)) return known;
  auto* const bits = llvm::ConstantDataArray::get(module.getContext(), two_over_pi_words);
  return new llvm::GlobalVariable(module, bits->getType(), true, llvm::GlobalValue::InternalLinkage, bits, name);
}

}  // namespace

// Returns 32 bits of 2 / pi for each lane, as integers of 64 bits.
Whole MathEmitter::words_of_two_over_pi(Whole index) {
  Value* const table = two_over_pi_table(*b_.GetInsertBlock()->getModule());
  llvm::Type* const word = b_.getInt32Ty();
  Value* const address = b_.CreateGEP(word, table, index.v);
  auto* const vector = llvm::dyn_cast<llvm::VectorType>(index.v->getType());
  Value* loaded = nullptr;
  if (vector)
    loaded = b_.CreateMaskedGather(with_element(vector, word), address, llvm::Align(4));
  else
    loaded = b_.CreateLoad(word, address);
  return {&b_, b_.CreateZExt(loaded, index.v->getType())};
}

// Payne and Hanek's method: x = M 2^e with an integer M of 53 bits. Of x 2 / pi modulo 4, only 192 bits of 2 / pi matter: those above are
// multiples of 4, those below change the result by less than its rounding error. Computes in limbs of 32 bits.
MathEmitter::Angle MathEmitter::reduce_large(Real x) {
  const Whole bits = bits_of(x);
  const Whole mantissa = (bits & ((std::int64_t{1} << 52) - 1)) | bits.like(std::int64_t{1} << 52);
  const Whole start = (bits >> 52) - (1075 + 2 - 64);  // the first bit that matters
  const Whole shift = start & 31, first = start >> 5;
  const auto shifted_left = [&](Whole v) { return Whole{&b_, b_.CreateShl(v.v, shift.v)}; };
  constexpr std::int64_t mask = 0xffffffff;
  constexpr int limbs = 6;
  std::vector<Whole> words, window;
  for (int i = 0; i <= limbs; ++i) words.push_back(words_of_two_over_pi(first + i));
  for (int i = 0; i < limbs; ++i) window.insert(window.begin(), shifted_left((words[i] << 32) | words[i + 1]) >> 32);
  // The lowest 192 bits of the product, limb 0 first.
  std::vector<Whole> product(limbs, bits.like(0));
  const Whole halves[] = {mantissa & mask, mantissa >> 32};
  for (int h = 0; h < 2; ++h) {
    Whole carry = bits.like(0);
    for (int i = 0; i + h < limbs; ++i) {
      const Whole sum = halves[h] * window[i] + product[i + h] + carry;  // below 2^64
      product[i + h] = sum & mask;
      carry = sum >> 32;
    }
  }
  const Whole high = (product[5] << 32) | product[4], low = (product[3] << 32) | product[2];
  const Whole quarters = (high + (std::int64_t{1} << 61)) >> 62;
  // What is left of the quarter turn, in units of 2^-62. An integer of 32 bits is exact as f64, so the sum is rounded once.
  const Whole rest = high - (quarters << 62);
  const Real upper = to_real(arithmetic_shift(rest, 32)) * 0x1p32;
  const Real lower = to_real(rest & mask) + to_real(low >> 12) * 0x1p-52;
  const Real turn = upper + lower, turn_low = lower - (turn - upper);
  const Real half_pi = turn.like(1.5707963267948966), half_pi_low = turn.like(6.123233995736766e-17);
  return {fma(turn, half_pi, fma(turn, half_pi_low, turn_low * half_pi)) * 0x1p-62, quarters};
}

// Cody and Waite's method with pi/2 in three parts, Payne and Hanek's for large numbers.
MathEmitter::Angle MathEmitter::reduce(Real x) {
  const Rounded n = nearest_integer(x, two_over_pi);
  Real rest = fma(n.number, -pick(1.5707963705062866, 1.5707963267948966), x);
  rest = fma(n.number, -pick(-4.3711388286737929e-8, 6.123233995736766e-17), rest);
  rest = fma(n.number, -pick(-1.7151245100058819e-15, -1.4973849048591833e-33), rest);
  const Whole quarters = n.integer;
  const Truth large_enough = x > pick(0x1p16, 0x1p30);
  const std::vector<Value*> chosen = rarely(large_enough, {rest.v, quarters.v}, [&]() -> std::vector<Value*> {
    const Real safe = select(large_enough, x, 0x1p30);  // small numbers would read before the table
    const Real wide{&b_, wide_ ? safe.v : b_.CreateFPExt(safe.v, with_element(type_, b_.getDoubleTy()))};
    const Angle large = reduce_large(wide);
    if (wide_) return {large.rest.v, large.quarters.v};
    return {b_.CreateFPTrunc(large.rest.v, type_), b_.CreateTrunc(large.quarters.v, quarters.v->getType())};
  });
  return {{&b_, chosen[0]}, {&b_, chosen[1]}};
}

// On [-pi/4, pi/4], with the coefficients of Cephes' sinf and of fdlibm.
Real MathEmitter::sine(Real r) {
  const Real z = r * r;
  const Real p = polynomial(z, {-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1},
                            {1.58969099521155010221e-10, -2.50507602534068634195e-08, 2.75573137070700676789e-06,
                             -1.98412698298579493134e-04, 8.33333333332248946124e-03, -1.66666666666666324348e-01});
  return fma(r * z, p, r);
}

Real MathEmitter::cosine(Real r) {
  const Real z = r * r, half = z * 0.5, one = number(1);
  const Real p = polynomial(z, {2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2},
                            {-1.13596475577881948265e-11, 2.08757232129817482790e-09, -2.75573143513906633035e-07,
                             2.48015872894767294178e-05, -1.38888888888741095749e-03, 4.16666666666666019037e-02});
  const Real w = one - half;
  return w + fma(z * z, p, (one - w) - half);
}

// The sine of x >= 0 moved by some quarter turns, with the sign bit of `flip` applied. Infinity gives NaN.
Real MathEmitter::sine_of_quarters(Real x, Whole flip, int more) {
  const Angle angle = reduce(x);
  const Whole quarters = angle.quarters + more;
  const Real y = select((quarters & 1) == 0, sine(angle.rest), cosine(angle.rest));
  const Real result = with_sign_flipped(y, flip ^ (quarters << (wide_ ? 62 : 30)));
  return select(x == infinity(), not_a_number(), result);
}

// At most 2 ULP, for all arguments.
Real MathEmitter::sin(Real x) { return sine_of_quarters(abs(x), bits_of(x), 0); }
Real MathEmitter::cos(Real x) { return sine_of_quarters(abs(x), bits_of(x).like(0), 1); }

// r + r^3 p(r^2) with a minimax polynomial on [-pi/4, pi/4], or its negative reciprocal. At most 2 ULP.
Real MathEmitter::tan(Real x) {
  const Angle angle = reduce(abs(x));
  const Real r = angle.rest, z = r * r;
  const Real p =
      polynomial(z, {0.0038441501, 0.00118361878, 0.00996321307, 0.0216208234, 0.0539945033, 0.133332308, 0.33333334},
                 {1.8230997201638115e-05, -3.3756494359490884e-05, 6.8529128225625898e-05, -3.2692945870931289e-06,
                  0.00011987963455754173, 0.0002305774716812016, 0.00059224618336413003, 0.0014554363149110439,
                  0.0035921762355954098, 0.0088632317659989249, 0.021869488711579767, 0.053968253964000831,
                  0.13333333333337383, 0.33333333333333326});
  const Real y = fma(r * z, p, r);
  const Real result = select((angle.quarters & 1) == 0, y, -1.0 / y);
  return select(abs(x) == infinity(), not_a_number(), with_sign_flipped(result, bits_of(x)));
}

// atan(q) = q + q^3 p(q^2) with a minimax polynomial on [0, 1], of the quotient of the smaller and the greater magnitude. At most 3 ULP.
Real MathEmitter::atan2(Real y, Real x) {
  const Real a = abs(y), b = abs(x);
  const Truth steep = a > b;
  const Real least = select(steep, b, a), greatest = select(steep, a, b);
  Real q = least / greatest;
  q = select(greatest == 0, greatest, q);
  q = select(least == infinity(), 1, q);
  const Real z = q * q;
  const Real p =
      polynomial(z,
                 {-0.00238699732, 0.0135077714, -0.035871539, 0.0625016944, -0.0865688043, 0.110337641, -0.142785687,
                  0.199997393, -0.333333317},
                 {1.8061954618612151e-05, -0.00019996189377901382, 0.0010496035084968515, -0.0034958859739163094,
                  0.0083689311784501622,  -0.015535152475414177,   0.023696731580048622,  -0.031277189066996385,
                  0.037494868125352472,   -0.042603566326016522,   0.047377495795277787,  -0.052579733342841106,
                  0.058815068777936561,   -0.066665646992891042,   0.076922989710332165,  -0.090909085908919343,
                  0.11111111093490827,    -0.14285714285384132,    0.19999999999997531,   -0.33333333333333331});
  Real angle = fma(q * z, p, q);
  angle = select(
      steep,
      pick(1.5707963705062866, 1.5707963267948966) - (angle - pick(-4.3711388286737929e-8, 6.123233995736766e-17)),
      angle);
  const Truth left{&b_, b_.CreateICmpSLT(bits_of(x).v, bits_of(x).like(0).v)};  // also for -0
  angle = select(
      left,
      pick(3.1415927410125732, 3.1415926535897931) - (angle - pick(-8.7422776573475858e-8, 1.2246467991473532e-16)),
      angle);
  return select(x != x || y != y, x + y, copysign(angle, y));
}

}  // namespace weft::compiler
