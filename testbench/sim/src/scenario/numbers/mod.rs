//! Numbers of a run, and over runs that differ in the seed alone their mean, its interval and paired differences.

mod bucket;
mod files;
mod group;
mod of_run;
mod student;

pub use bucket::{buckets, Bucket};
pub use files::{differences_csv, entry, intervals_csv, numbers_csv, screen};
pub use group::{Group, Interval};
pub use of_run::{numbers, Number};
pub use student::quantile_95;
