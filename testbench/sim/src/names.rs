//! Words that have to be one of a list.

/// `; did you mean X?` for the name that a word is close to, else nothing.
pub fn did_you_mean<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let near = |name: &&str| strsim::damerau_levenshtein(word, name) <= 1 + name.len() / 4;
    let distance = |name: &&str| strsim::damerau_levenshtein(word, name);
    match names.into_iter().filter(near).min_by_key(distance) {
        Some(name) => format!("; did you mean {name}?"),
        None => String::new(),
    }
}

/// The same for a message of serde, which lists names behind "expected one of" or "expected".
pub fn with_suggestion(message: &str) -> String {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let unknown = message.contains("unknown field") || message.contains("unknown variant");
    match quoted.next().filter(|_| unknown) {
        Some(word) => format!("{message}{}", did_you_mean(word, quoted)),
        None => message.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words_are_suggested() {
        let names = ["websearch", "fb-hadoop", "hpcc", "dcqcn"];
        assert_eq!(did_you_mean("web-search", names), "; did you mean websearch?");
        assert_eq!(did_you_mean("hpc", names), "; did you mean hpcc?");
        assert_eq!(did_you_mean("dqcqn", names), "; did you mean dcqcn?");
        assert_eq!(did_you_mean("powertcp", names), "");
        assert_eq!(
            with_suggestion("unknown field `rate_gbp`, expected one of `hosts`, `rate_gbps`"),
            "unknown field `rate_gbp`, expected one of `hosts`, `rate_gbps`; did you mean rate_gbps?"
        );
        assert_eq!(with_suggestion("missing field `src`"), "missing field `src`");
    }
}
