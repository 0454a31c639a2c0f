//! Makes the engine's module smaller: functions that are the same become one, and the others
//! are put in an order in which alike ones follow one another, since gzip looks back no further
//! than 32 kB.
//!
//! The engine runs five worlds, each with agents of a type of its own, and so has most generic
//! functions five times or more. Many of those do exactly the same; the compiler only finds
//! them alike if they call the very same functions, which are copies in turn.
use std::collections::HashMap;

use wasm_encoder::reencode::{Error, Reencode, utils};
use wasm_encoder::{CodeSection, FunctionSection, Module};
use wasmparser::{
    CodeSectionReader, FunctionBody, FunctionSectionReader, Operator, Parser, Payload,
};

/// The module, packed.
///
/// # Errors
/// It is no module that this reads.
pub(crate) fn pack(module: &[u8]) -> Result<Vec<u8>, String> {
    let functions = Functions::read(module).map_err(|e| e.to_string())?;
    let mut packing = Packing::new(&functions);
    let mut packed = Module::new();
    packing
        .parse_core_module(&mut packed, Parser::new(0), module)
        .map_err(|e| e.to_string())?;
    Ok(packed.finish())
}

/// What a function does, up to which functions it calls.
struct Body {
    /// Its type's number, and its code without the numbers of functions.
    code: Vec<u8>,
    /// Their numbers, in order.
    calls: Vec<u32>,
}

struct Functions {
    imported: u32,
    bodies: Vec<Body>,
}

impl Functions {
    fn read(module: &[u8]) -> wasmparser::Result<Functions> {
        let (mut imported, mut types, mut bodies) = (0, Vec::new(), Vec::new());
        for payload in Parser::new(0).parse_all(module) {
            match payload? {
                Payload::ImportSection(imports) => {
                    for import in imports.into_imports() {
                        let ty = import?.ty;
                        imported += u32::from(matches!(ty, wasmparser::TypeRef::Func(_)));
                    }
                }
                Payload::FunctionSection(section) => {
                    types = section.into_iter().collect::<wasmparser::Result<_>>()?;
                }
                Payload::CodeSectionEntry(body) => {
                    let ty: u32 = types.get(bodies.len()).copied().unwrap_or(u32::MAX);
                    bodies.push(Body::read(ty, &body)?);
                }
                _ => {}
            }
        }
        Ok(Functions { imported, bodies })
    }

    /// For each function, the first one that does the same. Functions count as the same until
    /// they are found to differ: by their code, or by calling functions that differ.
    fn same(&self) -> Vec<usize> {
        let mut class = vec![0; self.bodies.len()];
        let mut classes = 1;
        loop {
            let callee = |f: &u32| match f.checked_sub(self.imported) {
                Some(own) => Ok(class[own as usize]),
                None => Err(*f),
            };
            let mut known = HashMap::new();
            let next = self.bodies.iter().map(|body| {
                let calls: Vec<Result<usize, u32>> = body.calls.iter().map(callee).collect();
                let next = known.len();
                *known.entry((&body.code, calls)).or_insert(next)
            });
            let next: Vec<usize> = next.collect();
            let now = known.len();
            class = next;
            if now == classes {
                break;
            }
            classes = now;
        }
        let mut first = HashMap::new();
        let of = |(i, class)| *first.entry(class).or_insert(i);
        class.into_iter().enumerate().map(of).collect()
    }
}

impl Body {
    fn read(ty: u32, body: &FunctionBody<'_>) -> wasmparser::Result<Body> {
        let (mut code, mut calls) = (ty.to_le_bytes().to_vec(), Vec::new());
        for local in body.get_locals_reader()? {
            let (count, ty) = local?;
            code.extend_from_slice(format!("{count}{ty}").as_bytes());
        }
        let bytes = body.as_bytes();
        let start = body.range().start;
        let mut operators = body.get_operators_reader()?;
        while !operators.eof() {
            let from = (operators.original_position() - start) as usize;
            let operator = operators.read()?;
            let to = (operators.original_position() - start) as usize;
            match operator {
                Operator::Call { function_index: f } | Operator::RefFunc { function_index: f } => {
                    code.push(bytes[from]);
                    calls.push(f);
                }
                _ => code.extend_from_slice(&bytes[from..to]),
            }
        }
        Ok(Body { code, calls })
    }
}

struct Packing {
    /// The functions that stay, in their new order.
    order: Vec<usize>,
    /// Each function's new number.
    number: Vec<u32>,
}

impl Packing {
    fn new(functions: &Functions) -> Packing {
        let same = functions.same();
        let mut order: Vec<usize> = (0..same.len()).filter(|&i| same[i] == i).collect();
        order.sort_by_key(|&i| &functions.bodies[i].code);
        let mut place = vec![0; same.len()];
        for (at, &i) in order.iter().enumerate() {
            place[i] = functions.imported + at as u32;
        }
        let own = same.iter().map(|&first| place[first]);
        Packing {
            number: (0..functions.imported).chain(own).collect(),
            order,
        }
    }
}

