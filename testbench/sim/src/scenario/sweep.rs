//! Sweeps: every combination of some values on one scenario, each in a folder of its own. A folder with a `summary.json` is finished and is
//! not run again, so a sweep goes on where it was killed.
//!
//! ```toml
//! scenario = "fig10"              # built-in, or a file
//! [axes]
//! law = ["hpcc", "dcqcn"]
//! seed = [1, 2, 3]
//! "traffic.0.load" = [0.3, 0.5]   # any value of the scenario, by dotted path
//! ```

use std::path::Path;

use serde::Deserialize;
use serde_json::Value as Json;
use toml::{Table, Value};

use super::builtin;
use super::output::{write_run, OutDir};
use super::runner::run_each;
use super::spec::{combinations, find, is_path, placed, plan, Overrides};
use super::traffic::read_text;
use crate::names::did_you_mean;
use crate::plan::provenance::{self, digest};
use crate::plan::Job;
use crate::toml_error::toml_error;

/// A sweep file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SweepFile {
    scenario: String,
    #[serde(default)]
    full: bool,
    axes: Table,
}

/// One combination.
#[derive(Clone, Debug)]
pub struct Point {
    /// Folder: number and a digest of everything that determines the run: the job as it was made from the scenario and the content of
    /// every file that it names, and the program's sources.
    pub folder: String,
    /// Values by axis.
    pub values: Vec<(String, Value)>,
    job: Job,
}

/// A sweep, ready to run.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// Names of the axes.
    pub axes: Vec<String>,
    /// Combinations, the last axis fastest.
    pub points: Vec<Point>,
}

impl Sweep {
    /// Reads a sweep file and its scenario.
    pub fn read(path: &str) -> Result<Self, String> {
        let text = read_text(path)?;
        let file: SweepFile = toml::from_str(&text).map_err(|e| toml_error(path, &text, &e))?;
        let mut file = file;
        let scenario = match builtin::find(&file.scenario) {
            Some(found) => found.text.to_string(),
            None if is_path(&file.scenario) => {
                file.scenario = find(path, &file.scenario).map_err(|e| format!("{path}: scenario: {e}"))?;
                read_text(&file.scenario)?
            }
            None => {
                let near = did_you_mean(&file.scenario, builtin::BUILTIN.iter().map(|b| b.name));
                return Err(format!(
                    "{path}: scenario: expected a built-in one or a .toml file, got `{}`{near}",
                    file.scenario
                ));
            }
        };
        let combinations = combinations(&file.axes).map_err(|e| format!("{path}: axes.{e}"))?;
        let points = combinations.into_iter().enumerate().map(|(index, values)| {
            let overrides = Overrides {
                set: values.clone(),
                full: file.full,
                no_variants: true,
                axes: true,
                ..Overrides::default()
            };
            let planned = plan(&file.scenario, &scenario, &overrides).map_err(|e| format!("{path}: {e}"))?;
            let job = Job::new(&planned[0]).map_err(|fault| {
                let fault = placed(&file.scenario, &scenario, &overrides, &planned[0], &fault);
                format!("{path}: combination {index}: {fault}")
            })?;
            let digest = digest(format!("{}{job:?}", provenance::identity().sources).as_bytes());
            Ok(Point {
                folder: format!("{index:05}-{digest:016x}"),
                values,
                job,
            })
        });
        Ok(Self {
            axes: file.axes.keys().cloned().collect(),
            points: points.collect::<Result<_, String>>()?,
        })
    }

    /// Runs what is not finished (of `only`, if given) and returns how many that were.
    pub fn run(&self, dir: &OutDir, threads: usize, only: Option<usize>) -> Result<usize, String> {
        let wanted = self
            .points
            .iter()
            .enumerate()
            .filter(|(i, _)| only.is_none_or(|o| o == *i))
            .map(|(_, p)| p);
        let open: Vec<&Point> = wanted.filter(|p| !finished(&dir.path().join(&p.folder))).collect();
        let jobs: Vec<Job> = open.iter().map(|p| p.job.clone()).collect();
        run_each(&jobs, threads, |index, run| {
            write_run(&dir.sub(&open[index].folder)?, &run, &[])
        })?;
        Ok(open.len())
    }

