//! Every key of a scenario in one table: path, type, default, range, meaning. JSON Schema and the book's page are made from it.
//!
//! The rows are the fields of the types that read a scenario, with the sentences beside them, read from their source text, so that nothing is
//! written down twice. Ranges, words of plain texts and the laws' own keys are added by hand, and tests hold them against the program.

mod hand;
mod key;
mod page;
mod schema;
mod source;
mod table;

pub use key::{Key, Section, Type};
pub use page::page;
pub use schema::schema;
pub use table::sections;

#[cfg(test)]
mod tests;
