//! Buckets of message sizes.

/// Usual edges, bytes.
const EDGES: [u64; 5] = [3_000, 10_000, 100_000, 1_000_000, 10_000_000];

/// Messages of more than `above` and at most `up_to` bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// Name in tables.
    pub name: String,
    /// More than this, bytes.
    pub above: u64,
    /// At most this, bytes.
    pub up_to: u64,
}

impl Bucket {
    /// Every message.
    pub fn all() -> Self {
        Self {
            name: "all".into(),
            above: 0,
            up_to: u64::MAX,
        }
    }

    /// Does a message of that many bytes belong.
    pub fn contains(&self, bytes: u64) -> bool {
        bytes > self.above && bytes <= self.up_to
    }
}

/// Bytes with the largest decimal unit that leaves no fraction.
fn size(bytes: u64) -> String {
    match bytes {
        b if b >= 1_000_000 && b.is_multiple_of(1_000_000) => format!("{}MB", b / 1_000_000),
        b if b >= 1_000 && b.is_multiple_of(1_000) => format!("{}KB", b / 1_000),
        b => format!("{b}B"),
    }
}

/// All messages, and then a bucket up to each edge and one above the last. No edges: the usual ones.
pub fn buckets(edges: &[u64]) -> Vec<Bucket> {
    let edges = if edges.is_empty() { &EDGES[..] } else { edges };
    let mut all = vec![Bucket::all()];
    let mut above = 0;
    for &up_to in edges {
        let name = match above {
            0 => format!("<={}", size(up_to)),
            _ => format!("{}-{}", size(above), size(up_to)),
        };
        all.push(Bucket { name, above, up_to });
        above = up_to;
    }
    all.push(Bucket {
        name: format!(">{}", size(above)),
        above,
        up_to: u64::MAX,
    });
    all
}

#[cfg(test)]
mod tests {
    use super::buckets;

    #[test]
    fn every_size_is_in_all_and_in_one_more() {
        let names: Vec<String> = buckets(&[]).into_iter().map(|b| b.name).collect();
        let usual = [
            "all",
            "<=3KB",
            "3KB-10KB",
            "10KB-100KB",
            "100KB-1MB",
            "1MB-10MB",
            ">10MB",
        ];
        assert_eq!(names, usual);
        let own = buckets(&[1500, 64_000]);
        let names: Vec<&str> = own.iter().map(|b| b.name.as_str()).collect();
        assert_eq!(names, ["all", "<=1500B", "1500B-64KB", ">64KB"]);
        for bytes in [1, 1500, 1501, 64_000, 64_001, u64::MAX] {
            assert_eq!(own.iter().filter(|b| b.contains(bytes)).count(), 2, "{bytes}");
        }
    }
}
