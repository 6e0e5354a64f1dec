// Draws a sheet of pictures with the captions that a captioner generated; marks which are correct.
#pragma once

#include <string>

#include <apps/captioner/caption_evaluation.h>

namespace weft::captioner {

// Returns one picture: green frames mark correct captions, red frames wrong ones with the true caption below. Throws Error if
// there are no examples.
data::RgbImage draw_sheet(const CaptionScore& score);
// Returns a self-contained HTML page.
std::string html_sheet(const CaptionScore& score);

}  // namespace weft::captioner
