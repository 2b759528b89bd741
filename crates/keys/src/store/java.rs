//! As much of Java's serialisation as the secret keys in a JCEKS store use: one object whose fields are
//! strings, octet arrays and constants. No class is looked up, nothing is constructed.

use std::collections::HashMap;

use crate::error::Error;

const NULL: u8 = 0x70;
const REFERENCE: u8 = 0x71;
const CLASS: u8 = 0x72;
const OBJECT: u8 = 0x73;
const STRING: u8 = 0x74;
const ARRAY: u8 = 0x75;
const END: u8 = 0x78;
const ENUM: u8 = 0x7e;

/// Nested values and classes; the objects in question nest four deep.
const MAX_DEPTH: usize = 16;
/// Values that can be referred back to.
const MAX_HANDLES: usize = 256;
/// Fields of one class.
const MAX_FIELDS: usize = 32;
/// Where the numbering of handles starts.
const FIRST_HANDLE: usize = 0x7e_0000;

const BROKEN: Error = Error::Damaged { what: "serialised key" };

/// A SealedObject: encrypted octets and how to decrypt them.
pub(super) struct Sealed<'a> {
    pub algorithm: &'a str,
    pub parameters: &'a [u8],
    pub content: &'a [u8],
}

/// Reads the SealedObject at the start of `octets` and gives what follows it.
pub(super) fn sealed_object(octets: &[u8]) -> Result<(Sealed<'_>, &[u8]), Error> {
    let (fields, rest) = object(octets)?;
    let sealed = Sealed {
        algorithm: fields.text("sealAlg")?,
        parameters: fields.octets("encodedParams")?,
        content: fields.octets("encryptedContent")?,
    };
    Ok((sealed, rest))
}

/// The algorithm and octets of a serialised SecretKeySpec, KeyRep, or key of the JCE provider.
pub(super) fn secret_key(octets: &[u8]) -> Result<(&str, &[u8]), Error> {
    let (fields, _) = object(octets)?;
    let key = fields.octets("key").or_else(|_| fields.octets("encoded"))?;
    Ok((fields.text("algorithm").unwrap_or(""), key))
}

struct Fields<'a>(HashMap<&'a str, Value<'a>>);

impl<'a> Fields<'a> {
    fn text(&self, name: &str) -> Result<&'a str, Error> {
        match self.0.get(name) {
            Some(Value::Text(text)) => Ok(text),
            _ => Err(BROKEN),
        }
    }

    fn octets(&self, name: &str) -> Result<&'a [u8], Error> {
        match self.0.get(name) {
            Some(Value::Octets(octets)) => Ok(octets),
            _ => Err(BROKEN),
        }
    }
}

/// One object with the fields of all its classes together.
fn object(octets: &[u8]) -> Result<(Fields<'_>, &[u8]), Error> {
    let rest = octets.strip_prefix(&[0xac, 0xed, 0, 5]).ok_or(BROKEN)?;
    let mut stream = Stream { rest, handles: Vec::new(), fields: HashMap::new() };
    stream.value(0)?;
    Ok((Fields(stream.fields), stream.rest))
}

