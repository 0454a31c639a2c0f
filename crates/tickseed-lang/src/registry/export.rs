//! Node models for editors: XML's `TreeNodesModel` and JSON.

use super::Model;
use crate::expr::Type;
use crate::model::{Category, Direction, Document, Item, Name, NodeModel, Port, Span, Value};

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
