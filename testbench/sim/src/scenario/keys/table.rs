//! All rows.

use super::key::Section;
use super::{hand, source};

/// The whole table.
pub fn sections() -> Vec<Section> {
    let mut all = source::sections();
    all.push(hand::laws());
    for section in &mut all {
        for key in &mut section.keys {
            hand::refine(&section.path, key);
        }
    }
    all
}
