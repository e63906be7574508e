#include "png.hpp"

#ifdef S3GD_HAVE_RSVG
#include <cairo.h>
#include <librsvg/rsvg.h>

#include <memory>
#include <ostream>

#include "base/file.hpp"
#include "report/figures.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

constexpr double kScale = 3;  // pixels for each of the picture's own: enough for print

template <auto destroy>
struct Destroy {
  template <class T>
  void operator()(T* object) const {
    destroy(object);
  }
};

cairo_status_t append(void* out, const unsigned char* bytes, unsigned int count) {
  static_cast<std::ostream*>(out)->write(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

void write_png(const std::string& svg, const std::string& path) {
  GError* error = nullptr;
  const std::unique_ptr<RsvgHandle, Destroy<g_object_unref>> picture(
      rsvg_handle_new_from_data(reinterpret_cast<const guint8*>(svg.data()), svg.size(), &error));
  double width = 0, height = 0;
  if (!picture || rsvg_handle_get_intrinsic_size_in_pixels(picture.get(), &width, &height) == 0) {
    g_clear_error(&error);
    throw Error("the figure for " + path + " could not be drawn", "use the SVG beside it");
  }
  const std::unique_ptr<cairo_surface_t, Destroy<cairo_surface_destroy>> surface(cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(kScale * width), static_cast<int>(kScale * height)));
  const std::unique_ptr<cairo_t, Destroy<cairo_destroy>> canvas(cairo_create(surface.get()));
  cairo_scale(canvas.get(), kScale, kScale);
  const RsvgRectangle area{0, 0, width, height};
  const bool drawn = rsvg_handle_render_document(picture.get(), canvas.get(), &area, &error) != 0;
  g_clear_error(&error);
  if (!drawn || cairo_status(canvas.get()) != CAIRO_STATUS_SUCCESS)
    throw Error("the figure for " + path + " could not be drawn", "use the SVG beside it");
  write_atomically(path, [&](std::ostream& out) { cairo_surface_write_to_png_stream(surface.get(), append, &out); });
}

}  // namespace

void install_rasteriser() { report::use_rasteriser(write_png); }

}  // namespace s3gd::app
#else
namespace s3gd::app {

void install_rasteriser() {}

}  // namespace s3gd::app
#endif
