#include <weft/ir/legalize/chlo_special.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <span>

#include <weft/ir/builder.h>

namespace weft::ir::legalize {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Value compared(Value x, Direction direction, double with) { return compare(x, constant_like(x, with), direction); }

// Coefficients start with the highest power.
Value polynomial(Value x, std::span<const double> coefficients) {
  Value sum = constant_like(x, coefficients[0]);
  for (const double c : coefficients.subspan(1)) sum = sum * x + c;
  return sum;
}

// A sum of Chebyshev polynomials of x / 2, highest degree first, by Clenshaw's recurrence.
Value chebyshev(Value x, std::span<const double> coefficients) {
  Value b0 = constant_like(x, 0), b1 = b0, b2 = b0;
  for (const double c : coefficients) {
    b2 = b1;
    b1 = b0;
    b0 = x * b1 - b2 + c;
  }
  return (b0 - b2) * 0.5;
}

// ---- gamma: the Lanczos approximation with g = 7 and 9 terms

constexpr double lanczos_g = 7, lanczos_first = 0.99999999999980993227684700473478;
constexpr double lanczos[] = {676.520368121885098567009190444019, -1259.13921672240287047156078755283,
                              771.3234287776530788486528258894,   -176.61502916214059906584551354,
                              12.507343278686904814458936853,     -0.13857109526572011689554707,
                              9.984369578019570859563e-6,         1.50563273514931155834e-7};

// Returns the z of gamma(z + 1). For x below 1/2, it belongs to the reflected argument.
Value lanczos_argument(Value x, Value reflects) { return select(reflects, -x, x - constant_like(x, 1)); }

// Returns log(z + g + 1/2), which is exact for small z too.
Value log_shifted(Value z) {
  const double shift = lanczos_g + 0.5;
  return log_plus_one(z / constant_like(z, shift)) + std::log(shift);
}

// ---- the inverse of erf (Giles 2012); w = -log(1 - x^2)

constexpr double giles_f32_middle[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
                                       -0.00125372503, -0.00417768164, 0.246640727,    1.50140941};
constexpr double giles_f32_tail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
                                     -0.0076224613,   0.00943887047,  1.00167406,    2.83297682};
constexpr double giles_f64_middle[] = {
    -3.6444120640178196996e-21, -1.685059138182016589e-19,  1.2858480715256400167e-18,  1.115787767802518096e-17,
    -1.333171662854620906e-16,  2.0972767875968561637e-17,  6.6376381343583238325e-15,  -4.0545662729752068639e-14,
    -8.1519341976054721522e-14, 2.6335093153082322977e-12,  -1.2975133253453532498e-11, -5.4154120542946279317e-11,
    1.051212273321532285e-09,   -4.1126339803469836976e-09, -2.9070369957882005086e-08, 4.2347877827932403518e-07,
    -1.3654692000834678645e-06, -1.3882523362786468719e-05, 0.0001867342080340571352,   -0.00074070253416626697512,
    -0.0060336708714301490533,  0.24015818242558961693,     1.6536545626831027356};
constexpr double giles_f64_outer[] = {
    2.2137376921775787049e-09,  9.0756561938885390979e-08, -2.7517406297064545428e-07, 1.8239629214389227755e-08,
    1.5027403968909827627e-06,  -4.013867526981545969e-06, 2.9234449089955446044e-06,  1.2475304481671778723e-05,
    -4.7318229009055733981e-05, 6.8284851459573175448e-05, 2.4031110387097893999e-05,  -0.0003550375203628474796,
    0.00095328937973738049703,  -0.0016882755560235047313, 0.0024914420961078508066,   -0.0037512085075692412107,
    0.005370914553590063617,    1.0052589676941592334,     3.0838856104922207635};
constexpr double giles_f64_tail[] = {-2.7109920616438573243e-11, -2.5556418169965252055e-10, 1.5076572693500548083e-09,
                                     -3.7894654401267369937e-09, 7.6157012080783393804e-09,  -1.4960026627149240478e-08,
                                     2.9147953450901080826e-08,  -6.7711997758452339498e-08, 2.2900482228026654717e-07,
                                     -9.9298272942317002539e-07, 4.5260625972231537039e-06,  -1.9681778105531670567e-05,
                                     7.5995277030017761139e-05,  -0.00021503011930044477347, -0.00013871931833623122026,
                                     1.0103004648645343977,      4.8499064014085844221};

