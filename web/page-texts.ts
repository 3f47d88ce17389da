// Which texts the source of the page has, for the test that compares them with those of the languages.
import { parseSync } from 'vite'

/** A text that `t` or `rich` has, as a catalogue names it: `{0} calls`. */
export interface PageText {
  readonly text: string
  readonly line: number
}

interface PageTexts {
  readonly texts: readonly PageText[]
  /** Texts that a person would see and that no language can have. */
  readonly bare: readonly PageText[]
}

/** Of one file of `web/src`, or of the gateway, whose texts have the tag `phrase`. */
export function pageTexts(path: string, source: string): PageTexts {
  const texts: PageText[] = []
  const bare: PageText[] = []
  const lineOf = ({ start }: Node): number => source.slice(0, start).split('\n').length
  const visit = (node: Node, parents: readonly Parent[]): void => {
    if (/^(?:Import|TS(?!As|Satisfies|NonNull))/.test(node.type)) return
    if (isTagged(node)) texts.push({ text: keyOf(node['quasi'] as Node), line: lineOf(node) })
    else if (isCounted(node)) texts.push(...nouns(node).map((text) => ({ text, line: lineOf(node) })))
    else if (isBare(node, parents)) bare.push({ text: source.slice(node.start, node.end), line: lineOf(node) })
    for (const [key, child] of Object.entries(node)) {
      for (const one of Array.isArray(child) ? (child as readonly unknown[]) : [child]) {
        if (isNode(one)) visit(one, [{ node, key }, ...parents])
      }
    }
  }
  visit(parseSync(path, source).program as unknown as Node, [])
  return { texts, bare }
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

/** A node above another, and the key below which that one is. */
interface Parent {
  readonly node: Node
  readonly key: string
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}

function isTagged({ type, tag }: Node): boolean {
  return type === 'TaggedTemplateExpression' && ['t', 'rich', 'phrase'].includes((tag as Node)['name'] as string)
}

/** Whether it is `countedText(n, 'call')`, which has two nouns. */
function isCounted({ type, callee }: Node): boolean {
  return type === 'CallExpression' && nameOf(callee as Node) === 'countedText'
}

function nouns(node: Node): readonly string[] {
  const [, one, many] = (node['arguments'] as readonly Node[]).map(({ value }) => value as string | undefined)
  return one === undefined ? [] : [one, many ?? `${one}s`]
}

function keyOf({ quasis }: Node): string {
  const parts = (quasis as readonly { readonly value: { readonly cooked: string } }[]).map(({ value }) => value.cooked)
  return parts.reduce((text, part, index) => `${text}{${index - 1}}${part}`)
}

/** Attributes and properties that people see or hear: any word of theirs is a text. */
const SEEN =
  /^(?:label|title|placeholder|summary|hint|none|note|alt|caption|first|again|toDo|inOrder|action|saveLabel|shown|refusal|words?|text|message|about|heading|all|some|aria-(?:label|description|valuetext))$/
/** Calls, attributes and properties whose words are for the machine. */
const MACHINE =
  /^(?:.*[cC]lassName|looks?|colou?rs?|style|key|id|href|path|pattern|query\w*|closest|matches|matchMedia|use\w+|test|Set|languages|aria-(?:keyshortcuts|labelledby|describedby|controls)|data-[\w-]+|rel|value|accept|headers|choices|argument|d|viewBox|countedText)$/

/** Names that no language changes, keys of a keyboard, and what is typed as it stands. */
const NAMES = new Set(
  'Foreword|Claude Code|Codex|OpenClaw|Gemini CLI|Qwen Code|Copilot CLI|Tab|Enter|Escape|Shift Enter|0 ⇧ O|0 K|0 Shift O|0 I|Alt Y|Alt N|Home|Files|Notification|npx|argv|git log --oneline|tool-access.json|NAME|text|ApiError|authorization: Bearer $API_KEY'.split(
    '|',
  ),
)
/** What stands in one of them is a command or a key. */
const EXACT = new Set(['code', 'kbd', 'Key'])
const UNITS = /^0 (?:ms|s|B|kB|MB|GB|UTC)$/

function isBare(node: Node, parents: readonly Parent[]): boolean {
  const words = wordsOf(node)
  if (words === undefined || !/\p{L}/u.test(words) || NAMES.has(words) || UNITS.test(words)) return false
  const above = parents[0]!
  if (EXACT.has(elementName((above.node.type === 'JSXExpressionContainer' ? parents[1]! : above).node))) return false
  if (node.type === 'JSXText') return true
  if (/^(?:[/?#&.@[<:]|https?:|url:|foreword )/.test(words) || isTagged(above.node) || isName(above)) return false
  const use = useOf(parents)
  if (use === undefined || MACHINE.test(use)) return false
  return use === 'seen' || SEEN.test(use) || readsLikeText(words)
}

function elementName({ openingElement }: Node): string {
  return isNode(openingElement) ? nameOf(openingElement['name'] as Node) : ''
}

/** The words of a node that is a text, with `0` for each value in it. */
function wordsOf(node: Node): string | undefined {
  if (node.type === 'JSXText') return (node['value'] as string).trim()
  if (node.type === 'Literal' && typeof node['value'] === 'string') return node['value']
  return node.type === 'TemplateLiteral' ? keyOf(node).replaceAll(/\{\d+\}/g, '0') : undefined
}

/** Whether a text is the name of something in the code, or is compared with one. */
function isName({ node, key }: Parent): boolean {
  return (
    (node.type === 'Property' && key === 'key') ||
    node.type === 'MemberExpression' ||
    (node.type === 'BinaryExpression' && node['operator'] !== '+') ||
    (node.type === 'SwitchCase' && key === 'test')
  )
}

/** What becomes of a text: the name of its attribute, property, call or variable; `seen` for what is drawn; undefined: it is not used as a text. */
function useOf(parents: readonly Parent[]): string | undefined {
  for (const [index, { node, key }] of parents.entries()) {
    if (node.type === 'JSXAttribute') return (node['name'] as Node)['name'] as string
    if (node.type === 'ConditionalExpression' && key === 'test') return undefined
    if (node.type === 'Property') return nameOf(node['key'] as Node)
    if (node.type === 'CallExpression' || node.type === 'NewExpression') return nameOf(node['callee'] as Node)
    if (node.type === 'VariableDeclarator') return nameOf(node['id'] as Node)
    if (node.type === 'TaggedTemplateExpression' && isTagged(node)) return 'seen'
    if (node.type === 'JSXExpressionContainer' && parents[index + 1]?.node.type !== 'JSXAttribute') return 'seen'
    if (/Function/.test(node.type)) return 'result'
  }
  return 'result'
}

function nameOf(node: Node): string {
  const name = node['name'] ?? node['value'] ?? (isNode(node['property']) ? node['property']['name'] : '')
  return String(name)
}

/** A capital and small letters, or words with blanks between them. */
function readsLikeText(words: string): boolean {
  // Classes of the style sheet.
  if (/[a-z]-\[|:[a-z]+-|--|^[\w/-]+ [a-z]+-[a-z0-9]+( |$)|var\(|px$|^-?\w+-\d/.test(words)) return false
  return (
    /^\p{Lu}\p{Ll}+(?:[\s,.:;…!?]|$)/u.test(words) ||
    /[\p{L}\d,.;:)”…] +\p{L}/u.test(words) ||
    /^[ ,;.]+\p{L}/u.test(words)
  )
}
