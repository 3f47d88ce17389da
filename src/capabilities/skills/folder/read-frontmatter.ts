import { phrase } from '../../../context.ts'
import { defined, errorMessage } from '../../../platform.ts'
import { type Frontmatter, type FrontmatterRead, noFrontmatter } from '../skill.ts'
import { objectFields, readRequirements } from './requirements.ts'
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
  type Pair,
} from 'yaml'

/** Never throws: a field that cannot be understood is a warning, and counts as absent (BEHAVIOURS §1.1). */
export function readFrontmatter(text: string): FrontmatterRead {
  const split = splitFrontmatter(text)
  if (split === undefined) return { fields: noFrontmatter, warnings: [] }
  const { frontmatter: yaml, line } = split
  if (yaml.length > LARGEST_FRONTMATTER) {
    return readByLines(
      yaml,
      phrase`it has ${yaml.length} characters, more than the ${LARGEST_FRONTMATTER} that are read`,
    )
  }
  try {
    const found = readFields(frontmatterDocument(yaml).document, yaml, line)
    return typeof found === 'string' ? readByLines(yaml, found) : found
  } catch (reason) {
    return readByLines(yaml, parserFault(reason, line))
  }
}

/**
 * Text that is no YAML may still have the name and the description of the skill, each from its line to the next field
 * (BEHAVIOURS §1.1). Each is read as YAML, so that a broken line costs no other one its escapes, else as plain text.
 */
function readByLines(yaml: string, why: string): FrontmatterRead {
  const warnings: string[] = []
  const name = cleanName(fieldText('name', yaml), warnings)
  const fields = defined({ name, description: fieldText('description', yaml) })
  const used = Object.keys(fields)
  const what =
    used.length === 0
      ? phrase`the frontmatter is not used`
      : used.length === 1
        ? phrase`of the frontmatter only ${used[0]!} is used, read as plain text`
        : phrase`of the frontmatter only ${used.join(' and ')} are used, read as plain text`
  return { fields: { ...noFrontmatter, ...fields }, warnings: [`${what}: ${why}`, ...warnings] }
}