Value erf_inv_factor(Value w) {
  // The root is chosen for w of 5 and more; below, its operand is not w, so that its gradient is finite where it is not chosen.
  const Value wide = select(compared(w, Direction::LT, 1), constant_like(w, 1), w);
  const auto shifted_root = [&](double by) { return sqrt(wide) + -by; };
  if (w.dtype() == DType::f32)
    return select(compared(w, Direction::LT, 5), polynomial(w + -2.5, giles_f32_middle),
                  polynomial(shifted_root(3), giles_f32_tail));
  const Value outer = select(compared(w, Direction::LT, 16), polynomial(shifted_root(3.25), giles_f64_outer),
                             polynomial(shifted_root(5), giles_f64_tail));
  return select(compared(w, Direction::LT, 6.25), polynomial(w + -3.125, giles_f64_middle), outer);
}

// ---- erf(x) / x as a rational function of x^2, for x in [-1, 1] (Cephes)

constexpr double erf_t[] = {9.60497373987051638749e0, 9.00260197203842689217e1, 2.23200534594684319226e3,
                            7.00332514112805075473e3, 5.55923013010394962768e4};
constexpr double erf_u[] = {1.0,
                            3.35617141647503099647e1,
                            5.21357949780152679795e2,
                            4.59432382970980127987e3,
                            2.26290000613890934246e4,
                            4.92673942608635921086e4};

// ---- erfc(x) exp(x^2) as rational functions, for x in [1, 8) and for x above (Cephes)

constexpr double erfc_p[] = {2.46196981473530512524e-10, 5.64189564831068821977e-1, 7.46321056442269912687e0,
                             4.86371970985681366614e1,   1.96520832956077098242e2,  5.26445194995477358631e2,
                             9.34528527171957607540e2,   1.02755188689515710272e3,  5.57535335369399327526e2};
constexpr double erfc_q[] = {1.0,
                             1.32281951154744992508e1,
                             8.67072140885989742329e1,
                             3.54937778887819891062e2,
                             9.75708501743205489753e2,
                             1.82390916687909736289e3,
                             2.24633760818710981792e3,
                             1.65666309194161350182e3,
                             5.57535340817727675546e2};
constexpr double erfc_r[] = {5.64189583547755073984e-1, 1.27536670759978104416e0, 5.01905042251180477414e0,
                             6.16021097993053585195e0,  7.40974269950448939160e0, 2.97886665372100240670e0};
constexpr double erfc_s[] = {1.0,
                             2.26052863220117276590e0,
                             9.39603524938001434673e0,
                             1.20489539808096656605e1,
                             1.70814450747565897222e1,
                             9.60896809063285878198e0,
                             3.36907645100081516050e0};

// ---- I1(x) exp(-x), divided by x for x <= 8 and multiplied by sqrt(x) above (Cephes)

constexpr double i1e_small_f32[] = {9.38153738649577178388e-9,  -4.44505912879632808065e-8, 2.00329475355213526229e-7,
                                    -8.56872026469545474066e-7, 3.47025130813767847674e-6,  -1.32731636560394358279e-5,
                                    4.78156510755005422638e-5,  -1.61760815825896745588e-4, 5.12285956168575772895e-4,
                                    -1.51357245063125314899e-3, 4.15642294431288815669e-3,  -1.05640848946261981558e-2,
                                    2.47264490306265168283e-2,  -5.29459812080949914269e-2, 1.02643658689847095384e-1,
                                    -1.76416518357834055153e-1, 2.52587186443633654823e-1};
constexpr double i1e_large_f32[] = {-3.83538038596423702205e-9, -2.63146884688951950684e-8, -2.51223623787020892529e-7,
                                    -3.88256480887769039346e-6, -1.10588938762623716291e-4, -9.76109749136146840777e-3,
                                    7.78576235018280120474e-1};
constexpr double i1e_small_f64[] = {
    2.77791411276104639959e-18, -2.11142121435816608115e-17, 1.55363195773620046921e-16, -1.10559694773538630805e-15,
    7.60068429473540693410e-15, -5.04218550472791168711e-14, 3.22379336594557470981e-13, -1.98397439776494371520e-12,
    1.17361862988909016308e-11, -6.66348972350202774223e-11, 3.62559028155211703701e-10, -1.88724975172282928790e-9,
    9.38153738649577178388e-9,  -4.44505912879632808065e-8,  2.00329475355213526229e-7,  -8.56872026469545474066e-7,
    3.47025130813767847674e-6,  -1.32731636560394358279e-5,  4.78156510755005422638e-5,  -1.61760815825896745588e-4,
    5.12285956168575772895e-4,  -1.51357245063125314899e-3,  4.15642294431288815669e-3,  -1.05640848946261981558e-2,
    2.47264490306265168283e-2,  -5.29459812080949914269e-2,  1.02643658689847095384e-1,  -1.76416518357834055153e-1,
    2.52587186443633654823e-1};
