//! Which files of a crate use which others, read from the syntax tree.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, UseTree, Visibility};

type Names = Vec<String>;

/// A module: a file, or a part of one.
#[derive(Default)]
struct Module {
    file: String,
    /// The names that its `use` lines bring in, with their paths.
    brought: BTreeMap<String, Names>,
    /// The modules all of whose names it brings in.
    globs: Vec<Names>,
    /// The names of what it defines.
    defined: BTreeSet<String>,
    /// The paths that it uses. Re-exports do not count.
    used: Vec<Names>,
}

/// The modules of a crate, by path.
struct Crate {
    modules: BTreeMap<Names, Module>,
}

/// The files of a crate, and the files that each uses.
pub fn uses(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut all = Crate {
        modules: BTreeMap::new(),
    };
    all.read(source, source, &[]);
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, module) in &all.modules {
        let files = used.entry(module.file.clone()).or_default();
        let targets = module.used.iter().filter_map(|names| all.file(path, names));
        files.extend(targets.filter(|file| *file != module.file));
    }
    used
}

impl Crate {
    fn read(&mut self, source: &Path, folder: &Path, at: &[String]) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let stem = path.file_stem().unwrap_or_default().to_string_lossy();
            if path.is_dir() {
                self.read(source, &path, &[at, &[stem.into_owned()]].concat());
            } else if path.extension().is_some_and(|end| end == "rs") {
                let text = fs::read_to_string(&path).expect("a file");
                let file = syn::parse_file(&text)
                    .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
                if is_test(&file.attrs) {
                    continue;
                }
                let root = at.is_empty() && ["lib", "main"].contains(&&*stem);
                let module = match &*stem {
                    _ if root => Names::new(),
                    "mod" => at.to_vec(),
                    _ => [at, &[stem.into_owned()]].concat(),
                };
                let name = path.strip_prefix(source).expect("below the source");
                let mut reader = Reader {
                    file: name.display().to_string(),
                    at: module,
                    all: self,
                };
                reader.open();
                reader.visit_file(&file);
            }
        }
    }

    /// The file that holds what a path names, seen from a module.
    fn file(&self, from: &[String], names: &[String]) -> Option<String> {
        let found = self.find(from, names, &mut BTreeSet::new())?;
        Some(self.modules[&found].file.clone())
    }

    /// The module that a path names, or that defines the item that it names.
    fn find(
        &self,
        from: &[String],
        names: &[String],
        seen: &mut BTreeSet<(Names, Names)>,
    ) -> Option<Names> {
        if !seen.insert((from.to_vec(), names.to_vec())) {
            return None;
        }
        let mut at = from.to_vec();
        for (index, name) in names.iter().enumerate() {
            match &name[..] {
                "crate" => at.clear(),
                "self" => {}
                "super" => {
                    at.pop();
                }
                name => {
                    let child = [&at[..], &[name.to_owned()]].concat();
                    if self.modules.contains_key(&child) {
                        at = child;
                        continue;
                    }
                    let rest = &names[index + 1..];
                    let module = &self.modules[&at];
                    if module.defined.contains(name) {
                        return Some(at);
                    }
                    if let Some(path) = module.brought.get(name) {
                        // `use anyhow::anyhow`: the first name is a crate's.
                        if path.first().is_some_and(|first| first == name) {
                            return None;
                        }
                        return self.find(&at, &[path, rest].concat(), seen);
                    }
                    let mut globs = module.globs.iter();
                    let glob = globs.find_map(|glob| {
                        let through = self.find(&at, glob, seen)?;
                        self.find(&through, &names[index..], seen)
                    });
                    // What a macro defines is not seen here, but it is asked for by a path.
                    let asked = index > 0 && glob.is_none();
                    return if asked { Some(at) } else { glob };
                }
            }
        }
        self.modules.contains_key(&at).then_some(at)
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|path| path.is_ident("test"))
    })
}

struct Reader<'a> {
    file: String,
    at: Names,
    all: &'a mut Crate,
}

impl Reader<'_> {
    fn open(&mut self) {
        let module = self.all.modules.entry(self.at.clone()).or_default();
        module.file.clone_from(&self.file);
    }

    fn here(&mut self) -> &mut Module {
        self.all.modules.get_mut(&self.at).expect("it is open")
    }

    fn bring(&mut self, tree: &UseTree, before: &[String], counts: bool) {
        match tree {
            UseTree::Path(path) => {
                let before = [before, &[path.ident.to_string()]].concat();
                self.bring(&path.tree, &before, counts);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.bring(tree, before, counts);
                }
            }
            UseTree::Glob(_) => {
                self.here().globs.push(before.to_vec());
                if counts {
                    self.here().used.push(before.to_vec());
                }
            }
            UseTree::Name(name) => self.name(before, &name.ident, &name.ident, counts),
            UseTree::Rename(name) => self.name(before, &name.ident, &name.rename, counts),
        }
    }

    fn name(&mut self, before: &[String], name: &syn::Ident, known_as: &syn::Ident, counts: bool) {
        let (path, known_as) = if name == "self" {
            let last = before.last().cloned().unwrap_or_default();
            let known_as = Some(known_as.to_string()).filter(|name| name != "self");
            (before.to_vec(), known_as.unwrap_or(last))
        } else {
            let path = [before, &[name.to_string()]].concat();
            (path, known_as.to_string())
        };
        if counts {
            self.here().used.push(path.clone());
        }
        self.here().brought.insert(known_as, path);
    }

    /// The paths among the words of a macro.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Names::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.path(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                other => {
                    self.path(std::mem::take(&mut path));
                    colons = 0;
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.path(path);
    }

    fn path(&mut self, path: Names) {
        if path.len() > 1 {
            self.here().used.push(path);
        }
    }
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let (name, attributes) = match item {
            Item::Const(item) => (Some(&item.ident), &item.attrs),
            Item::Enum(item) => (Some(&item.ident), &item.attrs),
            Item::Fn(item) => (Some(&item.sig.ident), &item.attrs),
            Item::Static(item) => (Some(&item.ident), &item.attrs),
            Item::Struct(item) => (Some(&item.ident), &item.attrs),
            Item::Trait(item) => (Some(&item.ident), &item.attrs),
            Item::Type(item) => (Some(&item.ident), &item.attrs),
            Item::Impl(item) => (None, &item.attrs),
            Item::Mod(item) => (None, &item.attrs),
            Item::Use(item) => (None, &item.attrs),
            _ => return visit::visit_item(self, item),
        };
        if is_test(attributes) {
            return;
        }
        if let Some(name) = name {
            self.here().defined.insert(name.to_string());
        }
        if let Item::Use(item) = item {
            let counts = matches!(item.vis, Visibility::Inherited);
            self.bring(&item.tree, &[], counts);
        } else {
            visit::visit_item(self, item);
        }
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        let Some((_, items)) = &item.content else {
            return;
        };
        self.at.push(item.ident.to_string());
        self.open();
        for item in items {
            self.visit_item(item);
        }
        self.at.pop();
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let names = path.segments.iter().map(|one| one.ident.to_string());
        self.path(names.collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, one: &'ast syn::Macro) {
        self.tokens(one.tokens.clone());
        visit::visit_macro(self, one);
    }
}
