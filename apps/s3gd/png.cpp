#include "output.hpp"

#ifdef S3GD_HAVE_RSVG
#include <cairo.h>
#include <dlfcn.h>
#include <librsvg/rsvg.h>

#include <ostream>

#include "base/file.hpp"
#include "report/document.hpp"
#include "s3gd/error.hpp"

namespace s3gd::app {
namespace {

constexpr double kScale = 3;  // pixels for each of the picture's own: enough for print

// librsvg brings cairo, pango and glib with it. They are loaded when the first picture is drawn: linked, they would
// double the time every command takes to start.
class Drawing {
 public:
  Drawing() : library_(dlopen("librsvg-2.so.2", RTLD_NOW | RTLD_GLOBAL)) {}
  bool loaded() const { return library_ != nullptr; }

  template <class Function>
  Function* get(Function*, const char* name) const {
    void* found = dlsym(library_, name);
    if (found == nullptr) throw Error(std::string("librsvg has no ") + name, "use the SVG files");
    return reinterpret_cast<Function*>(found);
  }

 private:
  void* library_;
};
#define S3GD_LOADED(name) drawing.get(&name, #name)

cairo_status_t append(void* out, const unsigned char* bytes, unsigned int count) {
  static_cast<std::ostream*>(out)->write(reinterpret_cast<const char*>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

bool draw(const Drawing& drawing, RsvgHandle* picture, const std::string& path) {
  double width = 0, height = 0;
  if (S3GD_LOADED(rsvg_handle_get_intrinsic_size_in_pixels)(picture, &width, &height) == 0) return false;
  cairo_surface_t* surface = S3GD_LOADED(cairo_image_surface_create)(
      CAIRO_FORMAT_RGB24, static_cast<int>(kScale * width), static_cast<int>(kScale * height));
  cairo_t* canvas = S3GD_LOADED(cairo_create)(surface);
  S3GD_LOADED(cairo_scale)(canvas, kScale, kScale);
  const RsvgRectangle area{0, 0, width, height};
  bool done = S3GD_LOADED(rsvg_handle_render_document)(picture, canvas, &area, nullptr) != 0;
  if (done)
    write_atomically(path, [&](std::ostream& out) {
      done = S3GD_LOADED(cairo_surface_write_to_png_stream)(surface, append, &out) == CAIRO_STATUS_SUCCESS;
    });
  S3GD_LOADED(cairo_destroy)(canvas);
  S3GD_LOADED(cairo_surface_destroy)(surface);
  return done;
}

bool write_png(const std::string& svg, const std::string& path) {
  static const Drawing drawing;
  if (!drawing.loaded()) return false;
  RsvgHandle* picture =
      S3GD_LOADED(rsvg_handle_new_from_data)(reinterpret_cast<const guint8*>(svg.data()), svg.size(), nullptr);
  const bool done = picture != nullptr && draw(drawing, picture, path);
  if (picture != nullptr) S3GD_LOADED(g_object_unref)(picture);
  if (!done) throw Error("the picture " + path + " could not be drawn", "use the SVG beside it");
  return true;
}

}  // namespace

void install_rasteriser() { report::use_rasteriser(write_png); }

}  // namespace s3gd::app
#else
namespace s3gd::app {

void install_rasteriser() {}

}  // namespace s3gd::app
#endif
