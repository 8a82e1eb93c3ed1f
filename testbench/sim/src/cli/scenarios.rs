//! `scenarios`: the built-in ones and what each reproduces.

use super::{say, Failure};
use crate::scenario::builtin::BUILTIN;
use crate::scenario::keys::schema;
use crate::scenario::spec::{plan, Overrides};

/// List the built-in scenarios with the figure that each reproduces
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the text of one scenario instead, to be copied and changed
    #[arg(long, value_name = "NAME")]
    show: Option<String>,
    /// Print the JSON Schema of scenarios instead, for editors
    #[arg(long, conflicts_with = "show")]
    schema: bool,
}

impl Args {
    /// Prints the list, or the text of one.
    pub fn run(self) -> Result<(), Failure> {
        self.run_beside("")
    }

    /// [`Args::run`], with lines of scenarios that another part of the program runs below the list.
    pub fn run_beside(self, others: &str) -> Result<(), Failure> {
        if self.schema {
            return say(&format!("{:#}\n", schema()));
        }
        if let Some(name) = self.show {
            let found = BUILTIN.iter().find(|b| b.name == name);
            return match found {
                Some(builtin) => say(builtin.text),
                None => Err(Failure::Input(format!(
                    "scenario `{name}`: expected a built-in scenario"
                ))),
            };
        }
        let mut text = String::new();
        for builtin in BUILTIN {
            let runs = plan(builtin.name, builtin.text, &Overrides::default()).map_err(Failure::Input)?;
            text += &format!(
                "{:<10} {} ({} {})\n",
                builtin.name,
                runs[0].scenario.title,
                runs.len(),
                if runs.len() == 1 { "run" } else { "runs" }
            );
        }
        text += others;
        say(&text)
    }
}
