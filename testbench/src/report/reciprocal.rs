//! The ways to 1/n side by side: bytes and errors over every n, and a figure of the errors.

use hpcc_models::fixed::reciprocal::{
    paper_table::LARGEST, ErrorStatistics, Interpolated, PaperTable, Reciprocal, RegularTable,
};
use plotters::coord::Shift;
use plotters::prelude::*;
use std::fmt::Write;
use std::ops::Range;

/// The figure's width and height.
const SIZE: (u32, u32) = (900, 760);
const TITLE: (&str, u32) = ("sans-serif", 21);
const LABEL: (&str, u32) = ("sans-serif", 16);
/// Slices of the logarithmic axis of n; from each the worst n is drawn.
const SLICES: usize = 220;
/// The part in which single breakpoints can be seen.
const ZOOM: Range<u64> = 1000..1061;
/// Errors are drawn down to this; exact values lie on it.
const FLOOR: f64 = 1e-7;

/// Ways to compute 1/n by name.
pub fn ways() -> Vec<(&'static str, Box<dyn Reciprocal>)> {
    vec![
        ("paper's table", Box::new(PaperTable::default())),
        ("one value per cell", Box::new(RegularTable::first_of_cell())),
        ("one value per cell, centred", Box::new(RegularTable::centred())),
        ("interpolated", Box::new(Interpolated)),
    ]
}

/// A table of bytes and errors, measured over every n from 1 to 2^22.
pub fn table() -> String {
    let mut text = format!(
        "{:<28} {:>6} {:>11} {:>11} {:>9} {:>11}\n",
        "1/n for n = 1 to 2^22", "bytes", "bound", "worst", "at n", "mean"
    );
    for (name, way) in ways() {
        let errors = ErrorStatistics::over(way.as_ref(), 1..=LARGEST);
        let _ = writeln!(
            text,
            "{name:<28} {:>6} {:>11.3e} {:>11.3e} {:>9} {:>11.3e}",
            way.table_bytes(),
            way.bound(),
            errors.worst,
            errors.worst_at,
            errors.mean
        );
    }
    text
}

/// Worst error of each slice of the axis of n.
fn envelope(way: &dyn Reciprocal) -> Vec<(f64, f64)> {
    let edge = |slice: usize| 2f64.powf(22.0 * slice as f64 / SLICES as f64).ceil() as u64;
    (0..SLICES)
        .map(|slice| edge(slice)..edge(slice + 1).min(LARGEST + 1))
        .filter(|slice| !slice.is_empty())
        .map(|slice| {
            let start = slice.start as f64;
            (start, ErrorStatistics::over(way, slice).worst.max(FLOOR))
        })
        .collect()
}

/// The figure as SVG: the worst error along n, both axes logarithmic, and below it the signed error of some n in a row.
pub fn figure() -> Result<String, String> {
    hpcc_sim::plot::font();
    let mut svg = String::new();
    draw(&SVGBackend::with_string(&mut svg, SIZE).into_drawing_area()).map_err(|error| error.to_string())?;
    Ok(svg)
}

type Drawn<B> = Result<(), DrawingAreaErrorKind<<B as DrawingBackend>::ErrorType>>;

fn draw<B: DrawingBackend>(area: &DrawingArea<B, Shift>) -> Drawn<B> {
    area.fill(&WHITE)?;
    let (upper, lower) = area.split_vertically(SIZE.1 * 11 / 20);
    draw_envelopes(&upper)?;
    draw_zoom(&lower)?;
    area.present()
}

/// Colour of a way, from a palette that colour-blind readers can tell apart.
fn colour(index: usize) -> RGBColor {
    [
        RGBColor(213, 94, 0),
        RGBColor(0, 158, 115),
        RGBColor(204, 121, 167),
        RGBColor(0, 114, 178),
    ][index]
}

fn draw_envelopes<B: DrawingBackend>(area: &DrawingArea<B, Shift>) -> Drawn<B> {
    let mut chart = ChartBuilder::on(area)
        .caption("Worst relative error of 1/n", TITLE)
        .margin(12)
        .margin_right(28)
        .x_label_area_size(38)
        .y_label_area_size(64)
        .build_cartesian_2d((1f64..LARGEST as f64).log_scale(), (FLOOR..2e-2).log_scale())?;
    chart
        .configure_mesh()
        .x_desc("n")
        .y_desc("relative error")
        .x_label_formatter(&|n| format!("{n}"))
        .y_label_formatter(&|error| format!("{error:.0e}"))
        .light_line_style(TRANSPARENT)
        .label_style(LABEL)
        .axis_desc_style(LABEL)
        .draw()?;
    for (index, (name, way)) in ways().into_iter().enumerate() {
        let style = colour(index).stroke_width(2);
        let label = format!("{name}, {} bytes", way.table_bytes());
        chart
            .draw_series(LineSeries::new(envelope(way.as_ref()), style))?
            .label(label)
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], style));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font(LABEL)
        .draw()
}

fn draw_zoom<B: DrawingBackend>(area: &DrawingArea<B, Shift>) -> Drawn<B> {
    let mut chart = ChartBuilder::on(area)
        .caption("Relative error from n to n", TITLE)
        .margin(12)
        .margin_right(28)
        .x_label_area_size(38)
        .y_label_area_size(64)
        .build_cartesian_2d(ZOOM.start as f64..(ZOOM.end - 1) as f64, -0.25f64..0.45)?;
    chart
        .configure_mesh()
        .x_desc("n")
        .y_desc("relative error, %")
        .x_label_formatter(&|n| format!("{n}"))
        .y_label_formatter(&|error| format!("{:.1}", (error * 10.0).round() / 10.0 + 0.0))
        .light_line_style(TRANSPARENT)
        .label_style(LABEL)
        .axis_desc_style(LABEL)
        .draw()?;
    for (index, (_, way)) in ways().into_iter().enumerate().filter(|(index, _)| *index != 1) {
        let error = |n: u64| (n as f64, 100.0 * (way.reciprocal(n).value() * n as f64 - 1.0));
        chart.draw_series(LineSeries::new(ZOOM.map(error), colour(index)))?;
        chart.draw_series(ZOOM.map(|n| Circle::new(error(n), 2, colour(index).filled())))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::cache::workspace_dir;

    #[test]
    fn the_committed_figure_is_what_the_source_draws() {
        let path = workspace_dir().join("docs/src/figures/reciprocal.svg");
        let committed = std::fs::read_to_string(path).expect("committed figure");
        assert!(
            figure().expect("drawn") == committed,
            "run `hpcc-nic report --reciprocal`"
        );
    }

    #[test]
    fn the_table_has_a_line_per_way() {
        let table = table();
        assert_eq!(table.lines().count(), 1 + ways().len());
        assert!(table.contains("16422") && table.contains("1024"), "{table}");
    }
}
