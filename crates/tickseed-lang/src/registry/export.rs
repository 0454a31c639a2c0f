//! What a program provides, for editors: as a document, as XML's `TreeNodesModel`, as JSON.

use super::{Model, Registry};
use crate::board::HasBoard;
use crate::expr::Type;
use crate::model::{
    Category, Direction, Document, EnumModel, EnumWord, Item, KeyDecl, Keys, Name, NodeModel, Port,
    Span, Value,
};

impl<C: HasBoard> Registry<C> {
    /// All that files may name, as a document that declares it: the registered nodes, the keys
    /// that the context publishes, the enumerations. Editors put it beside the file that is
    /// edited: see [`Files`](crate::ide::Files).
    #[must_use]
    pub fn document(&self) -> Document {
        let mut all = document(self.models());
        let keys = C::schema().keys.iter().map(|key| KeyDecl {
            name: key.name.into(),
            ty: Some(Name::from(match key.ty {
                tickseed_core::ScalarType::Bool => "bool",
                ty if ty.is_float() => "float",
                _ => "int",
            })),
            ..KeyDecl::default()
        });
        all.items.push(Item::Keys(Keys {
            keys: keys.collect(),
            ..Keys::default()
        }));
        let enums = self.enums().iter().map(|(name, words)| {
            let words = words.iter().map(|(word, number)| EnumWord {
                name: word.as_str().into(),
                number: Some(*number),
            });
            Item::Enum(EnumModel {
                name: name.as_str().into(),
                words: words.collect(),
                ..EnumModel::default()
            })
        });
        all.items.extend(enums);
        all
    }
}

/// The models as items of a document.
fn document<'m>(models: impl IntoIterator<Item = &'m Model>) -> Document {
    let items = models.into_iter().map(|model| {
        let ports = model.ports.iter().map(|port| Port {
            direction: port.direction,
            name: port.name.as_str().into(),
            ty: (port.ty != Type::Any).then(|| Name::from(port.ty.to_string().as_str())),
            default: port
                .default
                .as_ref()
                .map(|text| Value::from_attribute(text, Span::default())),
            doc: (!port.doc.is_empty()).then(|| port.doc.clone()),
            ..Port::default()
        });
        Item::Model(NodeModel {
            category: model.category,
            name: model.name.as_str().into(),
            ports: ports.collect(),
            attributes: Vec::new(),
            doc: (!model.doc.is_empty()).then(|| model.doc.clone()),
            trivia: Default::default(),
            span: Span::default(),
        })
    });
    Document {
        items: items.collect(),
        ..Document::default()
    }
}

/// The models as XML with a `TreeNodesModel`, as Groot reads it.
pub fn models_xml<'m>(models: impl IntoIterator<Item = &'m Model>) -> String {
    crate::xml::write(&document(models))
}

/// The models as JSON.
pub fn models_json<'m>(models: impl IntoIterator<Item = &'m Model>) -> serde_json::Value {
    let direction = |d: Direction| d.word();
    let category = |c: Category| c.word();
    models
        .into_iter()
        .map(|model| {
            let ports: Vec<_> = (model.ports.iter())
                .map(|port| {
                    serde_json::json!({
                        "name": port.name,
                        "direction": direction(port.direction),
                        "type": port.ty.to_string(),
                        "default": port.default,
                        "optional": port.optional || port.default.is_some(),
                        "constant": port.constant,
                        "doc": port.doc,
                    })
                })
                .collect();
            serde_json::json!({
                "name": model.name,
                "category": category(model.category),
                "ports": ports,
                "doc": model.doc,
            })
        })
        .collect()
}