function fieldText(key: string, frontmatter: string): string | undefined {
  const lines = frontmatter.split(/\r?\n/)
  const at = lines.findIndex((line) => line.startsWith(`${key}:`))
  if (at < 0) return undefined
  const next = lines.findIndex((line, index) => index > at && /^(?:[\w-]+:(?:\s|$)|#)/.test(line))
  const field = lines.slice(at, next < 0 ? lines.length : next).join('\n')
  const { document } = frontmatterDocument(field.slice(0, LARGEST_FRONTMATTER))
  const node = isMap(document.contents) ? fieldNode(document, document.contents, key) : undefined
  if (document.errors.length === 0 && (node === null || (isScalar(node) && node.value === null))) return undefined
  const text =
    document.errors.length === 0 && isScalar(node) && typeof node.value === 'string'
      ? node.value
      : plainText(field.slice(key.length + 1))
  return text.trim() === '' || (key === 'name' && !/[\p{L}\p{N}]/u.test(text)) ? undefined : text.trim()
}

/** Lines as one text, without a mark of a block or quotes around it. */
function plainText(written: string): string {
  const text = written
    .trim()
    .replace(/^[|>][-+\d]*(?=\n)/, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
  const [, , inside] = /^(["'])(.*)\1$/s.exec(text) ?? []
  return inside?.trim() ?? text
}

/** The sentence of the parser, with the line of the file. `line`: where the frontmatter begins in it. */
function parserFault(reason: unknown, line: number): string {
  const sentence = errorMessage(reason).split('\n', 1)[0]!.replace(/:$/, '')
  return sentence.replace(/(?<= at line )\d+/, (number) => String(Number(number) + line - 1))
}

function readFields(document: Document, yaml: string, line: number): FrontmatterRead | string {
  const [fault] = document.errors
  if (fault) return phrase`it is not valid YAML: ${parserFault(fault, line)}`
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return { fields: noFrontmatter, warnings: [] }
  }
  if (!isMap(contents)) return phrase`it is not a list of fields`
  const warnings = [
    ...document.warnings.map((warning) => phrase`${parserFault(warning, line)}; the tag is ignored`),
    ...repeatedKeys(contents),
  ]
  const nodeOf = (map: YAMLMap, key: string) => fieldNode(document, map, key)
  const textOf = (key: string) => nodeText(nodeOf(contents, key), key, warnings)
  const described = nodeOf(contents, 'description')
  const tools = nodeOf(contents, 'allowed-tools')
  const node = nodeOf(contents, 'metadata')
  const metadata = readMetadata(document, node, warnings)
  const fields: Frontmatter = {
    ...defined({
      name: cleanName(textOf('name'), warnings),
      // Words before a colon on a line of their own are a key to YAML, and still words.
      description:
        isCollection(described) && !described.flow ? fieldText('description', yaml) : textOf('description')?.trim(),
      license: textOf('license'),
      compatibility: textOf('compatibility'),
      allowedTools: isSeq(tools)
        ? tools.items.flatMap((item) => (isScalar(item) ? [String(item.value)] : [])).join(' ')
        : textOf('allowed-tools'),
      // A version that is a number is as good as a text, so there is no warning about it.
      version: isMap(node) ? nodeText(nodeOf(node, 'version'), 'version', []) : undefined,
    }),
    metadata,
    requires: readRequirements(metadata, warnings),
  }
  return { fields, warnings }
}

function repeatedKeys(map: YAMLMap): readonly string[] {
  const keys = map.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''))
  const again = new Set(keys.filter((key, index) => keys.indexOf(key) !== index))
  return [...again].map((key) => phrase`${key} appears more than once; the last one counts`)
}

function cleanName(written: string | undefined, warnings: string[]): string | undefined {
  if (written === undefined || written.trim() === '') return undefined
  const trimmed = written.trim()
  const name = oneLine(trimmed).normalize('NFC')
  if (oneLine(trimmed) !== trimmed) warnings.push(phrase`name has more than one line; it is read as ${name}`)
  return name
}

function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out here
  return text.replaceAll(/[\s\u0000-\u001F\u007F-\u009F]+/g, ' ').trim()
}

function readMetadata(document: Document, node: Node | undefined, warnings: string[]): Frontmatter['metadata'] {
  if (node === undefined || (isScalar(node) && node.value === null)) return {}
  const value: unknown = node.toJS(document, { maxAliasCount: MOST_ALIASES })
  const fields = objectFields(value)
  if (fields === undefined) warnings.push(phrase`metadata is not a list of fields and is not used`)
  return fields ?? {}
}

/** The value of a key, aliases resolved; the last one of a repeated key. */
function fieldNode(document: Document, map: YAMLMap, key: string): Node | undefined {
  const value = map.items.findLast((item) => isScalar(item.key) && item.key.value === key)?.value
  return (isAlias(value) ? value.resolve(document) : value) as Node | undefined
}

/** The text of a key; any other single value is read as written, with a warning. */
function nodeText(node: Node | undefined, key: string, warnings: string[]): string | undefined {
  if (node === undefined || node === null || (isScalar(node) && node.value === null)) return undefined
  if (!isScalar(node)) {
    warnings.push(phrase`${key} is not a text and is not used`)
    return undefined
  }
  if (typeof node.value === 'string') return node.value
  const written = node.source ?? String(node.value)
  warnings.push(phrase`${key} is not a text; it is read as "${written}"`)
  return written
}

/** The longest frontmatter that is read, characters. */
const LARGEST_FRONTMATTER = 65_536
/** How often aliases may be expanded, so that a few lines cannot grow to millions. */
const MOST_ALIASES = 32

/** Frontmatter as a YAML document with positions. Tags have no meaning, and a repeated key is no error. */
function frontmatterDocument(yaml: string): { readonly document: Document; readonly lines: LineCounter } {
  const lines = new LineCounter()
  const document = parseDocument(yaml, {
    schema: 'core',
    version: '1.2',
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: true,
    logLevel: 'silent',
    lineCounter: lines,
  })
  return { document, lines }
}

type FieldFinding = Pick<SkillFinding, 'level' | 'message'> & { readonly start?: number }

/** The rules of the standard for each field. A rule receives the text, or `undefined` where the value is not a text. */
const rules: Readonly<
  Record<string, (text: string | undefined, folder: string, value: unknown) => readonly FieldFinding[]>
> = {
  name: nameFindings,
  description: (text) => [
    ...textFindings('description', text, 1_024),
    ...(text?.trim() === '' ? [error(phrase`description is empty`)] : []),
  ],
  license: (text) => textFindings('license', text, Infinity),
  compatibility: (text) => textFindings('compatibility', text, 500),
  'allowed-tools': (text, _, value) =>
    text === undefined && !isScalar(value)
      ? [note(phrase`allowed-tools is not a text: write names separated by spaces`)]
      : textFindings('allowed-tools', text, Infinity),
  metadata: (_, __, value) => metadataFindings(value),
}

/** Lints the frontmatter of a `SKILL.md` against the Agent Skills standard. `folder` is the name of the skill's folder. */
export function frontmatterFindings(text: string, folder: string): readonly SkillFinding[] {
  const at = (line: number, { level, message }: FieldFinding): SkillFinding => {
    return { file: 'SKILL.md', line, level, message }
  }
  const split = splitFrontmatter(text)
  if (!split) return [at(1, error(missingFrontmatter(text)))]
  const findings: SkillFinding[] = []
  if (!/^---[ \t]*\r?\n/.test(text)) {
    findings.push(at(1, note(phrase`the frontmatter does not begin on the first line: other agents may not see it`)))
  }
  if (split.frontmatter.length > LARGEST_FRONTMATTER) {
    return [...findings, at(split.line, error(phrase`the frontmatter has more than ${LARGEST_FRONTMATTER} characters`))]
  }
  const { document, lines } = frontmatterDocument(split.frontmatter)
  const lineNumber = (offset: number) => split.line + lines.linePos(offset).line - 1
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ message, pos }) => ({ line: lineNumber(pos[0]), fault: yamlFault(message) }))
    // The parser may report one mistake twice in its line.
    const once = new Map(faults.map((each) => [`${each.line} ${each.fault}`, each]))
    return [...findings, ...[...once.values()].map(({ line, fault }) => at(line, error(fault)))]
  }
  if (!isMap(document.contents))
    return [...findings, at(split.line, error(phrase`the frontmatter is not a list of fields`))]
  const seen = new Set<string>()
  for (const pair of document.contents.items) {
    const { key, start } = pairKey(pair)
    const own = (rules[key] ?? (() => [note(phrase`the standard has no field ${key}`)]))(
      scalarText(pair.value),
      folder,
      pair.value,
    )
    const twice = seen.has(key) ? [error(phrase`${key} appears more than once`)] : []
    findings.push(...[...twice, ...own].map((finding) => at(lineNumber(finding.start ?? start), finding)))
    seen.add(key)
  }
  for (const key of ['name', 'description']) {
    if (!seen.has(key)) findings.push(at(split.line - 1, error(phrase`${key} is missing`)))
  }
  return findings
}