constexpr double i1e_large_f64[] = {
    7.51729631084210481353e-18,  4.41434832307170791151e-18,  -4.65030536848935832153e-17, -3.20952592199342395980e-17,
    2.96262899764595013876e-16,  3.30820231092092828324e-16,  -1.88035477551078244854e-15, -3.81440307243700780478e-15,
    1.04202769841288027642e-14,  4.27244001671195135429e-14,  -2.10154184277266431302e-14, -4.08355111109219731823e-13,
    -7.19855177624590851209e-13, 2.03562854414708950722e-12,  1.41258074366137813316e-11,  3.25260358301548823856e-11,
    -1.89749581235054123450e-11, -5.58974346219658380687e-10, -3.83538038596423702205e-9,  -2.63146884688951950684e-8,
    -2.51223623787020892529e-7,  -3.88256480887769039346e-6,  -1.10588938762623716291e-4,  -9.76109749136146840777e-3,
    7.78576235018280120474e-1};

// ---- zeta by Euler-Maclaurin: the number of terms that are summed directly, and (2j)! / B(2j) for j = 1, 2, ... for the remainder

constexpr int zeta_terms = 10;
constexpr double zeta_divisors[] = {12.0,
                                    -720.0,
                                    30240.0,
                                    -1209600.0,
                                    47900160.0,
                                    -1.8924375803183791606e9,
                                    7.47242496e10,
                                    -2.950130727918164224e12,
                                    1.1646782814350067249e14,
                                    -4.5979787224074726105e15,
                                    1.8152105401943546773e17,
                                    -7.1661652561756670113e18};

Value is_whole(Value x) { return compare(x, floor(x), Direction::EQ); }
Value nan_like(Value x) { return constant_like(x, std::numeric_limits<double>::quiet_NaN()); }

}  // namespace

Value bessel_i1e(Value x) {
  const bool single = x.dtype() == DType::f32;
  const Value a = abs(x), small_at = a * 0.5 + -2.0, large_at = constant_like(x, 32) / a + -2.0;
  const Value small = a * chebyshev(small_at, single ? std::span<const double>(i1e_small_f32) : i1e_small_f64);
  const Value large = chebyshev(large_at, single ? std::span<const double>(i1e_large_f32) : i1e_large_f64) / sqrt(a);
  return sign(x) * select(compared(a, Direction::LE, 8), small, large);
}

Value digamma(Value x) {
  const Value reflects = compared(x, Direction::LT, 0.5), z = lanczos_argument(x, reflects);
  Value sum = constant_like(z, lanczos_first), derivative = constant_like(z, 0);
  for (int i = 0; i < std::ssize(lanczos); ++i) {
    const Value shifted = z + (i + 1.0), numerator = constant_like(z, lanczos[i]);
    derivative = derivative - numerator / (shifted * shifted);
    sum = sum + numerator / shifted;
  }
  const Value t = z + (lanczos_g + 0.5);
  const Value y = log_shifted(z) + derivative / sum - constant_like(z, lanczos_g) / t;
  // digamma(x) = digamma(1 - x) - pi / tan(pi x); x is first shifted by an integer to keep the tangent accurate.
  // The sine of the other numbers is not used, and must not be 0.
  const Value near = select(reflects, x + abs(floor(x + 0.5)), constant_like(x, 0.5)), turned = near * std::numbers::pi;
  const Value reflected = y - cosine(turned) * std::numbers::pi / sine(turned);
  const Value is_pole = and_(compared(x, Direction::LE, 0), is_whole(x));
  return select(is_pole, nan_like(x), select(reflects, reflected, y));
}

Value erf_inv(Value x) {
  const Value result = erf_inv_factor(-log_plus_one(x * -x)) * x;
  const Value is_edge = compared(abs(x), Direction::EQ, 1);
  return select(is_edge, select(is_edge, x, constant_like(x, 1)) * infinity, result);
}

