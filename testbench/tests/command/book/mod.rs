//! README and book: what each part may hold, that it builds, and that its links lead somewhere.
//!
//! | file | subject |
//! | --- | --- |
//! | `pages` | The pages, their parts, sections and paragraphs |
//! | `numbers` | What looks like a measured number |
//! | `evidence` | Measured numbers say when and with which command, or which test holds them |
//! | `stranger` | Every other page is for a stranger: no date, no history, no machine, no test, no measured number of its own |
//! | `values` | Numbers that stand outside the evidence are those of the evidence |
//! | `built` | mdBook builds the book, every link and anchor leads somewhere, workflows use the same version |

mod built;
mod evidence;
mod numbers;
mod pages;
mod stranger;
mod values;
