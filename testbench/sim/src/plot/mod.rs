//! Figures as SVG and PNG: panels side by side, lines or steps, axes with units, colours that colour-blind readers can tell apart.

mod axis;
mod style;

use std::sync::Once;

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::{register_font, FontStyle};

use axis::LogAxis;

const PANEL: (u32, u32) = (560, 400);
const TITLE_HEIGHT: u32 = 40;

/// One line of a panel.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Legend; empty: none.
    pub label: String,
    /// Points.
    pub points: Vec<(f64, f64)>,
    /// Held until the next point.
    pub step: bool,
    /// Marks at the points.
    pub marks: bool,
    /// Error bars: how far each point's reaches up and down; empty, or one for each point (0: none).
    pub errors: Vec<f64>,
}

impl Line {
    /// A line through points.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self {
            label: label.into(),
            points,
            ..Self::default()
        }
    }
}

/// One pair of axes.
#[derive(Clone, Debug, Default)]
pub struct Panel {
    /// Title.
    pub title: String,
    /// Horizontal axis with unit.
    pub x: String,
    /// Vertical axis with unit.
    pub y: String,
    /// Logarithmic horizontal axis.
    pub log_x: bool,
    /// Logarithmic vertical axis.
    pub log_y: bool,
    /// Largest value of the vertical axis, where it is not that of the data.
    pub y_max: Option<f64>,
    /// Horizontal marks with a label, such as a line rate.
    pub levels: Vec<(f64, String)>,
    /// A distribution: the legend goes where such lines are not.
    pub distribution: bool,
    /// Lines.
    pub lines: Vec<Line>,
}

/// A figure: panels in rows of at most three.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// File name without ending.
    pub name: String,
    /// Title.
    pub title: String,
    /// Panels.
    pub panels: Vec<Panel>,
}

/// Text is drawn with one embedded font, so that files are the same on every machine.
pub fn font() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let bytes = include_bytes!("../../../data/font/figures.ttf");
        // The name plotters uses by default; a font that does not parse would leave figures without text.
        let _ = register_font("sans-serif", FontStyle::Normal, bytes);
    });
}

impl Figure {
    fn layout(&self) -> (usize, usize, (u32, u32)) {
        let columns = self.panels.len().clamp(1, 3);
        let rows = self.panels.len().div_ceil(columns).max(1);
        (
            rows,
            columns,
            (PANEL.0 * columns as u32, PANEL.1 * rows as u32 + TITLE_HEIGHT),
        )
    }

    /// The figure as SVG.
    pub fn svg(&self) -> Result<String, String> {
        font();
        let mut text = String::new();
        {
            let root = SVGBackend::with_string(&mut text, self.layout().2).into_drawing_area();
            self.draw(&root).map_err(|e| format!("{}: {e}", self.name))?;
        }
        Ok(text)
    }

    /// The figure as PNG, written to a file.
    pub fn png(&self, path: &std::path::Path) -> Result<(), String> {
        font();
        let root = BitMapBackend::new(path, self.layout().2).into_drawing_area();
        self.draw(&root).map_err(|e| format!("{}: {e}", path.display()))
    }

    fn draw<B: DrawingBackend>(&self, root: &DrawingArea<B, Shift>) -> Result<(), String> {
        let (rows, columns, _) = self.layout();
        let text = |e: DrawingAreaErrorKind<B::ErrorType>| e.to_string();
        root.fill(&WHITE).map_err(text)?;
        let (_, below) = root.split_vertically(6);
        let area = below.titled(&self.title, ("sans-serif", 20)).map_err(text)?;
        for (panel, place) in self.panels.iter().zip(area.split_evenly((rows, columns))) {
            panel.draw(&place)?;
        }
        root.present().map_err(text)
    }
}