impl Reencode for Packing {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, f: u32) -> Result<u32, Error<Self::Error>> {
        Ok(self.number[f as usize])
    }

    fn parse_function_section(
        &mut self,
        to: &mut FunctionSection,
        section: FunctionSectionReader<'_>,
    ) -> Result<(), Error<Self::Error>> {
        let types: Vec<u32> = section.into_iter().collect::<wasmparser::Result<_>>()?;
        for i in self.order.clone() {
            to.function(self.type_index(types[i])?);
        }
        Ok(())
    }

    fn parse_code_section(
        &mut self,
        to: &mut CodeSection,
        section: CodeSectionReader<'_>,
    ) -> Result<(), Error<Self::Error>> {
        let bodies: Vec<FunctionBody<'_>> =
            section.into_iter().collect::<wasmparser::Result<_>>()?;
        for i in self.order.clone() {
            utils::parse_function_body(self, to, bodies[i].clone())?;
        }
        Ok(())
    }

    /// Names and producers: nothing that is needed to run it.
    fn parse_custom_section(
        &mut self,
        _: &mut Module,
        _: wasmparser::CustomSectionReader<'_>,
    ) -> Result<(), Error<Self::Error>> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_encoder::{
        ConstExpr, ElementSection, Elements, ExportKind, ExportSection, Function, RefType,
        TableSection, TableType, TypeSection, ValType,
    };

    /// Functions that answer a number or call another function, each exported by its number
    /// and all of them in a table.
    fn module(functions: &[Result<i32, u32>]) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], [ValType::I32]);
        let (mut kinds, mut exports) = (FunctionSection::new(), ExportSection::new());
        let mut code = CodeSection::new();
        for (i, what) in functions.iter().enumerate() {
            kinds.function(0);
            exports.export(&i.to_string(), ExportKind::Func, i as u32);
            let mut body = Function::new([]);
            match *what {
                Ok(number) => body.instructions().i32_const(number).end(),
                Err(callee) => body.instructions().call(callee).end(),
            };
            code.function(&body);
        }
        let most = functions.len() as u64;
        let mut tables = TableSection::new();
        tables.table(TableType {
            element_type: RefType::FUNCREF,
            table64: false,
            minimum: most,
            maximum: Some(most),
            shared: false,
        });
        let all: Vec<u32> = (0..functions.len() as u32).collect();
        let mut elements = ElementSection::new();
        elements.active(
            None,
            &ConstExpr::i32_const(0),
            Elements::Functions(all.into()),
        );
        let mut module = Module::new();
        module.section(&types).section(&kinds).section(&tables);
        module.section(&exports).section(&elements).section(&code);
        module.finish()
    }

    /// What each export of a packed module answers, and how many functions there are.
    fn answers(module: &[u8]) -> (Vec<i32>, usize) {
        let functions = Functions::read(module).unwrap();
        let mut exports = Vec::new();
        for payload in Parser::new(0).parse_all(module) {
            if let Payload::ExportSection(section) = payload.unwrap() {
                let all = section.into_iter().map(|e| e.unwrap());
                exports.extend(all.map(|e| (e.name.parse::<usize>().unwrap(), e.index)));
            }
        }
        exports.sort_unstable();
        let answer = |mut at: u32| {
            while let [callee] = functions.bodies[at as usize].calls[..] {
                at = callee;
            }
            // Behind the type's number and the instruction's.
            i32::from(functions.bodies[at as usize].code[5])
        };
        let all = exports.iter().map(|e| answer(e.1)).collect();
        (all, functions.bodies.len())
    }

    #[test]
    fn copies_become_one_up_to_what_they_call() {
        // The callers of 1 and 4 differ only in which copy they call; 6 calls something else.
        let all = [Err(1), Ok(7), Ok(8), Err(4), Ok(7), Ok(9), Err(2)];
        let before = module(&all);
        assert_eq!(answers(&before), (vec![7, 7, 8, 7, 7, 9, 8], 7));
        let packed = pack(&before).unwrap();
        assert_eq!(answers(&packed), (vec![7, 7, 8, 7, 7, 9, 8], 5));
        // Nothing is left to be done.
        assert_eq!(pack(&packed).unwrap(), packed);
    }

    #[test]
    fn functions_that_call_one_another_are_told_apart_by_what_differs() {
        let round = [Err(1), Err(2), Err(0), Ok(3)];
        let functions = Functions::read(&module(&round)).unwrap();
        assert_eq!(functions.same(), [0, 0, 0, 3], "for ever the same");
        let ends = [Err(1), Err(2), Ok(4), Err(4), Ok(5)];
        let functions = Functions::read(&module(&ends)).unwrap();
        assert_eq!(functions.same(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn what_is_no_module_is_refused() {
        assert!(pack(b"once upon a time").is_err());
        let whole = module(&[Ok(1)]);
        assert!(pack(&whole[..whole.len() - 3]).is_err());
    }
}
