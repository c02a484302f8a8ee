//! Operations with a grammar of their own: functions, control flow, scalar arithmetic, lowered buffers.

use super::{Printer, twins};
use crate::{Attr, BlockId, OpId, Successor, ValueId};
use pto_isa::row::{Control, Custom, Storage};
use pto_isa::{FnType, ScalarType, Type};

impl Printer<'_> {
    pub(super) fn custom(&mut self, op: OpId, custom: Custom) {
        if !self.is_writable(op, custom) {
            return self.generic(op);
        }
        match custom {
            Custom::Module => self.module_op(op),
            Custom::Func => self.func(op),
            Custom::Return | Custom::Yield => self.value_list(op, custom),
            Custom::Call => self.call(op),
            Custom::For => self.for_op(op),
            Custom::If => self.if_op(op),
            Custom::While => self.while_op(op),
            Custom::Condition => self.condition(op),
            Custom::ExecuteRegion => self.execute_region(op),
            Custom::IndexSwitch => self.index_switch(op),
            Custom::Section => self.section(op),
            Custom::Fusion => self.fusion(op),
            Custom::FusionYield => self.fusion_yield(op),
            Custom::Branch | Custom::CondBranch | Custom::Switch => self.branch(op),
            Custom::Constant => self.constant(op),
            Custom::Compare => self.compare(op),
            Custom::Cast => self.cast(op),
            Custom::Binary | Custom::Unary => self.arithmetic(op),
            Custom::Select => self.select(op),
            Custom::Extended => self.extended(op),
            Custom::MemrefAlloc => self.memref_alloc(op),
            Custom::MemrefLoad => self.memref_load(op),
            Custom::MemrefStore => self.memref_store(op),
            Custom::MemrefDim => self.memref_dim(op),
            Custom::MemrefCast => self.cast(op),
            Custom::MemrefView | Custom::MemrefRecast => self.memref_view(op),
        }
    }

    /// `%r = name`, the start of most operations.
    fn head(&mut self, op: OpId) {
        self.result_list(op);
        let written = self.written(op).unwrap_or_else(|| self.module.op(op).op);
        self.put(&written.row().full_name());
    }

    fn operand_values(&self, op: OpId) -> Vec<ValueId> {
        self.module.operands(op).iter().map(|o| o.value).collect()
    }

    fn slot_list(&self, op: OpId, slot: usize) -> Vec<ValueId> {
        self.module.in_slot(op, slot).map(|o| o.value).collect()
    }

    fn rest(&mut self, op: OpId, except: &[&str]) {
        let dict = self.dict(op, except);
        self.put(&dict);
    }

    fn module_op(&mut self, op: OpId) {
        self.put("module");
        if let Some(Attr::Symbol(s) | Attr::Str(s)) = self.module.attr(op, "sym_name") {
            let name = self.symbol(*s);
            self.put(&format!(" {name}"));
        }
        let dict = self.dict(op, &["sym_name"]);
        if !dict.is_empty() {
            self.put(" attributes");
            self.put(&dict);
        }
        self.put(" ");
        let region = self.module.op_regions(op)[0];
        self.region(region, false);
    }

    fn func(&mut self, op: OpId) {
        let module = self.module;
        self.put("func.func ");
        if let Some(Attr::Str(v)) = module.attr(op, "sym_visibility") {
            self.put(&format!("{} ", module.names.text(*v)));
        }
        if let Some(Attr::Str(s) | Attr::Symbol(s)) = module.attr(op, "sym_name") {
            let name = self.symbol(*s);
            self.put(&name);
        }
        let empty = FnType { inputs: Box::new([]), results: Box::new([]) };
        let ty = match module.attr(op, "function_type") {
            Some(Attr::Type(t)) => match module.ty(*t) {
                Type::Function(f) => f.as_ref(),
                _ => &empty,
            },
            _ => &empty,
        };
        let body = module.op_regions(op).first().copied();
        self.open_scope();
        self.next_number = 0;
        self.put("(");
        self.func_params(op, ty, body.and_then(|r| module.region(r).blocks.first().copied()));
        self.put(")");
        self.func_results(op, ty);
        let dict = self.dict(op, &["sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs"]);
        if !dict.is_empty() {
            self.put(" attributes");
            self.put(&dict);
        }
        if let Some(region) = body {
            self.put(" ");
            self.region(region, false);
        }
        self.close_scope();
    }

    fn func_params(&mut self, op: OpId, ty: &FnType, entry: Option<BlockId>) {
        let module = self.module;
        let arg_attrs: &[Attr] = match module.attr(op, "arg_attrs") {
            Some(Attr::Array(items)) => items,
            _ => &[],
        };
        let args = entry.map_or(&[][..], |b| &module.block(b).args[..]);
        for (i, input) in ty.inputs.iter().enumerate() {
            self.put(if i > 0 { ", " } else { "" });
            match args.get(i) {
                Some(&arg) => self.params(&[arg]),
                None => {
                    let text = self.type_or_alias(input);
                    self.put(&text);
                }
            }
            if let Some(Attr::Dict(entries)) = arg_attrs.get(i)
                && !entries.is_empty()
            {
                let text = self.attr_text(&arg_attrs[i]);
                self.put(&format!(" {text}"));
            }
        }
    }

    fn func_results(&mut self, op: OpId, ty: &FnType) {
        let res_attrs: &[Attr] = match self.module.attr(op, "res_attrs") {
            Some(Attr::Array(items)) => items,
            _ => &[],
        };
        let mut list: Vec<String> = ty.results.iter().map(|t| self.type_or_alias(t)).collect();
        for (text, attr) in list.iter_mut().zip(res_attrs) {
            if matches!(attr, Attr::Dict(entries) if !entries.is_empty()) {
                *text += &format!(" {}", self.attr_text(attr));
            }
        }
        match &list[..] {
            [] => {}
            // Without parentheses, the braces of the body would follow the type directly.
            [one] if !res_attrs.is_empty() => self.put(&format!(" -> ({one})")),
            [one] => self.put(&format!(" -> {one}")),
            many => self.put(&format!(" -> ({})", many.join(", "))),
        }
    }

    /// A type that stands inside another one.
    fn type_or_alias(&mut self, ty: &Type) -> String {
        match self.module.type_id(ty) {
            Some(id) => self.type_id(id),
            None => super::type_text(ty, self.style.types),
        }
    }

    fn value_list(&mut self, op: OpId, custom: Custom) {
        self.put(if custom == Custom::Return { "return" } else { "scf.yield" });
        self.rest(op, &[]);
        let values = self.operand_values(op);
        if !values.is_empty() {
            self.put(" ");
            self.values(values.iter().copied());
            let types = self.types_of(&values);
            self.put(&format!(" : {types}"));
        }
    }

    fn call(&mut self, op: OpId) {
        self.head(op);
        if let Some(Attr::Symbol(s)) = self.module.attr(op, "callee") {
            let name = self.symbol(*s);
            self.put(&format!(" {name}"));
        }
        let values = self.operand_values(op);
        self.put("(");
        self.values(values.iter().copied());
        self.put(")");
        self.rest(op, &["callee"]);
        let results: Vec<ValueId> = self.module.results(op).collect();
        let (ins, outs) = (self.types_of(&values), self.types_of(&results));
        let outs = if results.len() == 1 { outs } else { format!("({outs})") };
        self.put(&format!(" : ({ins}) -> {outs}"));
    }

    fn first_block(&self, op: OpId, region: usize) -> BlockId {
        self.module.region(self.module.op_regions(op)[region]).blocks[0]
    }

    fn for_op(&mut self, op: OpId) {
        let module = self.module;
        self.head(op);
        let args = &module.block(self.first_block(op, 0)).args;
        let bounds: Vec<ValueId> = (0..3).flat_map(|s| self.slot_list(op, s)).collect();
        self.open_scope();
        let names: Vec<String> = bounds.iter().map(|&v| self.name(v)).collect();
        let inits = self.slot_list(op, 3);
        let init_names: Vec<String> = inits.iter().map(|&v| self.name(v)).collect();
        let iv = self.define(args[0]);
        self.put(&format!(" %{iv} = %{} to %{} step %{}", names[0], names[1], names[2]));
        if !inits.is_empty() {
            let pairs: Vec<String> =
                args[1..].iter().zip(init_names).map(|(&a, i)| format!("%{} = %{i}", self.define(a))).collect();
            let types = self.types_of(&inits);
            self.put(&format!(" iter_args({}) -> ({types})", pairs.join(", ")));
        }
        if *module.value_type(args[0]) != Type::Scalar(ScalarType::Index) {
            let ty = self.type_of(args[0]);
            self.put(&format!(" : {ty}"));
        }
        self.put(" ");
        self.region(module.op_regions(op)[0], true);
        self.close_scope();
        self.rest(op, &[]);
    }

    fn if_op(&mut self, op: OpId) {
        let module = self.module;
        self.head(op);
        self.put(" ");
        self.values(self.operand_values(op));
        self.result_types(op);
        self.put(" ");
        let implicit_end = module.results(op).len() == 0;
        self.region(module.op_regions(op)[0], implicit_end);
        if let Some(&otherwise) = module.op_regions(op).get(1) {
            self.put(" else ");
            self.region(otherwise, implicit_end);
        }
        self.rest(op, &[]);
    }

    fn result_types(&mut self, op: OpId) {
        let results: Vec<ValueId> = self.module.results(op).collect();
        if !results.is_empty() {
            let types = self.types_of(&results);
            self.put(&format!(" -> ({types})"));
        }
    }

    fn while_op(&mut self, op: OpId) {
        let module = self.module;
        self.head(op);
        let inits = self.operand_values(op);
        let args = &module.block(self.first_block(op, 0)).args;
        self.open_scope();
        if !inits.is_empty() {
            let init_names: Vec<String> = inits.iter().map(|&v| self.name(v)).collect();
            let pairs: Vec<String> =
                args.iter().zip(init_names).map(|(&a, i)| format!("%{} = %{i}", self.define(a))).collect();
            self.put(&format!(" ({})", pairs.join(", ")));
        }
        let results: Vec<ValueId> = module.results(op).collect();
        let (ins, outs) = (self.types_of(&inits), self.types_of(&results));
        self.put(&format!(" : ({ins}) -> ({outs}) "));
        self.region(module.op_regions(op)[0], false);
        self.close_scope();
        self.put(" do ");
        self.region(module.op_regions(op)[1], false);
        let dict = self.dict(op, &[]);
        if !dict.is_empty() {
            self.put(" attributes");
            self.put(&dict);
        }
    }

    fn condition(&mut self, op: OpId) {
        let values = self.operand_values(op);
        self.put("scf.condition(");
        self.value(values[0]);
        self.put(")");
        self.rest(op, &[]);
        if values.len() > 1 {
            self.put(" ");
            self.values(values[1..].iter().copied());
            let types = self.types_of(&values[1..]);
            self.put(&format!(" : {types}"));
        }
    }

    fn execute_region(&mut self, op: OpId) {
        self.head(op);
        self.result_types(op);
        self.put(" ");
        self.region(self.module.op_regions(op)[0], false);
        self.rest(op, &[]);
    }

    fn index_switch(&mut self, op: OpId) {
        let module = self.module;
        self.head(op);
        self.put(" ");
        self.values(self.operand_values(op));
        self.rest(op, &["cases"]);
        self.result_types(op);
        let cases: Vec<i64> = match module.attr(op, "cases") {
            Some(Attr::Array(items)) => items.iter().filter_map(Attr::int).collect(),
            _ => Vec::new(),
        };
        let regions = module.op_regions(op);
        for (case, &region) in cases.iter().zip(&regions[1..]) {
            self.put("\n");
            self.line_start();
            self.put(&format!("case {case} "));
            self.region(region, false);
        }
        self.put("\n");
        self.line_start();
        self.put("default ");
        self.region(regions[0], false);
    }

    fn section(&mut self, op: OpId) {
        self.head(op);
        self.put(" ");
        self.region(self.module.op_regions(op)[0], false);
        self.rest(op, &[]);
    }

    fn fusion(&mut self, op: OpId) {
        self.section(op);
        let results: Vec<ValueId> = self.module.results(op).collect();
        if !results.is_empty() {
            let types = self.types_of(&results);
            self.put(&format!(" : {types}"));
        }
    }

    fn fusion_yield(&mut self, op: OpId) {
        self.head(op);
        let values = self.operand_values(op);
        self.put("(");
        self.values(values.iter().copied());
        self.put(")");
        self.rest(op, &[]);
        let types = self.types_of(&values);
        self.put(&format!(" : ({types}) -> ()"));
    }

    fn branch(&mut self, op: OpId) {
        let module = self.module;
        self.head(op);
        self.put(" ");
        let values = self.operand_values(op);
        let successors = module.successors(op);
        let untyped = self.omitted(op).0;
        match (
            values.first(),
            successors.iter().any(|s| s.case.is_some()) || module.control(op) == Some(Control::Switch),
        ) {
            (Some(&flag), true) => {
                self.value(flag);
                let ty = self.type_of(flag);
                self.put(&format!(" : {ty}, ["));
                for (i, s) in successors.iter().enumerate() {
                    self.put(if i > 0 { ", " } else { "" });
                    let case = s.case.map_or("default".to_string(), |c| c.to_string());
                    self.put(&format!("{case}: "));
                    self.successor(s, untyped);
                }
                self.put("]");
            }
            (first, _) => {
                if let Some(&condition) = first {
                    self.value(condition);
                    self.put(", ");
                }
                for (i, s) in successors.iter().enumerate() {
                    self.put(if i > 0 { ", " } else { "" });
                    self.successor(s, untyped);
                }
            }
        }
        self.rest(op, &[]);
    }

    fn successor(&mut self, s: &Successor, untyped: bool) {
        let label = self.label_name(s.block);
        self.put(&format!("^{label}"));
        if !s.args.is_empty() && untyped {
            self.put("(");
            self.values(s.args.iter().copied());
            self.put(")");
        } else if !s.args.is_empty() {
            self.put("(");
            self.values(s.args.iter().copied());
            let types = self.types_of(&s.args);
            self.put(&format!(" : {types})"));
        }
    }

    fn constant(&mut self, op: OpId) {
        self.head(op);
        self.rest(op, &["value"]);
        if let Some(text) = self.literal(op) {
            return self.put(&text);
        }
        let Some(value) = self.module.attr(op, "value") else { return };
        let text = self.attr_text(value);
        self.put(&format!(" {text}"));
        let has_type = matches!(value, Attr::Int(..) | Attr::Float(..) | Attr::FloatBits(..) | Attr::Bool(_));
        if !has_type {
            let result = self.module.results(op).next().expect("a constant has a result");
            let ty = self.type_of(result);
            self.put(&format!(" : {ty}"));
        }
    }

    /// A constant as the source writes it: hexadecimal stays hexadecimal, digits are kept, and an omitted type stays
    /// omitted.
    fn literal(&mut self, op: OpId) -> Option<String> {
        let data = self.module.op(op);
        let text = self.style.source?.get(data.name_span.end as usize..data.span.end as usize)?;
        let plain = self.module.attrs(op).len() == 1 && !text.contains(['/', '#', '\n', '"', '{']);
        // Other readers require a point before an exponent.
        let pointless = !text.contains(['.', 'x']) && text.split(':').next().is_some_and(|n| n.contains(['e', 'E']));
        let is_float = matches!(self.module.attr(op, "value"), Some(Attr::Float(..)));
        if !plain || text.len() <= 1 || (pointless && is_float) {
            return None;
        }
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let result = self.module.results(op).next()?;
        Some(match text.rsplit_once(':') {
            Some((number, _)) => format!(" {} : {}", words(number), self.type_of(result)),
            None => format!(" {}", words(text)),
        })
    }

    fn compare(&mut self, op: OpId) {
        self.head(op);
        if let Some(Attr::Enum(def, at)) = self.module.attr(op, "predicate") {
            let word = def.value(usize::from(*at));
            match self.written(op) {
                Some(_) => self.put(&format!(" {}", twins::predicate(self.module, op, word))),
                None => self.put(&format!(" {word},")),
            }
        }
        self.operands_and_type(op, &["predicate"]);
    }

    fn arithmetic(&mut self, op: OpId) {
        self.head(op);
        self.operands_and_type(op, &[]);
    }

    /// ` %a, %b {…} : T`
    fn operands_and_type(&mut self, op: OpId, except: &[&str]) {
        let values = self.operand_values(op);
        self.put(" ");
        self.values(values.iter().copied());
        self.signedness(op);
        self.rest(op, except);
        if let Some(&first) = values.first() {
            let ty = self.type_of(first);
            self.put(&format!(" : {ty}"));
            if self.written(op).is_some() && twins::states_result(self.module, op) {
                self.put(&format!(" -> {ty}"));
            }
        }
    }

    fn select(&mut self, op: OpId) {
        self.head(op);
        let values = self.operand_values(op);
        self.put(" ");
        self.values(values.iter().copied());
        self.rest(op, &[]);
        if let Some(&last) = values.last() {
            let ty = self.type_of(last);
            self.put(&format!(" : {ty}"));
        }
    }

    fn extended(&mut self, op: OpId) {
        self.head(op);
        let results: Vec<ValueId> = self.module.results(op).collect();
        self.operands_and_type(op, &[]);
        if self.module.value(results[0]).ty != self.module.value(results[1]).ty {
            let ty = self.type_of(results[1]);
            self.put(&format!(", {ty}"));
        }
    }

    fn cast(&mut self, op: OpId) {
        self.head(op);
        let values = self.operand_values(op);
        self.put(" ");
        self.values(values.iter().copied());
        self.signedness(op);
        self.rest(op, &[]);
        let from = self.types_of(&values);
        let results: Vec<ValueId> = self.module.results(op).collect();
        let to = self.types_of(&results);
        let arrow = if self.written(op).is_some() { "->" } else { "to" };
        self.put(&format!(" : {from} {arrow} {to}"));
    }

    fn memref_alloc(&mut self, op: OpId) {
        self.head(op);
        self.put("(");
        self.values(self.operand_values(op));
        self.put(")");
        self.rest(op, &[]);
        let result = self.module.results(op).next().expect("an allocation has a result");
        let ty = self.type_of(result);
        self.put(&format!(" : {ty}"));
    }

    fn memref_load(&mut self, op: OpId) {
        self.head(op);
        let values = self.operand_values(op);
        self.put(" ");
        self.indexed(values[0], &values[1..]);
        self.rest(op, &[]);
        let ty = self.type_of(values[0]);
        self.put(&format!(" : {ty}"));
    }

    fn memref_store(&mut self, op: OpId) {
        self.head(op);
        let values = self.operand_values(op);
        self.put(" ");
        self.value(values[0]);
        self.put(", ");
        self.indexed(values[1], &values[2..]);
        self.rest(op, &[]);
        let ty = self.type_of(values[1]);
        self.put(&format!(" : {ty}"));
    }

    fn indexed(&mut self, base: ValueId, indices: &[ValueId]) {
        self.value(base);
        self.put("[");
        self.values(indices.iter().copied());
        self.put("]");
    }

    fn memref_dim(&mut self, op: OpId) {
        self.head(op);
        let values = self.operand_values(op);
        self.put(" ");
        self.values(values.iter().copied());
        self.rest(op, &[]);
        let ty = self.type_of(values[0]);
        self.put(&format!(" : {ty}"));
    }

    /// `%s[offsets] [sizes] [strides]`, or the keyed form of a reinterpreting cast.
    fn memref_view(&mut self, op: OpId) {
        const LISTS: [&str; 3] = ["static_offsets", "static_sizes", "static_strides"];
        let keyed = self.module.storage(op) == Some(Storage::BufferRecast);
        self.head(op);
        let source = self.slot_list(op, 0)[0];
        self.put(" ");
        self.value(source);
        if keyed {
            self.put(" to ");
        }
        for (i, name) in LISTS.iter().enumerate() {
            let list = self.mixed_list(op, name, i + 1);
            if keyed {
                let key = ["offset", "sizes", "strides"][i];
                self.put(&format!("{}{key}: {list}", if i > 0 { ", " } else { "" }));
            } else {
                self.put(&format!("{}{list}", if i > 0 { " " } else { "" }));
            }
        }
        self.rest(op, &LISTS);
        let from = self.type_of(source);
        let result = self.module.results(op).next().expect("a view has a result");
        let to = self.type_of(result);
        self.put(&format!(" : {from} to {to}"));
    }

    /// A list of constants, with values for the dynamic ones.
    fn mixed_list(&mut self, op: OpId, attr: &str, slot: usize) -> String {
        let values = self.slot_list(op, slot);
        let mut values = values.into_iter();
        let fixed: Vec<Attr> = match self.module.attr(op, attr) {
            Some(Attr::Array(items)) => items.to_vec(),
            _ => Vec::new(),
        };
        let mut parts = Vec::new();
        for item in fixed {
            parts.push(match item {
                Attr::Int(n, _) => n.to_string(),
                _ => values.next().map_or("?".to_string(), |v| format!("%{}", self.name(v))),
            });
        }
        format!("[{}]", parts.join(", "))
    }
}
