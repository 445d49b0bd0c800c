//! The modules that `stickler demo` writes for a dialect.

/// Two modules for a first try: a sound one, and the same with mistakes.
#[derive(Clone, Copy, Debug)]
pub struct Demo {
    /// The short name of the system, beside the dialect's own.
    pub system: &'static str,
    /// The files of the sound module: path in its folder, and text.
    pub module: &'static [(&'static str, &'static str)],
    /// The files that stand beside both modules.
    pub beside: &'static [(&'static str, &'static str)],
    /// What the broken module has instead of passages of the sound one.
    pub mistakes: &'static [Mistake],
}

/// A passage of a file, and what stands there instead.
#[derive(Clone, Copy, Debug)]
pub struct Mistake {
    /// The file.
    pub file: &'static str,
    /// The passage, which the file holds once.
    pub sound: &'static str,
    /// What stands there instead.
    pub broken: &'static str,
}

impl Demo {
    /// The files of the broken module.
    pub fn broken(&self) -> Vec<(&'static str, String)> {
        let files = self.module.iter();
        files
            .map(|&(path, text)| {
                let own = self.mistakes.iter().filter(|mistake| mistake.file == path);
                let text = own.fold(text.to_owned(), |text, mistake| {
                    text.replacen(mistake.sound, mistake.broken, 1)
                });
                (path, text)
            })
            .collect()
    }
}