namespace {

// Returns erfc of a number from 1 on.
Value erfc_of_large(Value a) {
  const Value scale = exponential(-(a * a));
  const Value middle = polynomial(a, erfc_p) / polynomial(a, erfc_q),
              tail = polynomial(a, erfc_r) / polynomial(a, erfc_s);
  const Value result = scale * select(compared(a, Direction::LT, 8), middle, tail);
  // For large numbers, exp(-a^2) is 0 long before the rational functions become NaN.
  return select(compared(scale, Direction::EQ, 0), scale, result);
}

}  // namespace

Value erf_by_arithmetic(Value x) {
  const Value a = abs(x), square = x * x;
  const Value small = x * polynomial(square, erf_t) / polynomial(square, erf_u),
              large = sign(x) * (constant_like(x, 1) - erfc_of_large(a));
  return select(compared(a, Direction::LT, 1), small, large);
}

Value erfc(Value x) {
  const Value a = abs(x), large = erfc_of_large(a);
  const Value beyond = select(compared(x, Direction::LT, 0), constant_like(x, 2) - large, large);
  return select(compared(a, Direction::LT, 1), constant_like(x, 1) - erf(x), beyond);
}

Value lgamma(Value x) {
  const Value reflects = compared(x, Direction::LT, 0.5), z = lanczos_argument(x, reflects);
  Value sum = constant_like(z, lanczos_first);
  for (int i = 0; i < std::ssize(lanczos); ++i) sum = sum + constant_like(z, lanczos[i]) / (z + (i + 1.0));
  const Value t = z + (lanczos_g + 0.5), log_t = log_shifted(z);
  const Value half = constant_like(z, 0.5);
  const Value y = (z + half - t / log_t) * log_t + 0.5 * std::log(2 * std::numbers::pi) + log(sum);
  // log |gamma(x)| = log pi - log |sin(pi x)| - log |gamma(1 - x)|: infinite where the sine is 0.
  const Value a = abs(x), part = a - floor(a), one = constant_like(x, 1);
  const Value half_turn =
      select(reflects, part, half);  // The sine of the other numbers is not used, and must not be 0.
  const Value folded = select(compared(half_turn, Direction::GT, 0.5), one - half_turn, half_turn);
  const Value log_sine = log(sine(folded * std::numbers::pi));
  const Value reflected = constant_like(x, std::log(std::numbers::pi)) - log_sine - y;
  const Value below = select(is_finite(log_sine), reflected, -log_sine);
  return select(compared(a, Direction::EQ, infinity), constant_like(x, infinity), select(reflects, below, y));
}

// (-1)^(n + 1) n! zeta(n + 1, x)
Value polygamma(Value n, Value x) {
  const Value order = n + 1.0;
  const Value is_odd = compared(n - floor(n * 0.5) * 2.0, Direction::EQ, 1);
  const Value size = exponential(lgamma(order)) * zeta(order, x);
  const Value derivative = select(compared(n, Direction::EQ, 0), digamma(x), select(is_odd, size, -size));
  return select(and_(compared(n, Direction::GE, 0), is_whole(n)), derivative, nan_like(x));
}

Value zeta(Value x, Value q) {
  Value sum = power(q, -x), a = q;
  for (int k = 1; k < zeta_terms; ++k) {
    a = a + 1.0;
    sum = sum + power(a, -x);
  }
  a = a + 1.0;
  const Value last = power(a, -x), one = constant_like(x, 1);
  sum = sum + last * a / (x - one) + last * 0.5;
  Value term = last * x / a;
  double k = 1;
  for (const double divisor : zeta_divisors) {
    sum = sum + term * (1 / divisor);
    term = term * ((x + k) / a) * ((x + (k + 1)) / a);
    k += 2;
  }
  // There is a pole at every integer q <= 0; its sign is undefined for odd x. For other q < 0, only integer powers are real.
  const Value at_pole = and_(compared(q, Direction::LE, 0), is_whole(q));
  const Value is_even = compare(x, floor(x * 0.5) * 2.0, Direction::EQ);
  const Value of_pole = select(is_even, constant_like(x, infinity), nan_like(x));
  const Value real = or_(compared(q, Direction::GT, 0), is_whole(x));
  const Value within = select(real, select(at_pole, of_pole, sum), nan_like(x));
  const Value is_one = compared(x, Direction::EQ, 1);
  return select(compared(x, Direction::LT, 1), nan_like(x), select(is_one, constant_like(x, infinity), within));
}

}  // namespace weft::ir::legalize