#[derive(Clone)]
enum Value<'a> {
    Text(&'a str),
    Octets(&'a [u8]),
    Class(Class<'a>),
    Other,
}

/// A class description with those of its ancestors, the most distant first.
#[derive(Clone)]
struct Class<'a> {
    name: &'a str,
    lineage: Vec<(Flags, Vec<(u8, &'a str)>)>,
}

#[derive(Clone, Copy)]
struct Flags(u8);

impl Flags {
    fn writes_itself(self) -> bool {
        self.0 & 1 != 0
    }

    fn is_plain(self) -> bool {
        self.0 & 2 != 0
    }
}

struct Stream<'a> {
    rest: &'a [u8],
    handles: Vec<Value<'a>>,
    fields: HashMap<&'a str, Value<'a>>,
}

impl<'a> Stream<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(BROKEN)?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self, octets: usize) -> Result<usize, Error> {
        Ok(self.take(octets)?.iter().fold(0, |sum, octet| sum << 8 | usize::from(*octet)))
    }

    fn octet(&mut self) -> Result<u8, Error> {
        self.take(1)?.first().copied().ok_or(BROKEN)
    }

    fn text(&mut self) -> Result<&'a str, Error> {
        let length = self.number(2)?;
        std::str::from_utf8(self.take(length)?).map_err(|_| BROKEN)
    }

    fn remember(&mut self, value: Value<'a>) -> Result<usize, Error> {
        if self.handles.len() == MAX_HANDLES {
            return Err(BROKEN);
        }
        self.handles.push(value);
        Ok(self.handles.len() - 1)
    }

    /// Any value. The recursion is limited by [`MAX_DEPTH`].
    fn value(&mut self, depth: usize) -> Result<Value<'a>, Error> {
        if depth == MAX_DEPTH {
            return Err(BROKEN);
        }
        match self.octet()? {
            NULL => Ok(Value::Other),
            REFERENCE => {
                let at = self.number(4)?.checked_sub(FIRST_HANDLE).ok_or(BROKEN)?;
                self.handles.get(at).cloned().ok_or(BROKEN)
            }
            STRING => {
                let value = Value::Text(self.text()?);
                self.remember(value.clone())?;
                Ok(value)
            }
            CLASS => self.new_class(depth).map(Value::Class),
            ARRAY => {
                let class = self.class(depth)?.ok_or(BROKEN)?;
                let at = self.remember(Value::Other)?;
                let length = self.number(4)?;
                if class.name != "[B" {
                    return Err(BROKEN);
                }
                let value = Value::Octets(self.take(length)?);
                if let Some(slot) = self.handles.get_mut(at) {
                    *slot = value.clone();
                }
                Ok(value)
            }
            ENUM => {
                self.class(depth)?;
                self.remember(Value::Other)?;
                self.value(depth + 1)?;
                Ok(Value::Other)
            }
            OBJECT => {
                let class = self.class(depth)?.ok_or(BROKEN)?;
                self.remember(Value::Other)?;
                for (flags, fields) in class.lineage {
                    self.class_data(flags, &fields, depth)?;
                }
                Ok(Value::Other)
            }
            _ => Err(BROKEN),
        }
    }

    /// The fields that one class of an object's lineage contributes.
    fn class_data(&mut self, flags: Flags, fields: &[(u8, &'a str)], depth: usize) -> Result<(), Error> {
        if !flags.is_plain() {
            return Err(BROKEN);
        }
        for (kind, name) in fields {
            let value = match kind {
                b'B' | b'Z' => self.take(1).map(|_| Value::Other)?,
                b'C' | b'S' => self.take(2).map(|_| Value::Other)?,
                b'I' | b'F' => self.take(4).map(|_| Value::Other)?,
                b'J' | b'D' => self.take(8).map(|_| Value::Other)?,
                b'L' | b'[' => self.value(depth + 1)?,
                _ => return Err(BROKEN),
            };
            self.fields.insert(name, value);
        }
        if flags.writes_itself() && self.octet()? != END {
            return Err(BROKEN);
        }
        Ok(())
    }

    /// A class description, a reference to one, or none.
    fn class(&mut self, depth: usize) -> Result<Option<Class<'a>>, Error> {
        if self.rest.first() == Some(&NULL) {
            self.take(1)?;
            return Ok(None);
        }
        match self.value(depth + 1)? {
            Value::Class(class) => Ok(Some(class)),
            _ => Err(BROKEN),
        }
    }

    fn new_class(&mut self, depth: usize) -> Result<Class<'a>, Error> {
        let name = self.text()?;
        self.take(8)?; // serialVersionUID
        let at = self.remember(Value::Other)?;
        let flags = Flags(self.octet()?);
        let count = self.number(2)?;
        if count > MAX_FIELDS {
            return Err(BROKEN);
        }
        let mut fields = Vec::new();
        for _ in 0..count {
            let kind = self.octet()?;
            let field = self.text()?;
            if matches!(kind, b'L' | b'[') {
                self.value(depth + 1)?; // the type's name
            }
            fields.push((kind, field));
        }
        if self.octet()? != END {
            return Err(BROKEN);
        }
        let mut lineage = self.class(depth)?.map(|parent| parent.lineage).unwrap_or_default();
        if lineage.len() == MAX_DEPTH {
            return Err(BROKEN);
        }
        lineage.push((flags, fields));
        let class = Class { name, lineage };
        if let Some(slot) = self.handles.get_mut(at) {
            *slot = Value::Class(class.clone());
        }
        Ok(class)
    }
}
