//! The meta parameters of a resource.

/// What every resource may be told, whatever its kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Meta {
    /// Only check, never change.
    pub noop: bool,
    /// How often a failure is tried again; -1 means for ever.
    pub retry: i64,
    /// A success renews the counter of retries.
    pub retry_reset: bool,
    /// Milliseconds before a retry.
    pub delay_ms: u64,
    /// Milliseconds after which the context of CheckApply ends; 0 means never.
    pub timeout_ms: u64,
    /// Seconds between polls instead of Watch; below zero: one event only.
    pub poll_s: i64,
    /// Events a second; `None` is without limit.
    pub limit: Option<f64>,
    /// Events that may come at once under a limit.
    pub burst: u64,
    /// A replacement starts with a new counter of retries.
    pub reset: bool,
    /// Semaphores, `id` or `id:count`.
    pub sema: Vec<String>,
    /// A dead vertex is replaced at the next graph.
    pub rewatch: bool,
    /// The name may begin with a dollar sign.
    pub dollar: bool,
    /// Neither Watch nor CheckApply is called.
    pub hidden: bool,
    /// Never joins a group.
    pub autogroup_disabled: bool,
    /// Neither has nor wants automatic edges.
    pub autoedge_disabled: bool,
}

impl Meta {
    /// Whether the values make sense together.
    pub fn validate(&self) -> Result<(), String> {
        if self.limit.is_some() && self.burst == 0 {
            return Err("permanently limited (rate != Inf, burst = 0)".to_owned());
        }
        for sema in &self.sema {
            if sema.is_empty() {
                return Err("semaphore is empty".to_owned());
            }
            let id = sema.split(':').next().unwrap_or_default();
            if id.is_empty() || id.parse::<i64>().is_ok() {
                return Err("semaphore format is invalid".to_owned());
            }
        }
        Ok(())
    }

    /// Whether a running vertex with these parameters may stay for one with `other`. A change of
    /// `retry_reset` alone is not seen, as in the real engine; nor is the order of semaphores.
    pub fn same(&self, other: &Meta) -> bool {
        let comparable = |meta: &Meta| {
            let mut meta = meta.clone();
            meta.retry_reset = false;
            meta.sema.sort();
            meta
        };
        comparable(self) == comparable(other)
    }
}

#[cfg(test)]
mod tests {
    use super::Meta;

    fn with_sema(sema: &str) -> Meta {
        Meta {
            sema: vec![sema.to_owned()],
            ..Meta::default()
        }
    }

    #[test]
    fn a_limit_needs_a_burst_and_a_semaphore_a_name() {
        assert!(
            Meta {
                limit: Some(1.0),
                ..Meta::default()
            }
            .validate()
            .is_err()
        );
        assert!(
            Meta {
                limit: Some(1.0),
                burst: 1,
                ..Meta::default()
            }
            .validate()
            .is_ok()
        );
        assert!(with_sema("s:2").validate().is_ok());
        assert!(with_sema("").validate().is_err());
        assert!(with_sema("3").validate().is_err());
    }

    #[test]
    fn a_change_of_retry_reset_alone_is_not_seen() {
        let changed = Meta {
            retry_reset: true,
            ..Meta::default()
        };
        assert!(Meta::default().same(&changed));
        assert!(!Meta::default().same(&Meta {
            retry: 1,
            ..changed
        }));
    }
}
