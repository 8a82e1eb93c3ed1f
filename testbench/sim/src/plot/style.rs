//! How lines are told apart: seven colours that colour-blind readers can tell apart, each solid, dashed and dotted; and the legend
//! below a panel that has too many lines for one inside.

use plotters::coord::Shift;
use plotters::prelude::*;

/// Okabe and Ito's palette without its yellow, which is too light on white.
const PALETTE: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(0, 0, 0),
];

/// Lines that have a colour of their own: a legend for these fits inside the panel.
pub const COLOURS: usize = PALETTE.len();
/// Lines that colour and dashes tell apart.
pub const STYLES: usize = 3 * COLOURS;

/// Pixels drawn and left out in turn; `None`: solid.
pub type Dashes = Option<(u32, u32)>;

/// Colour and dashes of the line with that number.
pub fn of(index: usize) -> (RGBColor, Dashes) {
    let dashes = [None, Some((7, 4)), Some((2, 4))][index / COLOURS % 3];
    (PALETTE[index % COLOURS], dashes)
}

/// Least width of a column of the legend, pixels.
const COLUMN: usize = 90;
/// Width of a character at the legend's size, pixels, on the average.
const CHARACTER: usize = 7;
const ROW: i32 = 17;
const SAMPLE: i32 = 22;

/// Width of a column that holds the longest label, and columns beside each other in that width.
fn columns(labels: &[&str], width: u32) -> (usize, usize) {
    let longest = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0);
    let column = COLUMN.max(SAMPLE as usize + 13 + CHARACTER * longest);
    (column, (width as usize / column).max(1))
}

/// Height of a legend below a panel of that width.
pub fn legend_height(labels: &[&str], width: u32) -> u32 {
    labels.len().div_ceil(columns(labels, width).1) as u32 * ROW as u32 + 6
}

/// Draws the legend: a sample of each line and its label, in rows.
pub fn legend<B: DrawingBackend>(area: &DrawingArea<B, Shift>, labels: &[&str]) -> Result<(), String> {
    let text = |e: DrawingAreaErrorKind<B::ErrorType>| e.to_string();
    let (column, columns) = columns(labels, area.dim_in_pixel().0);
    for (index, label) in labels.iter().enumerate() {
        let (colour, dashes) = of(index);
        let (left, y) = (
            8 + (index % columns * column) as i32,
            (index / columns) as i32 * ROW + ROW / 2,
        );
        let (drawn, gap) = dashes.map_or((SAMPLE, 1), |(drawn, gap)| (drawn as i32, gap as i32));
        let mut at = 0;
        while at < SAMPLE {
            let end = (at + drawn).min(SAMPLE);
            let part = vec![(left + at, y), (left + end, y)];
            area.draw(&PathElement::new(part, colour.stroke_width(2)))
                .map_err(text)?;
            at = end + gap;
        }
        let place = (left + SAMPLE + 5, y - 7);
        let own = Text::new(label.to_string(), place, ("sans-serif", 12).into_font());
        area.draw(&own).map_err(text)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_hold_the_longest_label() {
        assert_eq!(columns(&["a", "b"], 560), (90, 6));
        let (column, count) = columns(&["pruning threshold_percent 20", "a"], 560);
        assert_eq!((column, count), (231, 2));
        assert_eq!(legend_height(&["a", "b", "c"], 100), 3 * ROW as u32 + 6);
    }

    #[test]
    fn every_line_up_to_the_last_style_differs() {
        for a in 0..STYLES {
            assert!((a + 1..STYLES).all(|b| of(a) != of(b)), "{a}");
        }
    }
}
