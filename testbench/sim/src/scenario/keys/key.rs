//! A row of the table of keys.

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `true` or `false`.
    Flag,
    /// A text.
    Text,
    /// One of these words.
    Word(Vec<String>),
    /// A list of such values; of so many, where that is fixed.
    List(Box<Type>, Option<usize>),
    /// A table, whose keys are rows of their own.
    Table,
    /// A table of values by dotted path.
    Changes,
    /// A list of tables, whose keys are rows of their own.
    Tables,
    /// Nanoseconds, or `auto`.
    TimeOrAuto,
}

impl Type {
    /// In words.
    pub fn name(&self) -> String {
        match self {
            Type::Integer => "integer".into(),
            Type::Number => "number".into(),
            Type::Flag => "boolean".into(),
            Type::Text => "text".into(),
            Type::Word(words) => words.iter().map(|w| format!("`{w}`")).collect::<Vec<_>>().join(", "),
            Type::List(of, None) => format!("list of {}", of.name()),
            Type::List(of, Some(many)) => format!("{many} of {}", of.name()),
            Type::Table => "table".into(),
            Type::Changes => "table of values by dotted path".into(),
            Type::Tables => "list of tables".into(),
            Type::TimeOrAuto => "integer or `auto`".into(),
        }
    }
}

/// One key.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// Name in its table.
    pub name: String,
    /// What it is.
    pub of: Type,
    /// It has to be given.
    pub required: bool,
    /// What holds where it is not given, as TOML; empty: nothing, or the law's own.
    pub default: String,
    /// Smallest and largest value, ends included.
    pub range: Option<(f64, f64)>,
    /// What it means.
    pub meaning: String,
}

/// Keys of one table.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Dotted path of the table; empty: the scenario itself. Of a source of traffic its kind follows a blank.
    pub path: String,
    /// What it is.
    pub meaning: String,
    /// Its keys.
    pub keys: Vec<Key>,
}
