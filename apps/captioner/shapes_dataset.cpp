#include <apps/captioner/shapes_dataset.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <weft/base/error.h>
#include <weft/base/hash.h>

namespace weft::captioner {

namespace {

using Colour = std::array<float, 3>;

constexpr std::array<std::string_view, 2> size_words{"small", "large"};
constexpr std::array<double, 2> radii{0.13, 0.22};
constexpr std::array<std::string_view, 6> colour_words{"red", "green", "blue", "yellow", "purple", "white"};
constexpr std::array<Colour, colour_words.size()> colours{{{0.9f, 0.15f, 0.15f},
                                                           {0.15f, 0.8f, 0.2f},
                                                           {0.2f, 0.35f, 0.95f},
                                                           {0.95f, 0.85f, 0.15f},
                                                           {0.7f, 0.2f, 0.8f},
                                                           {1, 1, 1}}};
constexpr std::array<std::string_view, 4> shape_words{"circle", "square", "triangle", "cross"};

// Returns whether a point belongs to the shape; x and y are relative to the centre, in units of the radius.
bool covers(int shape, double x, double y) {
  switch (shape) {
    case 0: return x * x + y * y <= 1;
    case 1: return std::max(std::abs(x), std::abs(y)) <= 0.85;
    case 2: return y <= 0.85 && 2 * std::abs(x) <= y + 1;
    default: return std::min(std::abs(x), std::abs(y)) <= 0.3 && std::max(std::abs(x), std::abs(y)) <= 1;
  }
}

int pick(Draws& draws, std::size_t count) { return draws.between(0, count - 1); }

ColouredShape pick_shape(Draws& draws) {
  const int size = pick(draws, size_words.size()), colour = pick(draws, colour_words.size());
  return {.size = size, .colour = colour, .shape = pick(draws, shape_words.size())};
}

std::string name(const ColouredShape& shape) {
  const auto word = [](const auto& words, int place) { return words[place]; };
  return concat("a ", word(size_words, shape.size), ' ', word(colour_words, shape.colour), ' ',
                word(shape_words, shape.shape));
}

// Makes a scene with one shape, in a corner or in the middle.
Scene scene_of_one(Draws& draws) {
  static constexpr std::array<std::string_view, 5> places{"at the top left", "at the top right", "at the bottom left",
                                                          "at the bottom right", "in the middle"};
  ColouredShape shape = pick_shape(draws);
  const int place = pick(draws, places.size());
  const auto centre = [&](bool far) {
    if (place == 4) return draws.uniform(0.45, 0.55);
    const double distance = draws.uniform(0.24, 0.34);  // from the nearest edge
    return far ? 1 - distance : distance;
  };
  shape.x = centre(place % 2 == 1);
  shape.y = centre(place >= 2);
  return {{shape}, concat(name(shape), ' ', places[place])};
}

// Makes a scene with two shapes, beside or above each other: the distance in one direction is visibly larger than in the other.
Scene scene_of_two(Draws& draws) {
  ColouredShape first = pick_shape(draws), second = pick_shape(draws);
  const bool above = draws.uniform() < 0.5;
  const double room = first.radius() + second.radius() + 0.03;  // smallest distance between the centres
  const double apart = draws.uniform(std::max(room, 0.4), 0.56);
  const double across = draws.uniform(-0.2, 0.2);
  const auto start = [&](double distance) {  // keeps both shapes inside the picture
    const double low = 0.22 + std::max(0.0, -distance), high = 0.78 - std::max(0.0, distance);
    return draws.uniform(low, high);
  };
  const double dx = above ? across : apart, dy = above ? apart : across;
  first.x = start(dx), first.y = start(dy);
  second.x = first.x + dx, second.y = first.y + dy;
  return {{first, second}, concat(name(first), above ? " above " : " left of ", name(second))};
}

// The red, green and blue values of all pixels, from 0 to 1.
class Canvas {
 public:
  Canvas(Draws& draws, std::int64_t size) : size_(size), pixels_(3 * size * size) {
    for (int channel = 0; channel < 3; ++channel) {
      const double shade = draws.uniform(0.05, 0.25);
      for (std::int64_t i = 0; i < size * size; ++i)
        at(channel, i) = static_cast<float>(shade + draws.uniform(-0.04, 0.04));
    }
  }

  void draw(const ColouredShape& shape, float brightness) {
    const auto limit = [&](double place) {
      return std::clamp(static_cast<std::int64_t>(place * size_), std::int64_t{0}, size_ - 1);
    };
    const double r = shape.radius();
    for (std::int64_t y = limit(shape.y - r); y <= limit(shape.y + r); ++y) {
      for (std::int64_t x = limit(shape.x - r); x <= limit(shape.x + r); ++x) {
        const float share = coverage(shape, x, y);
        for (int channel = 0; channel < 3; ++channel) {
          float& value = at(channel, y * size_ + x);
          const float wanted = brightness * colours[shape.colour][channel];
          value += share * (wanted - value);
        }
      }
    }
  }

