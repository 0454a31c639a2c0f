// Colours and indents `.tick` text. What is right and wrong the engine says, not this.
import { HighlightStyle, StreamLanguage, type StreamParser, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';

interface State {
  depth: number;
  /** A node may begin here. */
  start: boolean;
  parens: number;
}

const ITEMS = /^(main|tree|import|keys|enum|action|condition|leaf|decorator|control|subtree|else|case|default|off)$/;
const WORDS = /^(and|or|not|in|until|if|while|on|true|false|none)$/;

const parser: StreamParser<State> = {
  name: 'tick',
  startState: () => ({ depth: 0, start: true, parens: 0 }),
  token(stream, state) {
    if (stream.sol() && state.parens === 0) state.start = true;
    if (stream.eatSpace()) return null;
    if (stream.match(/^\/\/.*/)) return 'comment';
    const start = state.start;
    const c = stream.peek();
    if (c === '{' || c === '}' || c === ';') {
      stream.next();
      if (c === '{') state.depth++;
      if (c === '}') state.depth--;
      state.start = true;
      return 'bracket';
    }
    state.start = false;
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string';
    if (stream.match(/^`[^`]*`?/)) return 'variableName';
    if (stream.match(/^#!?\[[^\]]*\]?/)) {
      state.start = start;
      return 'meta';
    }
    if (stream.match(/^(0x[0-9a-fA-F_]+|0b[01_]+|[0-9][0-9_]*(\.[0-9]+)?([eE][+-]?[0-9]+)?)(ns|us|ms|s|min|h)?\b/)) return 'number';
    if (stream.match(/^\.[A-Za-z_]\w*/)) return 'atom';
    if (stream.match(/^@?[A-Za-z_]\w*/)) {
      const word = stream.current();
      if (start) {
        if (!ITEMS.test(word)) return 'typeName';
        // What is declared, or switched off, comes next.
        state.start = /^(off|main|else)$/.test(word);
        return 'keyword';
      }
      if (WORDS.test(word)) return 'keyword';
      // `within: 1.5` and `dwell(4s)`.
      if (stream.match(/^\s*:(?!:)/, false) || stream.match(/^\(/, false)) return 'propertyName';
      return 'variableName';
    }
    if (c === '(' || c === '[') state.parens++;
    if ((c === ')' || c === ']') && state.parens > 0) state.parens--;
    stream.next();
    return /[()[\],:]/.test(c ?? '') ? 'punctuation' : 'operator';
  },
  indent(state, after, context) {
    const depth = state.depth - (/^\s*\}/.test(after) ? 1 : 0);
    return Math.max(0, depth) * context.unit;
  },
  languageData: { commentTokens: { line: '//' }, closeBrackets: { brackets: ['(', '[', '{', '"'] }, indentOnInput: /^\s*\}$/ },
};

const colours = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--soft)', fontStyle: 'italic' },
  { tag: tags.keyword, color: 'var(--leaf-3)' },
  { tag: tags.typeName, color: 'var(--accent)', fontWeight: '600' },
  { tag: tags.propertyName, color: 'var(--leaf-6)' },
  { tag: tags.string, color: 'var(--leaf-2)' },
  { tag: [tags.number, tags.atom], color: 'var(--running)' },
  { tag: tags.meta, color: 'var(--skipped)' },
  { tag: [tags.punctuation, tags.operator, tags.bracket], color: 'var(--soft)' },
]);

export const tick = [StreamLanguage.define(parser), syntaxHighlighting(colours)];
