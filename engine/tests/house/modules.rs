//! Which modules of a crate use each other, read from its code, and the circles among them.

use std::collections::{BTreeMap, BTreeSet};

use super::{files_below, read, root};

/// A module, or an item in it, as the names after `crate`.
pub(super) type ItemPath = Vec<String>;

/// For each module the children, with the siblings that each of them or a module inside it uses.
pub(super) type ModuleUses = BTreeMap<ItemPath, BTreeMap<String, BTreeSet<String>>>;

/// The code of all modules of a crate, without comments and tests.
pub(super) fn module_code(folder: &str) -> BTreeMap<ItemPath, String> {
    let source = format!("{folder}/src/");
    let mut modules = BTreeMap::from([(Vec::new(), String::new())]);
    for path in files_below(&root().join(&source)) {
        let Some(inside) = path.strip_prefix(&source).and_then(|inside| inside.strip_suffix(".rs")) else {
            continue;
        };
        let module: ItemPath = inside.split('/').filter(|name| *name != "mod").map(str::to_owned).collect();
        match module.last().map(String::as_str) {
            _ if module.iter().any(|name| name == "tests") || inside == "main" => continue,
            Some("lib") => modules.insert(Vec::new(), code_of(&read(&path))),
            _ => modules.insert(module, code_of(&read(&path))),
        };
    }
    modules
}

/// A file without comments and without the module of its tests.
fn code_of(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let begins_tests = |two: &[&str]| {
        two[0].starts_with("#[cfg(") && two[0].contains("test") && two[1].starts_with("mod tests {")
    };
    let end = lines.windows(2).position(begins_tests).unwrap_or(lines.len());
    lines[..end].join("\n")
}

/// Which siblings use each other, in all modules. An item that a parent re-exports counts as that of its child; a child
/// may use items of its parents, and a parent its children.
pub(super) fn module_uses(modules: &BTreeMap<ItemPath, String>) -> ModuleUses {
    let imports: BTreeMap<&ItemPath, BTreeMap<String, ItemPath>> =
        modules.iter().map(|(module, code)| (module, imports(module, code, modules))).collect();
    let mut uses = ModuleUses::new();
    for (module, code) in modules {
        if let Some((name, parent)) = module.split_last() {
            uses.entry(parent.to_vec()).or_default().entry(name.clone()).or_default();
        }
        let paths =
            paths(code).into_iter().filter_map(|path| absolute(&path, module, modules, &imports[module]));
        for path in imports[module].values().cloned().chain(paths) {
            let used = defining_module(&path, modules, &imports);
            let common = module.iter().zip(&used).take_while(|(own, other)| own == other).count();
            if let (Some(own), Some(other)) = (module.get(common), used.get(common)) {
                let siblings = uses.entry(module[..common].to_vec()).or_default();
                siblings.entry(own.clone()).or_default().insert(other.clone());
            }
        }
    }
    uses
}

/// The names that the `use` items of a module bring in, with their paths in the crate.
fn imports(
    module: &ItemPath,
    code: &str,
    modules: &BTreeMap<ItemPath, String>,
) -> BTreeMap<String, ItemPath> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        if !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_') {
            expand(&[], code[at + 4..].split(';').next().unwrap_or_default(), &mut found);
        }
    }
    let known = BTreeMap::new();
    found
        .into_iter()
        .filter_map(|(name, path)| Some((name, absolute(&path, module, modules, &known)?)))
        .collect()
}

/// Adds the names and paths of a `use` tree.
fn expand(before: &[String], tree: &str, found: &mut Vec<(String, ItemPath)>) {
    let tree = tree.trim();
    if let Some(group) = tree.strip_prefix('{') {
        let group = group.strip_suffix('}').unwrap_or(group);
        let mut depth = 0;
        let is_end = |letter: char| {
            depth += i32::from(letter == '{') - i32::from(letter == '}');
            letter == ',' && depth == 0
        };
        group.split(is_end).for_each(|part| expand(before, part, found));
    } else if let Some((name, rest)) = tree.split_once("::") {
        expand(&[before, &[name.to_owned()]].concat(), rest, found);
    } else if let Some((name, alias)) = tree.split_once(" as ") {
        found.push((alias.to_owned(), [before, &[name.to_owned()]].concat()));
    } else if tree == "self" {
        found.extend(before.last().map(|name| (name.clone(), before.to_vec())));
    } else if !tree.is_empty() {
        found.push((tree.to_owned(), [before, &[tree.to_owned()]].concat()));
    }
}