impl Panel {
    fn range(&self, pick: impl Fn(&(f64, f64)) -> f64, log: bool) -> (f64, f64) {
        let values = self
            .lines
            .iter()
            .flat_map(|l| {
                let ends = l.points.iter().zip(&l.errors);
                let ends = ends.flat_map(|(p, half)| [(p.0, p.1 - half), (p.0, p.1 + half)]);
                l.points.iter().copied().chain(ends)
            })
            .map(|p| pick(&p))
            .filter(|v| v.is_finite());
        let values = values.filter(|v| !log || *v > 0.0);
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
        if low > high {
            return if log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        if log {
            (low * 0.9, (high * 1.1).max(low * 2.0))
        } else {
            (low.min(0.0), if high > 0.0 { high * 1.05 } else { 1.0 })
        }
    }

    /// Entries of the legend inside the panel.
    fn inside_entries(&self) -> usize {
        let lines = self.lines.iter().filter(|l| !l.label.is_empty()).count();
        let levels = self.levels.iter().filter(|l| !l.1.is_empty()).count();
        levels + if self.lines_inside() { lines } else { 0 }
    }

    /// Lines stand in the legend inside the panel: of no more of them than there are colours, and where there is room above them.
    fn lines_inside(&self) -> bool {
        let full = self.y_max.is_some() && !self.distribution;
        self.lines.len() <= style::COLOURS && !full
    }

    /// Labels of the legend below the panel: of lines that have no room inside, and no more than there are styles.
    fn below(&self) -> Vec<&str> {
        let named = self.lines.iter().any(|l| !l.label.is_empty());
        let fits = !self.lines_inside() && self.lines.len() <= style::STYLES;
        let labels = self.lines.iter().map(|l| l.label.as_str());
        if named && fits {
            labels.collect()
        } else {
            Vec::new()
        }
    }

    fn draw<B: DrawingBackend>(&self, place: &DrawingArea<B, Shift>) -> Result<(), String> {
        let below = self.below();
        if below.is_empty() {
            return self.draw_axes(place);
        }
        let (width, height) = place.dim_in_pixel();
        let (upper, lower) = place.split_vertically(height - style::legend_height(&below, width));
        self.draw_axes(&upper)?;
        style::legend(&lower, &below)
    }

    fn draw_axes<B: DrawingBackend>(&self, place: &DrawingArea<B, Shift>) -> Result<(), String> {
        let (mut x0, x1) = self.range(|p| p.0, self.log_x);
        let (y0, mut y1) = self.range(|p| p.1, self.log_y);
        if !self.log_x {
            let least = self
                .lines
                .iter()
                .flat_map(|l| l.points.first())
                .map(|p| p.0)
                .fold(f64::MAX, f64::min);
            x0 = if least.is_finite() && least > x1 / 2.0 {
                least
            } else {
                x0
            };
        }
        let entries = self.inside_entries();
        if entries > 0 && !self.distribution {
            // Room for the legend above the lines.
            let room = 0.1 + 0.08 * entries as f64;
            y1 = if self.log_y {
                y1 * (y1 / y0).powf(room)
            } else {
                y1 * (1.0 + room)
            };
        }
        y1 = self.levels.iter().fold(y1, |top, level| top.max(level.0 * 1.08));
        y1 = self.y_max.unwrap_or(y1);
        let (x, y) = (x0..x1, y0..y1);
        match (self.log_x, self.log_y) {
            (false, false) => self.draw_on(place, x, y),
            (true, false) => self.draw_on(place, LogAxis::new(x), y),
            (false, true) => self.draw_on(place, x, LogAxis::new(y)),
            (true, true) => self.draw_on(place, LogAxis::new(x), LogAxis::new(y)),
        }
    }

    fn draw_on<B, X, Y>(&self, place: &DrawingArea<B, Shift>, x: X, y: Y) -> Result<(), String>
    where
        B: DrawingBackend,
        X: AsRangedCoord<Value = f64>,
        Y: AsRangedCoord<Value = f64>,
        X::CoordDescType: ValueFormatter<f64>,
        Y::CoordDescType: ValueFormatter<f64>,
    {
        let text = |e: DrawingAreaErrorKind<B::ErrorType>| e.to_string();
        let mut chart = ChartBuilder::on(place)
            .caption(&self.title, ("sans-serif", 16))
            .margin(12)
            .margin_right(22)
            .x_label_area_size(42)
            .y_label_area_size(68)
            .build_cartesian_2d(x, y)
            .map_err(text)?;
        chart
            .configure_mesh()
            .light_line_style(WHITE)
            .bold_line_style(BLACK.mix(0.12))
            .x_desc(&self.x)
            .y_desc(&self.y)
            .x_labels(8)
            .y_labels(7)
            .x_label_formatter(&|v| number(*v))
            .y_label_formatter(&|v| number(*v))
            .label_style(("sans-serif", 13))
            .axis_desc_style(("sans-serif", 14))
            .draw()
            .map_err(text)?;
        let span = self.lines.iter().flat_map(|l| l.points.iter().map(|p| p.0));
        let (low, high) = span.fold((f64::MAX, f64::MIN), |(a, b), v| (a.min(v), b.max(v)));
        for (value, label) in &self.levels {
            let style = BLACK.mix(0.6).stroke_width(1);
            let line = DashedLineSeries::new([(low, *value), (high, *value)], 6, 4, style);
            let drawn = chart.draw_series(line).map_err(text)?;
            if !label.is_empty() {
                drawn
                    .label(label)
                    .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], BLACK.mix(0.6)));
            }
        }
        let many = self.lines.len() > style::COLOURS;
        for (index, line) in self.lines.iter().enumerate() {
            let (colour, dashes) = style::of(index);
            let style = colour.stroke_width(if many { 1 } else { 2 });
            let drawn = match dashes {
                None => chart.draw_series(LineSeries::new(line.path(), style)).map_err(text)?,
                Some((on, off)) => {
                    let dashed = DashedLineSeries::new(line.path(), on, off, style);
                    chart.draw_series(dashed).map_err(text)?
                }
            };
            if !line.label.is_empty() && self.lines_inside() {
                drawn
                    .label(&line.label)
                    .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], colour.stroke_width(3)));
            }
            let bars = line.points.iter().zip(&line.errors).filter(|(_, half)| **half > 0.0);
            let bars = bars.map(|(&(x, y), half)| {
                // A logarithmic axis has no place for what is not above 0.
                let low = if self.log_y {
                    (y - half).max(y / 100.0)
                } else {
                    y - half
                };
                PathElement::new(vec![(x, low), (x, y + half)], colour.stroke_width(1))
            });
            chart.draw_series(bars).map_err(text)?;
            if line.marks {
                let marks = line.points.iter().map(|&p| Circle::new(p, 3, colour.filled()));
                chart.draw_series(marks).map_err(text)?;
            }
        }
        if self.inside_entries() > 0 {
            chart
                .configure_series_labels()
                .position(if self.distribution {
                    SeriesLabelPosition::LowerRight
                } else {
                    SeriesLabelPosition::UpperRight
                })
                .background_style(WHITE.mix(0.85))
                .border_style(BLACK.mix(0.3))
                .label_font(("sans-serif", 13))
                .draw()
                .map_err(text)?;
        }
        Ok(())
    }
}