function missingFrontmatter(text: string): string {
  const begins = text.replace(/^\uFEFF?\s*/, '').startsWith('---')
  return begins
    ? phrase`the frontmatter does not end: add a second line ---`
    : phrase`it has no frontmatter: begin the file with a line ---, fields, and a second line ---`
}

function yamlFault(message: string): string {
  const fault = message.split('\n', 1)[0]!.replace(/ at line \d+, column \d+:?$/, '')
  return phrase`${fault} (text with a colon, or one that begins with a special character, needs quotes)`
}

function pairKey({ key }: Pair): { readonly key: string; readonly start: number } {
  return { key: isScalar(key) ? String(key.value) : '', start: (key as Node).range?.[0] ?? 0 }
}

function scalarText(value: unknown): string | undefined {
  return isScalar(value) && typeof value.value === 'string' ? value.value : undefined
}

function nameFindings(text: string | undefined, folder: string): readonly FieldFinding[] {
  if (text === undefined) return textFindings('name', text, 64)
  const name = text.trim().normalize('NFKC')
  const faults = [...textFindings('name', name, 64)]
  if (name === '') return [error(phrase`name is empty`)]
  if (name !== name.toLowerCase() || /[^\p{L}\p{M}\p{N}-]/u.test(name)) {
    faults.push(error(phrase`name may have only lowercase letters, digits and hyphens`))
  }
  if (name.startsWith('-') || name.endsWith('-')) faults.push(error(phrase`name may not begin or end with a hyphen`))
  if (name.includes('--')) faults.push(error(phrase`name may not have two hyphens in a row`))
  if (name !== folder.normalize('NFKC')) faults.push(error(phrase`name is ${name}, but the folder is ${folder}`))
  return faults
}