/// All paths of at least two names in a code.
fn paths(code: &str) -> Vec<ItemPath> {
    let words = code.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let words = words.filter(|word| word.contains("::") && !word.starts_with(':'));
    words.map(|word| word.split("::").map(str::to_owned).collect()).collect()
}

/// The path in the crate; `None` for one of another crate.
fn absolute(
    path: &[String],
    module: &[String],
    modules: &BTreeMap<ItemPath, String>,
    imports: &BTreeMap<String, ItemPath>,
) -> Option<ItemPath> {
    let (first, rest) = path.split_first()?;
    let base = match first.as_str() {
        "crate" => Vec::new(),
        "self" => module.to_vec(),
        "super" => module.split_last()?.1.to_vec(),
        name => {
            let child = [module, &[name.to_owned()]].concat();
            if modules.contains_key(&child) { child } else { imports.get(name)?.clone() }
        }
    };
    match rest.first() {
        Some(next) if next == "super" => absolute(rest, &base, modules, imports),
        _ => Some([base, rest.to_vec()].concat()),
    }
}

/// The module that defines an item, through re-exports.
fn defining_module(
    path: &[String],
    modules: &BTreeMap<ItemPath, String>,
    imports: &BTreeMap<&ItemPath, BTreeMap<String, ItemPath>>,
) -> ItemPath {
    let length = (0..=path.len()).rev().find(|&length| modules.contains_key(&path[..length])).unwrap();
    let module = path[..length].to_vec();
    let origin = path.get(length).and_then(|name| imports[&module].get(name));
    match origin {
        Some(origin) if !origin.starts_with(&path[..=length]) => {
            defining_module(&[origin, &path[length + 1..]].concat(), modules, imports)
        }
        _ => module,
    }
}

/// The circles of siblings.
pub(super) fn circles(uses: ModuleUses) -> Vec<String> {
    let mut circles = Vec::new();
    for (parent, mut siblings) in uses {
        // Removes modules that use none of the others, or are used by none; those that remain are in a circle or between two.
        loop {
            let used: BTreeSet<String> = siblings.values().flatten().cloned().collect();
            let before = siblings.len();
            let names: BTreeSet<String> = siblings.keys().cloned().collect();
            siblings.retain(|name, others| {
                used.contains(name) && others.iter().any(|other| names.contains(other))
            });
            if siblings.len() == before {
                break;
            }
        }
        if !siblings.is_empty() {
            let names: Vec<&String> = siblings.keys().collect();
            circles.push(format!("a circle among {names:?} of crate::{}", parent.join("::")));
        }
    }
    circles
}

#[test]
fn circles_are_found_below_the_top_modules_and_through_re_exports() {
    let found = |of_b: &str| {
        let code = [
            ("", "mod a;"),
            ("a", "mod b;\nmod c;\nmod d;\npub use c::{Hash, Mark as Sign};\npub struct Own;"),
            ("a b", of_b),
            ("a c", "use crate::a::{\n    Own,\n    d::{self, Depth},\n};"),
            ("a d", "use std::fs;\nfn f() { super::b::f() }"),
        ];
        let modules = code
            .map(|(module, code)| (module.split_whitespace().map(str::to_owned).collect(), code.to_owned()));
        circles(module_uses(&BTreeMap::from(modules)))
    };
    assert_eq!(found("use super::Own;\nuse std::hash::Hash;"), Vec::<String>::new());
    let circle = ["a circle among [\"b\", \"c\", \"d\"] of crate::a"];
    assert_eq!(found("use super::{Own, Sign};"), circle);
    assert_eq!(found("use crate::a;\nfn f() -> a::Hash { todo!() }"), circle);
    assert_eq!(found("fn f() { crate::a::c::f() }"), circle);
    assert_eq!(
        code_of("a // b\n#[cfg(test)]\nmod c;\n#[cfg(test)]\nmod tests {\nd"),
        "a \n#[cfg(test)]\nmod c;"
    );
}