impl Line {
    fn path(&self) -> Vec<(f64, f64)> {
        if !self.step {
            return self.points.clone();
        }
        let mut path = Vec::with_capacity(2 * self.points.len());
        for pair in self.points.windows(2) {
            path.push(pair[0]);
            path.push((pair[1].0, pair[0].1));
        }
        path.extend(self.points.last());
        path
    }
}

/// Axis numbers: short, with k, M or G.
fn number(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        v if v >= 1e9 => (value / 1e9, "G"),
        v if v >= 1e6 => (value / 1e6, "M"),
        v if v >= 1e4 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let digits = if scaled == scaled.round() {
        0
    } else if scaled.abs() >= 10.0 {
        1
    } else {
        2
    };
    format!("{scaled:.digits$}{unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [0.0, 0.25, 1500.0, 25_000.0, 1.5e6].map(number),
            ["0", "0.25", "1500", "25k", "1.50M"]
        );
    }

    #[test]
    fn lines_up_to_the_top_have_their_legend_below() {
        let mut panel = Panel {
            lines: vec![Line::new("a", vec![(0.0, 1.0)])],
            ..Panel::default()
        };
        assert_eq!((panel.inside_entries(), panel.below().len()), (1, 0));
        panel.y_max = Some(1.05);
        assert_eq!((panel.inside_entries(), panel.below()), (0, vec!["a"]));
        panel.distribution = true;
        assert_eq!((panel.inside_entries(), panel.below().len()), (1, 0));
    }

    #[test]
    fn draws_both_formats_and_empty_panels() {
        let panel = Panel {
            title: "queue".into(),
            x: "time (us)".into(),
            y: "queue (bytes)".into(),
            lines: vec![Line {
                step: true,
                ..Line::new("a", vec![(0.0, 1.0), (2.0, 3.0)])
            }],
            ..Panel::default()
        };
        let empty = Panel {
            log_x: true,
            log_y: true,
            ..Panel::default()
        };
        let figure = Figure {
            name: "f".into(),
            title: "Title".into(),
            panels: vec![panel, empty],
        };
        let svg = figure.svg().unwrap();
        assert!(svg.contains("time (us)") && svg == figure.svg().unwrap());
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("f.png");
        figure.png(&path).unwrap();
        let png = std::fs::read(&path).unwrap();
        assert!(png.len() > 5_000 && png.starts_with(b"\x89PNG"), "{} bytes", png.len());
    }
}