  std::vector<float> normalized() && {  // to [-1, 1]
    for (float& value : pixels_) value = 2 * std::clamp(value, 0.f, 1.f) - 1;
    return std::move(pixels_);
  }

 private:
  float& at(int channel, std::int64_t pixel) { return pixels_[channel * size_ * size_ + pixel]; }

  // Returns the fraction of the pixel that the shape covers.
  float coverage(const ColouredShape& shape, std::int64_t x, std::int64_t y) const {
    constexpr int points = 4;  // sample points in each direction
    int inside = 0;
    const auto from_centre = [&](std::int64_t pixel, int point, double centre) {
      const double place = (pixel + (point + 0.5) / points) / size_;
      return (place - centre) / shape.radius();
    };
    for (int i = 0; i < points; ++i)
      for (int j = 0; j < points; ++j)
        inside += covers(shape.shape, from_centre(x, i, shape.x), from_centre(y, j, shape.y));
    return static_cast<float>(inside) / (points * points);
  }

  std::int64_t size_;
  std::vector<float> pixels_;
};

const std::vector<std::string_view>& words() {
  static const std::vector<std::string_view> all = [] {
    std::vector<std::string_view> list(first_word_token);
    for (const std::string_view word :
         {"a", "at", "in", "the", "top", "bottom", "middle", "left", "right", "above", "of"})
      list.push_back(word);
    list.insert(list.end(), size_words.begin(), size_words.end());
    list.insert(list.end(), colour_words.begin(), colour_words.end());
    list.insert(list.end(), shape_words.begin(), shape_words.end());
    return list;
  }();
  return all;
}

}  // namespace

double ColouredShape::radius() const { return radii[size]; }

ShapesDataset::ShapesDataset(Split split, std::uint64_t seed, std::int64_t samples, std::int64_t image_size)
    : split_(split), seed_(seed), samples_(samples), image_size_(image_size) {
  require(samples > 0, "ShapesDataset: samples must be positive, got ", samples);
  require(image_size >= 16, "ShapesDataset: nothing can be seen in pictures of ", image_size,
          " pixels; 16 are the least");
}

Draws ShapesDataset::draws(std::int64_t sample) const {
  require(sample >= 0 && sample < samples_, "ShapesDataset: sample ", sample, " of ", samples_);
  return Draws(mix(mix(seed_, static_cast<std::uint64_t>(split_)), sample));
}

Scene ShapesDataset::scene(std::int64_t sample) const {
  Draws numbers = draws(sample);
  return scene(numbers);
}

Scene ShapesDataset::scene(Draws& draws) const {
  while (true) {
    Scene made = draws.uniform() < 0.3 ? scene_of_one(draws) : scene_of_two(draws);
    if (split_of(made.sentence) == split_) return made;
  }
}

CaptionedImage ShapesDataset::operator[](std::int64_t sample) const {
  Draws numbers = draws(sample);
  const Scene shown = scene(numbers);
  Canvas canvas(numbers, image_size_);
  for (const ColouredShape& shape : shown.shapes) canvas.draw(shape, static_cast<float>(numbers.uniform(0.8, 1)));
  return {image_size_, std::move(canvas).normalized(), encode(shown.sentence)};
}

Split ShapesDataset::split_of(std::string_view sentence) {
  return hash_bytes(sentence) % 10 == 0 ? Split::held_out : Split::training;
}

std::span<const std::string_view> ShapesDataset::vocabulary() { return words(); }

std::vector<std::int32_t> ShapesDataset::encode(std::string_view sentence) {
  std::vector<std::int32_t> tokens;
  std::istringstream text{std::string(sentence)};
  for (std::string word; text >> word;) {
    const auto found = std::ranges::find(words(), word);
    require(found != words().end(), "ShapesDataset::encode: unknown word ", word);
    tokens.push_back(found - words().begin());
  }
  tokens.push_back(end_token);
  return tokens;
}

std::string ShapesDataset::decode(std::span<const std::int32_t> tokens) {
  std::string sentence;
  for (const std::int32_t token : tokens) {
    if (token == end_token) break;
    const std::size_t place = token;
    const bool is_word = token >= first_word_token && place < words().size();
    sentence += concat(sentence.empty() ? "" : " ", is_word ? std::string(words()[place]) : concat('<', token, '>'));
  }
  return sentence;
}

}  // namespace weft::captioner
