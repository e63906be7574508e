// PNG pictures, where the program was built with librsvg.
#pragma once

namespace s3gd::app {

// Tells the reports how to write them; does nothing in a program without librsvg.
void install_rasteriser();

}  // namespace s3gd::app
