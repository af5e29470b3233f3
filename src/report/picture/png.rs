//! Pictures as PNG: the same drawing, rendered with a font that comes with the program.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::Picture;

/// Pixels of the image for one of the drawing, so that it is sharp where it is shown at twice its size.
const SCALE: f32 = 2.0;

/// No font of the system: the bytes must not depend on what is installed.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    Arc::new(fonts)
});

impl Picture {
    /// The picture as a PNG image, on the light ground.
    pub fn png(&self) -> Vec<u8> {
        let options = Options { fontdb: FONTS.clone(), font_family: "Ubuntu".to_owned(), ..Options::default() };
        // Symbols that one font lacks are looked for in the other.
        let tree = Tree::from_str(&self.file(), &options).expect("the drawing is well-formed SVG");
        let size = tree.size().to_int_size().scale_by(SCALE).expect("a picture has a size");
        let mut pixels = Pixmap::new(size.width(), size.height()).expect("a picture has a size");
        resvg::render(&tree, Transform::from_scale(SCALE, SCALE), &mut pixels.as_mut());
        pixels.encode_png().expect("an image in memory can be encoded")
    }
}
