//! Blocks: bundles, bodies and promise blocks.

use super::{Parser, Step, put};
use crate::class;
use crate::diagnostic::Diagnostic;
use crate::lexer::Token;
use crate::source::Span;
use crate::text;
use crate::tree::{Attribute, Body, Bundle, Context, Guard, Name};

/// The part before the opening brace.
struct Head {
    kind: Name,
    name: Name,
    parameters: Vec<Name>,
    span: Span,
}

impl Parser<'_> {
    pub(super) fn block(&mut self) -> Step<()> {
        match self.next.token {
            Token::Bundle => self.bundle(),
            Token::Body => {
                let head = self.head("a kind of body")?;
                let body = self.body(head)?;
                self.take_namespace(&body);
                self.policy.bodies.push(body);
                Ok(())
            }
            Token::Promise => {
                let head = self.head("`agent`")?;
                let body = self.body(head)?;
                self.policy.promise_blocks.push(body);
                Ok(())
            }
            _ => self.unexpected("`bundle`, `body` or `promise`"),
        }
    }

    fn bundle(&mut self) -> Step<()> {
        let head = self.head("the kind of bundle")?;
        let namespace = self.namespace.clone();
        self.expect(b'{', "`{`")?;
        let sections = self.sections()?;
        let end = self.next.span;
        self.expect(b'}', "a promise, a promise type with a colon or `}`")?;
        self.policy.bundles.push(Bundle {
            namespace,
            component: head.kind,
            name: head.name,
            parameters: head.parameters,
            sections,
            span: head.span.to(end),
        });
        Ok(())
    }

    fn head(&mut self, kind: &str) -> Step<Head> {
        let span = self.next.span;
        self.advance()?;
        Ok(Head {
            kind: self.identifier(kind)?,
            name: self.identifier("a name")?,
            parameters: self.parameters()?,
            span,
        })
    }

    /// Parses `(a, b)`; a comma may follow the last parameter.
    fn parameters(&mut self) -> Step<Vec<Name>> {
        let mut parameters = Vec::new();
        if !self.eat(b'(')? {
            return Ok(parameters);
        }
        while !self.at_byte(b')') {
            parameters.push(self.identifier("a parameter or `)`")?);
            if !self.at_byte(b')') {
                self.expect(b',', "`,` or `)`")?;
            }
        }
        self.advance()?;
        Ok(parameters)
    }

    fn body(&mut self, head: Head) -> Step<Body> {
        let namespace = self.namespace.clone();
        let brace = self.next.span;
        self.expect(b'{', "`{`")?;
        let mut contexts = Vec::new();
        loop {
            match self.next.token {
                Token::Guard | Token::QuotedGuard => {
                    let quoted = self.next.token == Token::QuotedGuard;
                    let guard = Some(self.guard(quoted)?);
                    let items = Vec::new();
                    contexts.push(Context { guard, items });
                }
                Token::Identifier => {
                    let attribute = self.attribute()?;
                    self.expect(b';', "`;`")?;
                    put(&mut contexts, attribute);
                }
                Token::Byte(b'}') => break,
                _ => return self.unexpected("an attribute, a class guard or `}`"),
            }
        }
        let end = self.next.span;
        self.advance()?;
        Ok(Body {
            namespace,
            kind: head.kind,
            name: head.name,
            parameters: head.parameters,
            brace,
            contexts,
            span: head.span.to(end),
        })
    }

    pub(super) fn attribute(&mut self) -> Step<Attribute> {
        let name = self.attribute_name()?;
        if self.next.token != Token::FatArrow {
            return self.unexpected("`=>`");
        }
        self.advance()?;
        let value = self.rval()?;
        let span = name.span.to(value.span());
        Ok(Attribute { name, value, span })
    }

    /// `body file control { namespace => "…"; }` applies to the blocks after it.
    fn take_namespace(&mut self, body: &Body) {
        if &*body.kind.text != "file" || &*body.name.text != "control" {
            return;
        }
        for (_, attribute) in body.attributes() {
            if &*attribute.name.text != "namespace" {
                continue;
            }
            match attribute.value.scalar() {
                Some(namespace) => self.namespace = namespace.clone(),
                None => self.errors.push(Diagnostic::new(
                    attribute.value.span(),
                    "expected a string for the namespace",
                )),
            }
        }
    }
}

impl Guard {
    /// Parses the text of a guard, including colons and quotes. If it does not start with an
    /// expression, also returns a diagnostic.
    pub(super) fn read(raw: &[u8], span: Span, quoted: bool) -> (Guard, Option<Diagnostic>) {
        let quote = usize::from(quoted);
        let text = text::decode(&raw[quote..raw.len() - 2 - quote]);
        let wrong = class::parse(&text).err().filter(|_| !quoted);
        let wrong = wrong.map(|error| {
            let start = (span.start + error.offset as u32).min(span.end - 1);
            Diagnostic::new(Span { start, ..span }, format!("class expression: {error}"))
        });
        let expression = class::parse(&class::without_blanks(&text));
        let guard = Guard {
            text: text.as_ref().into(),
            quoted,
            expression: expression.map(|parsed| parsed.expression),
            span,
        };
        (guard, wrong)
    }
}