function textFindings(field: string, text: string | undefined, most: number): readonly FieldFinding[] {
  if (text === undefined) return [error(phrase`${field} is not a text`)]
  if (text.length <= most) return []
  return [error(phrase`${field} has ${text.length} characters, more than the ${most} allowed`)]
}

function metadataFindings(value: unknown): readonly FieldFinding[] {
  if (!isMap(value)) return [error(phrase`metadata is not a list of fields`)]
  return value.items.flatMap((pair) => {
    if (scalarText(pair.value) !== undefined) return []
    const { key, start } = pairKey(pair)
    const name = `metadata.${key}`
    const fault = isScalar(pair.value)
      ? phrase`${name} is not a text: put it in quotes`
      : phrase`${name} is nested: the standard allows only texts`
    return [{ ...note(fault), start }]
  })
}

function error(message: string): FieldFinding {
  return { level: 'error', message }
}

function note(message: string): FieldFinding {
  return { level: 'note', message }
}

export interface SkillFinding {
  readonly file: string
  readonly line: number
  /** An `error` breaks a rule of the standard, or a promise of the skill itself; a `note` is worth a look. */
  readonly level: 'error' | 'note'
  readonly message: string
}

/** The body of a `SKILL.md`: what follows its frontmatter, trimmed; the text as it is where it has none (BEHAVIOURS §1.2). */
export function stripFrontmatter(text: string): string {
  return splitFrontmatter(text)?.body ?? text
}

interface SplitText {
  readonly frontmatter: string
  /** Line of the text on which the frontmatter begins, from 1. */
  readonly line: number
  /** What follows the second fence, trimmed. */
  readonly body: string
  /** Line of the text on which the body begins, from 1. */
  readonly bodyLine: number
}

/** After a byte order mark and blank lines, the first line must be `---`, and a later one too; else `undefined`. */
export function splitFrontmatter(text: string): SplitText | undefined {
  let start: number | undefined
  for (const { from, to, next } of textLines(text)) {
    const content = text.slice(from, to)
    if (start === undefined) {
      if (isFence(from === 0 ? content.replace(/^\uFEFF/, '') : content)) start = next
      // `trim` removes a byte order mark too, so the first line may begin with one.
      else if (content.trim() !== '') return undefined
    } else if (isFence(content)) {
      const rest = text.slice(next)
      const blank = rest.trim() === '' ? 0 : rest.length - rest.trimStart().length
      return {
        frontmatter: text.slice(start, from),
        line: lineAt(text, start),
        body: rest.trim(),
        bodyLine: lineAt(text, next + blank),
      }
    }
  }
  return undefined
}

function isFence(line: string): boolean {
  return line.startsWith('---') && line.slice(3).trim() === ''
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}

/** Lazily: only as many lines as are asked for. */
function* textLines(text: string): Generator<{ from: number; to: number; next: number }> {
  for (let from = 0; from < text.length;) {
    const end = text.indexOf('\n', from)
    const next = end === -1 ? text.length : end + 1
    const last = end === -1 ? text.length : end
    const to = last > from && text[last - 1] === '\r' ? last - 1 : last
    yield { from, to, next }
    from = next
  }
}
