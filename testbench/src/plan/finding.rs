//! One statement about a run, checked.

/// One statement checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Name in `checks`.
    pub name: String,
    /// What the paper says; empty where it says nothing.
    pub paper: String,
    /// What came out here.
    pub ours: String,
    /// They agree.
    pub passed: bool,
}

impl Finding {
    /// A finding.
    pub fn new(name: &str, paper: &str, ours: String, passed: bool) -> Self {
        Self {
            name: name.into(),
            paper: paper.into(),
            ours,
            passed,
        }
    }

    /// Both in one line.
    pub fn detail(&self) -> String {
        if self.paper.is_empty() {
            self.ours.clone()
        } else {
            format!("paper: {}; here: {}", self.paper, self.ours)
        }
    }
}