    /// `sweep.csv`: the values of the axes and what came out, a row for each finished run.
    pub fn table(&self, dir: &OutDir) -> Result<String, String> {
        const COLUMNS: [(&str, &str); 13] = [
            ("flows", "/flows"),
            ("finished", "/finished"),
            ("slowdown_p50", "/slowdown/all/p50"),
            ("slowdown_p95", "/slowdown/all/p95"),
            ("slowdown_p99", "/slowdown/all/p99"),
            ("queue_busy_p99_bytes", "/queue_bytes/busy_ports/p99"),
            ("queue_to_host_p99_bytes", "/queue_bytes/to_host/p99"),
            ("queue_fabric_p99_bytes", "/queue_bytes/fabric/p99"),
            ("pauses", "/pauses"),
            ("drops", "/drops"),
            ("packet_hops", "/packet_hops"),
            ("wall_s", "/wall_s"),
            ("cpu_s", "/cpu_s"),
        ];
        let names = self.axes.iter().map(String::as_str).chain(COLUMNS.iter().map(|c| c.0));
        let mut text = format!("folder,{}\n", names.collect::<Vec<_>>().join(","));
        for point in &self.points {
            let Some(summary) = summary(&dir.path().join(&point.folder)) else {
                continue;
            };
            let value = |v: &Value| v.as_str().map_or_else(|| v.to_string(), String::from);
            let axes = point.values.iter().map(|(_, v)| value(v));
            let results = COLUMNS
                .iter()
                .map(|(_, at)| summary.pointer(at).map(Json::to_string).unwrap_or_default());
            let cells: Vec<String> = axes.chain(results).collect();
            text += &format!("{},{}\n", point.folder, cells.join(","));
        }
        Ok(text)
    }
}

fn summary(folder: &Path) -> Option<Json> {
    serde_json::from_str(&std::fs::read_to_string(folder.join("summary.json")).ok()?).ok()
}

/// `summary.json` is written last, and whole.
fn finished(folder: &Path) -> bool {
    summary(folder).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn goes_on_where_it_was_killed() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("s.toml");
        let text =
            "scenario = 'incast16'\n[axes]\nfidelity = ['golden', 'fixed']\n'traffic.0.bytes' = [10000, 20000]\n";
        std::fs::write(&file, text).unwrap();
        let sweep = Sweep::read(file.to_str().unwrap()).unwrap();
        let dir = OutDir::create(&temp.path().join("out")).unwrap();
        assert_eq!(sweep.run(&dir, 2, Some(2)).unwrap(), 1);
        // A run that was killed has files, but no summary.
        dir.sub(&sweep.points[0].folder)
            .unwrap()
            .write("flows.csv", b"half")
            .unwrap();
        assert_eq!(sweep.run(&dir, 2, None).unwrap(), 3);
        assert_eq!(sweep.run(&dir, 2, None).unwrap(), 0);
        let table = sweep.table(&dir).unwrap();
        assert_eq!(table.lines().count(), 5);
        assert!(
            table.lines().nth(2).unwrap().contains(",golden,20000,16,16,"),
            "{table}"
        );
    }

    /// Another content of a file that the scenario names is another run, in another folder.
    #[test]
    fn a_changed_input_file_is_run_again() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name).to_str().unwrap().to_string();
        std::fs::write(at("cdf.txt"), "0 0\n1000 50\n2000 100\n").unwrap();
        let scenario = format!(
            "name='x'\ntitle='t'\nnetwork={{topology='star',hosts=4}}\nrun={{stop_us=2000}}\n[[traffic]]\nkind='poisson'\nsizes='{}'\n\
             load=0.3\nuntil_us=50\n",
            at("cdf.txt")
        );
        std::fs::write(at("s.toml"), scenario).unwrap();
        std::fs::write(
            at("w.toml"),
            format!("scenario = '{}'\n[axes]\nseed = [1, 2]\n", at("s.toml")),
        )
        .unwrap();
        let dir = OutDir::create(&temp.path().join("out")).unwrap();
        let runs = || Sweep::read(&at("w.toml")).unwrap().run(&dir, 1, None).unwrap();
        assert_eq!((runs(), runs()), (2, 0));
        std::fs::write(at("cdf.txt"), "0 0\n1000 50\n3000 100\n").unwrap();
        assert_eq!((runs(), runs()), (2, 0));
        let inputs = |folder: &str| summary(&dir.path().join(folder)).unwrap()["provenance"]["inputs"].clone();
        let point = &Sweep::read(&at("w.toml")).unwrap().points[0];
        assert_eq!(inputs(&point.folder)[0]["path"], at("cdf.txt"));
    }

    #[test]
    fn one_line_errors() {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("s.toml");
        let error = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Sweep::read(file.to_str().unwrap()).unwrap_err()
        };
        assert!(error("scenario='incast16'\naxes={law='hpcc'}\n").ends_with("axes.law: expected a list of values"));
        assert!(error("scenario='incast16'\naxes={law=['reno']}\n").contains("law: expected one of hpcc"));
        assert!(error("scenario='incast16'\nlaws=1\n").contains(":2: unknown field"));
    }
}
