//! One statement about a run, and the verdict on it.

/// How a statement came out.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It holds, within the tolerance that stands beside it.
    Ok,
    /// It does not hold; the difference is known, its size is as known, and this is the reason.
    Differs(String),
    /// It does not hold, and nothing explains that.
    Failed,
    /// A number without a statement to hold it against.
    Note,
}

impl Verdict {
    /// One word: on the screen, in `summary.json` and in the report.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Differs(_) => "differs",
            Self::Failed => "FAILED",
            Self::Note => "note",
        }
    }
}

/// One statement checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Name in `checks`.
    pub name: String,
    /// What the paper says; empty where it says nothing.
    pub paper: String,
    /// What came out here.
    pub ours: String,
    /// What counts as `ok`; empty where the statement itself says it.
    pub tolerance: String,
    /// How it came out.
    pub verdict: Verdict,
}

impl Finding {
    /// A statement that holds, or fails.
    pub fn new(name: &str, paper: &str, ours: String, holds: bool) -> Self {
        Self {
            name: name.into(),
            paper: paper.into(),
            ours,
            tolerance: String::new(),
            verdict: if holds { Verdict::Ok } else { Verdict::Failed },
        }
    }

    /// A number that nothing is held against.
    pub fn note(name: &str, paper: &str, ours: String) -> Self {
        Self {
            verdict: Verdict::Note,
            ..Self::new(name, paper, ours, true)
        }
    }

    /// Says what counts as `ok`.
    pub fn within(self, tolerance: impl Into<String>) -> Self {
        Self {
            tolerance: tolerance.into(),
            ..self
        }
    }

    /// Where the statement does not hold: `as_known` tells that the numbers lie where the known difference puts them, `reason` explains it.
    /// Numbers elsewhere stay a failure.
    pub fn known_difference(mut self, as_known: bool, reason: impl Into<String>) -> Self {
        if self.verdict == Verdict::Failed && as_known {
            self.verdict = Verdict::Differs(reason.into());
        }
        self
    }

    /// It did not fail. A known difference is not a failure, nor is it `ok`.
    pub fn passed(&self) -> bool {
        self.verdict != Verdict::Failed
    }

    /// Why it differs; empty otherwise.
    pub fn reason(&self) -> &str {
        match &self.verdict {
            Verdict::Differs(reason) => reason,
            _ => "",
        }
    }

    /// All of it in one line.
    pub fn detail(&self) -> String {
        let parts = [
            ("paper: ", &*self.paper),
            (if self.paper.is_empty() { "" } else { "here: " }, &self.ours),
            ("ok if: ", &self.tolerance),
            ("differs because: ", self.reason()),
        ];
        let filled = parts.iter().filter(|(_, text)| !text.is_empty());
        filled
            .map(|(what, text)| format!("{what}{text}"))
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// The lines of the screen: the verdict with its name, then what it rests on.
    pub fn lines(&self) -> String {
        let head = format!("{:<8}{}", self.verdict.word(), self.name);
        if self.paper.is_empty() && self.tolerance.is_empty() && self.reason().is_empty() {
            return format!("{head}: {}\n", self.ours);
        }
        let parts = [
            ("paper:", &*self.paper),
            ("here:", &self.ours),
            ("ok if:", &self.tolerance),
            ("because:", self.reason()),
        ];
        let filled = parts.iter().filter(|(_, text)| !text.is_empty());
        filled.fold(format!("{head}\n"), |all, (what, text)| {
            format!("{all}{:8}{what:<9}{text}\n", "")
        })
    }
}

/// What the exit code 1 says: how many failed, and their names. `None` if none did.
pub fn failures(findings: &[Finding]) -> Option<String> {
    let failed: Vec<&str> = findings.iter().filter(|f| !f.passed()).map(|f| &*f.name).collect();
    let text = || {
        format!(
            "{} of {} checks failed: {}",
            failed.len(),
            findings.len(),
            failed.join(", ")
        )
    };
    (!failed.is_empty()).then(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statement(value: f64) -> Finding {
        let ours = format!("{value} KB");
        Finding::new("queue", "within 4 KB", ours, value <= 4.0)
            .within("at most 4 KB")
            .known_difference(value <= 4.5, "whole frames are counted")
    }

    #[test]
    fn three_verdicts_and_a_note() {
        assert_eq!(statement(3.9).verdict, Verdict::Ok);
        assert_eq!(
            statement(4.4).verdict,
            Verdict::Differs("whole frames are counted".into())
        );
        assert_eq!(statement(4.6).verdict, Verdict::Failed);
        assert_eq!([3.9, 4.4, 4.6].map(|v| statement(v).passed()), [true, true, false]);
        let note = Finding::note("jain", "", "0.97".into()).known_difference(true, "never");
        assert_eq!((note.verdict.clone(), note.passed()), (Verdict::Note, true));
    }

    #[test]
    fn only_failures_end_with_exit_code_1() {
        assert_eq!(failures(&[statement(3.0), statement(4.4)]), None);
        let all = [statement(3.0), statement(9.0), statement(4.4)];
        assert_eq!(failures(&all).unwrap(), "1 of 3 checks failed: queue");
    }

    #[test]
    fn a_difference_prints_both_numbers_and_its_reason() {
        let lines = statement(4.4).lines();
        assert_eq!(
            lines,
            "differs queue\n        paper:   within 4 KB\n        here:    4.4 KB\n        ok if:   at most 4 KB\n        \
             because: whole frames are counted\n"
        );
        assert_eq!(
            statement(4.4).detail(),
            "paper: within 4 KB; here: 4.4 KB; ok if: at most 4 KB; differs because: whole frames are counted"
        );
        assert_eq!(
            Finding::new("memory", "", "identical".into(), true).lines(),
            "ok      memory: identical\n"
        );
    }
}
