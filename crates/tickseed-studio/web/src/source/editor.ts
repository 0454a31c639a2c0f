// The text editor. It comes when it is first shown: it weighs more than all the rest.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, type CompletionSource, snippet } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { bracketMatching, indentOnInput, indentUnit } from '@codemirror/language';
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { EditorState, RangeSet, StateEffect, StateField, type Text } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from '@codemirror/view';
import type { Completion, Mistake } from '../protocol';
import { tick } from './tick';

export interface Editor {
  /** Shows another text. What was typed is forgotten. */
  set(text: string): void;
  mistakes(list: Mistake[]): void;
  /** Marks the lines of what runs; lines from 1. */
  running(lines: number[]): void;
  /** Selects what is written from this byte to that. */
  reveal(from: number, to: number): void;
  /** Goes on writing at this byte. */
  write(at: number): void;
  /** Goes to a line and column, from 1. */
  go(line: number, column: number): void;
  destroy(): void;
}

export interface Options {
  text: string;
  /** What could stand at a place; the place is a number of bytes. */
  complete(text: string, offset: number): Promise<Completion[]>;
  changed(text: string): void;
  apply(): void;
}

const setRunning = StateEffect.define<number[]>();
const mark = Decoration.line({ class: 'cm-runs' });

const running = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, change) {
    let now = marks.map(change.changes);
    for (const effect of change.effects) {
      if (!effect.is(setRunning)) continue;
      const { doc } = change.state;
      const lines = effect.value.filter((n) => n >= 1 && n <= doc.lines);
      now = RangeSet.of(
        lines.map((n) => mark.range(doc.line(n).from)),
        true,
      );
    }
    return now;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '13px', color: 'var(--ink)', backgroundColor: 'transparent' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6' },
  '.cm-content': { padding: '8px 0', caretColor: 'var(--accent)' },
  '.cm-cursor': { borderLeftColor: 'var(--accent)', borderLeftWidth: '2px' },
  '.cm-line': { padding: '0 12px 0 6px' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--soft)', border: 'none' },
  '.cm-lineNumbers .cm-gutterElement': { padding: '0 6px 0 10px', minWidth: '30px' },
  '.cm-gutter-lint': { width: '16px' },
  '.cm-gutter-lint .cm-gutterElement': { padding: '0 3px' },
  '.cm-lint-marker': { width: '9px', height: '9px' },
  '.cm-activeLine, .cm-activeLineGutter': { backgroundColor: 'color-mix(in srgb, var(--sunk) 70%, transparent)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--running-soft)',
  },
  '.cm-runs': { boxShadow: 'inset 3px 0 0 var(--accent)', backgroundColor: 'var(--accent-soft)' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--accent-soft)', color: 'inherit' },
  '.cm-lintRange-error': { backgroundImage: 'none', textDecoration: 'underline wavy var(--failure) 1.2px', textUnderlineOffset: '3px' },
  '.cm-lintRange-warning': { backgroundImage: 'none', textDecoration: 'underline wavy var(--past) 1.2px', textUnderlineOffset: '3px' },
  '.cm-tooltip': {
    backgroundColor: 'var(--panel)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: '8px',
    overflow: 'hidden',
    boxShadow: '0 6px 24px rgb(0 0 0 / 16%)',
  },
  '.cm-diagnostic': { padding: '6px 10px', borderLeft: '3px solid var(--failure)', whiteSpace: 'pre-line' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--past)' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '12.5px', maxHeight: '220px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]': { backgroundColor: 'var(--accent-soft)', color: 'var(--ink)' },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal' },
  '.cm-completionInfo': { padding: '8px 10px', maxWidth: '280px', fontFamily: 'inherit' },
});

/** Where a line and a column in characters, both from 1, are in a text. */
function offset(doc: Text, line: number | null, column: number | null): number {
  if (line === null || column === null) return 0;
  if (line > doc.lines) return doc.length;
  const at = doc.line(Math.max(1, line));
  // The engine counts characters, the editor UTF-16 units.
  const units = [...at.text].slice(0, column - 1).join('').length;
  return Math.min(at.from + units, at.to);
}

function shown(doc: Text, m: Mistake): Diagnostic {
  const at = m.labels.find((l) => l.primary) ?? m.labels[0];
  const from = offset(doc, at?.line ?? 1, at?.column ?? 1);
  const to = Math.max(from, offset(doc, at?.endLine ?? 1, at?.endColumn ?? 1));
  const severity = m.severity === 'note' ? 'info' : m.severity;
  const message = m.message + (m.help ? `\n${m.help}` : '');
  return { from, to, severity, message };
}

/** The engine's completions as the editor wants them. */
function completions(ask: Options['complete']): CompletionSource {
  return async (context) => {
    const word = context.matchBefore(/[@.]?\w*$/);
    if (!context.explicit && (!word || word.from === word.to)) return null;
    const text = context.state.doc.toString();
    const found = await ask(text, new TextEncoder().encode(text.slice(0, context.pos)).length);
    if (context.aborted || found.length === 0) return null;
    const bytes = new TextEncoder().encode(text);
    const from = new TextDecoder().decode(bytes.subarray(0, found[0]!.from)).length;
    return {
      from,
      validFor: /^\w*$/,
      options: found.map((c) => ({
        label: c.label,
        detail: c.detail,
        info: c.doc || undefined,
        apply: c.insert.includes('$0') ? snippet(c.insert.replaceAll('$0', '${}')) : c.insert,
      })),
    };
  };
}

export function edit(parent: HTMLElement, options: Options): Editor {
  let silent = false;
  const extensions = [
    lineNumbers(),
    EditorView.lineWrapping,
    lintGutter(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of('  '),
    EditorState.tabSize.of(2),
    bracketMatching(),
    closeBrackets(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    tick,
    running,
    look,
    autocompletion({ override: [completions(options.complete)], icons: false }),
    keymap.of([
      {
        key: 'Mod-Enter',
        preventDefault: true,
        run: () => {
          options.apply();
          return true;
        },
      },
      ...closeBracketsKeymap,
      ...completionKeymap,
      ...lintKeymap,
      ...historyKeymap,
      ...defaultKeymap,
    ]),
    EditorView.contentAttributes.of({ tabindex: '0', 'aria-label': 'Source text', spellcheck: 'false', 'data-test': 'source' }),
    EditorView.updateListener.of((u) => {
      if (u.docChanged && !silent) options.changed(u.state.doc.toString());
    }),
  ];
  const state = (doc: string) => EditorState.create({ doc, extensions });
  const view = new EditorView({ parent, state: state(options.text) });

  function select(from: number, to: number): void {
    view.dispatch({ selection: { anchor: from, head: to }, effects: EditorView.scrollIntoView(from, { y: 'center' }) });
  }

  /** The editor counts UTF-16 units. */
  function units(byte: number): number {
    const bytes = new TextEncoder().encode(view.state.doc.toString());
    return new TextDecoder().decode(bytes.subarray(0, byte)).length;
  }

  return {
    set(text) {
      if (view.state.doc.toString() === text) return;
      silent = true;
      view.setState(state(text));
      silent = false;
    },
    mistakes(list) {
      const { doc } = view.state;
      view.dispatch(setDiagnostics(view.state, list.map((m) => shown(doc, m))));
    },
    running: (lines) => view.dispatch({ effects: setRunning.of(lines) }),
    reveal: (from, to) => select(units(from), units(to)),
    write(at) {
      select(units(at), units(at));
      view.focus();
    },
    go(line, column) {
      const at = offset(view.state.doc, line, column);
      select(at, at);
      view.focus();
    },
    destroy: () => view.destroy(),
  };
}
