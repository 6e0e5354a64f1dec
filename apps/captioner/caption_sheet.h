// A sheet of pictures with what a captioner says of them, right and wrong ones marked.
#pragma once

#include <string>

#include <apps/captioner/caption_evaluation.h>

namespace weft::captioner {

// One picture, for looking at: green frames are right, red ones wrong, with the truth below. Throws Error if there are no examples.
data::RgbImage draw_sheet(const CaptionScore& score);
// One page that needs no network and no other file.
std::string html_sheet(const CaptionScore& score);

}  // namespace weft::captioner
