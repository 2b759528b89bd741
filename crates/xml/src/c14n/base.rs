//! `xml:base` of an apex whose ancestors are left out: the values on the way down are joined (Canonical XML 1.1 §2.4,
//! which takes RFC 3986 §5.2 without asking the base for a scheme).

use crate::doc::is_absolute;

/// The parts of a URI reference (RFC 3986 appendix B).
#[derive(Clone, Copy, Default)]
struct Parts<'a> {
    scheme: Option<&'a str>,
    authority: Option<&'a str>,
    path: &'a str,
    query: Option<&'a str>,
    fragment: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(reference: &'a str) -> Self {
        let (rest, fragment) = cut(reference, '#');
        let (rest, query) = cut(rest, '?');
        let (scheme, rest) = match rest.split_once(':') {
            Some((scheme, after)) if is_absolute(rest) => (Some(scheme), after),
            _ => (None, rest),
        };
        let (authority, path) = match rest.strip_prefix("//") {
            Some(after) => {
                let end = after.find('/').unwrap_or(after.len());
                let (authority, path) = after.split_at_checked(end).unwrap_or((after, ""));
                (Some(authority), path)
            }
            None => (None, rest),
        };
        Self { scheme, authority, path, query, fragment }
    }
}

fn cut(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(before, after)| (before, Some(after)))
}

/// Joins a reference to a base. The fragment of the result is that of the reference.
pub(super) fn join(base: &str, reference: &str) -> String {
    let (base, reference) = (Parts::of(base), Parts::of(reference));
    let mut result = Parts { fragment: reference.fragment, ..reference };
    let path;
    if reference.scheme.is_some() || reference.authority.is_some() {
        path = without_dots(reference.path);
        result.scheme = reference.scheme.or(base.scheme);
    } else {
        (result.scheme, result.authority) = (base.scheme, base.authority);
        if reference.path.is_empty() {
            path = base.path.to_owned();
            result.query = reference.query.or(base.query);
        } else if reference.path.starts_with('/') {
            path = without_dots(reference.path);
        } else {
            path = without_dots(&merged(&base, reference.path));
        }
    }
    written(&result, &path)
}

fn merged(base: &Parts<'_>, path: &str) -> String {
    if base.authority.is_some() && base.path.is_empty() {
        return format!("/{path}");
    }
    // A base that ends in "..", unlike "a/..", names a folder.
    let folder = if base.path == ".." || base.path.ends_with("/..") {
        format!("{}/", base.path)
    } else {
        base.path.rfind('/').and_then(|at| base.path.get(..=at)).unwrap_or_default().to_owned()
    };
    folder + path
}

/// Removes `.` and `..` segments, and repeated slashes, keeping `..` that lead above a relative base.
fn without_dots(path: &str) -> String {
    let absolute = path.starts_with('/');
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').filter(|segment| !segment.is_empty()).peekable();
    let mut folder = path.ends_with('/');
    while let Some(segment) = segments.next() {
        let last = segments.peek().is_none();
        match segment {
            "." => folder |= last,
            ".." => {
                if kept.last().is_some_and(|segment| *segment != "..") {
                    kept.pop();
                } else if !absolute {
                    kept.push("..");
                }
                folder |= last;
            }
            other => kept.push(other),
        }
    }
    let mut result = String::with_capacity(path.len());
    if absolute {
        result.push('/');
    }
    result.push_str(&kept.join("/"));
    if folder && !kept.is_empty() {
        result.push('/');
    }
    result
}

fn written(parts: &Parts<'_>, path: &str) -> String {
    let mut text = String::new();
    if let Some(scheme) = parts.scheme {
        text.push_str(scheme);
        text.push(':');
    }
    if let Some(authority) = parts.authority {
        text.push_str("//");
        text.push_str(authority);
    }
    text.push_str(path);
    for (mark, part) in [('?', parts.query), ('#', parts.fragment)] {
        if let Some(part) = part {
            text.push(mark);
            text.push_str(part);
        }
    }
    text
}
