//! HTML from parts of pages.

use super::{Page, PageBlock};
use pto_isa::text;
use pto_isa::text::translate;

/// Columns of program text that fit beside the navigation.
const CODE_WIDTH: usize = 100;

/// Text with the characters escaped that HTML gives a meaning.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// Escaped text with backquoted parts as code.
pub fn inline(text: &str) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(text);
    }
    let part = |(at, p): (usize, &&str)| if at % 2 == 1 { format!("<code>{}</code>", escape(p)) } else { escape(p) };
    parts.iter().enumerate().map(part).collect()
}

/// The sections of a page, each with an anchor.
pub(super) fn sections(page: &Page) -> String {
    let section = |s: &super::Section| {
        let (id, title) = (s.anchor(), escape(translate(s.title)));
        let mut blocks: String = s.blocks.iter().map(block).collect();
        if matches!(s.blocks.first(), Some(PageBlock::Picture { .. })) {
            let key = text!(
                "A line follows the elements through memory, from the dot to the square; what is valid is shaded."
            );
            blocks = format!("<div class=\"pictures\">\n{blocks}</div>\n<p class=\"key\">{key}</p>\n");
        }
        let words = text!("Not on the public page: found out or decided here");
        let (class, badge) = match s.ours {
            true => (" class=\"ours\"", format!(" <span class=\"badge\" title=\"{words}\">pto</span>")),
            false => ("", String::new()),
        };
        format!("<section id=\"{id}\"{class}>\n<h2><a href=\"#{id}\">{title}</a>{badge}</h2>\n{blocks}</section>\n")
    };
    page.sections.iter().map(section).collect()
}

/// Links to the sections of a page.
pub(super) fn contents(page: &Page) -> String {
    let link = |s: &super::Section| format!("<a href=\"#{}\">{}</a>\n", s.anchor(), escape(translate(s.title)));
    page.sections.iter().map(link).collect()
}

fn block(block: &PageBlock) -> String {
    match block {
        PageBlock::Text(text) => format!("<p>{}</p>\n", inline(text)),
        PageBlock::List(items) => {
            let items: String = items.iter().map(|i| format!("<li>{}</li>\n", inline(i))).collect();
            format!("<ul>\n{items}</ul>\n")
        }
        PageBlock::Table(head, rows) => table(head, rows),
        PageBlock::Picture { svg, title, text } => picture(svg, title, text),
        PageBlock::Code("", text) => format!("<pre><code>{}</code></pre>\n", escape(text.trim_end())),
        PageBlock::Code(title, text) => {
            let folded: String = text.lines().map(|line| super::example::fold(line, CODE_WIDTH)).collect();
            let code = escape(folded.trim_end());
            format!(
                "<figure><figcaption>{}</figcaption><pre><code>{code}</code></pre></figure>\n",
                escape(translate(title))
            )
        }
    }
}

/// A drawing beside its words.
fn picture(svg: &str, title: &str, text: &str) -> String {
    format!("<figure class=\"picture\">{svg}<figcaption>{}<br>{}</figcaption></figure>\n", inline(title), inline(text))
}

/// A table; without column titles its first column names the rows.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let mut out = String::from("<div class=\"scroll\"><table>\n");
    if !head.is_empty() {
        let cells: String = head.iter().map(|h| format!("<th scope=\"col\">{}</th>", escape(translate(h)))).collect();
        out += &format!("<thead><tr>{cells}</tr></thead>\n");
    }
    out += "<tbody>\n";
    for row in rows {
        let cell = |(at, text): (usize, &String)| match at == 0 && head.is_empty() {
            true => format!("<th scope=\"row\">{}</th>", inline(text)),
            false => format!("<td>{}</td>", inline(text)),
        };
        out += &format!("<tr>{}</tr>\n", row.iter().enumerate().map(cell).collect::<String>());
    }
    out + "</tbody>\n</table></div>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_text_is_escaped() {
        assert_eq!(escape("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
        assert_eq!(inline("the `!pto.tile<…>` type"), "the <code>!pto.tile&lt;…&gt;</code> type");
        assert_eq!(inline("a lone ` stays"), "a lone ` stays");
    }
}
