import { errorMessage } from '../../../platform.ts'
import { type Frontmatter, type FrontmatterRead, noFrontmatter } from '../skill.ts'
import { objectFields, readRequirements } from './requirements.ts'
import { splitFrontmatter } from './strip-frontmatter.ts'
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from 'yaml'

/**
 * Reads the frontmatter of a `SKILL.md`. Never throws: a field that cannot be understood is a warning, and counts as absent
 * (BEHAVIOURS §1.1). Fields that the standard does not define are ignored.
 */
export function readFrontmatter(text: string): FrontmatterRead {
  const yaml = splitFrontmatter(text)?.frontmatter
  if (yaml === undefined) return { fields: noFrontmatter, warnings: [] }
  if (yaml.length > LARGEST_FRONTMATTER) {
    return readAsPlainLines(
      yaml,
      `it has ${yaml.length} characters, more than the ${LARGEST_FRONTMATTER} that are read`,
    )
  }
  try {
    const found = readFields(frontmatterDocument(yaml).document)
    return typeof found === 'string' ? readAsPlainLines(yaml, found) : found
  } catch (error) {
    return readAsPlainLines(yaml, firstLine(error))
  }
}

/** Text that is no YAML may still have lines with the name and the description of the skill. */
function readAsPlainLines(yaml: string, why: string): FrontmatterRead {
  const warnings: string[] = []
  const { name, description } = readFieldLines(yaml)
  const fields = { ...textField('name', cleanName(name, warnings)), ...textField('description', description) }
  const used = Object.keys(fields)
  const what =
    used.length === 0
      ? 'the frontmatter is not used'
      : `of the frontmatter only ${used.join(' and ')} ${used.length === 1 ? 'is' : 'are'} used, read as plain text`
  return { fields: { ...noFrontmatter, ...fields }, warnings: [`${what}: ${why}`, ...warnings] }
}

function firstLine(error: unknown): string {
  return errorMessage(error).split('\n', 1)[0]!.replace(/:$/, '')
}

/** The fields, or why there are none. */
function readFields(document: Document): FrontmatterRead | string {
  const [fault] = document.errors
  if (fault) return `it is not valid YAML: ${firstLine(fault)}`
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return { fields: noFrontmatter, warnings: [] }
  }
  if (!isMap(contents)) return 'it is not a list of fields'
  const warnings = [
    ...document.warnings.map((warning) => `${firstLine(warning)}; the tag is ignored`),
    ...repeatedKeys(contents),
  ]
  const reader = fieldReader(document, (warning) => warnings.push(warning))
  const node = reader.node(contents, 'metadata')
  const metadata = readMetadata(document, node, warnings)
  const fields: Frontmatter = {
    ...textField('name', cleanName(reader.text(contents, 'name'), warnings)),
    ...textField('description', reader.text(contents, 'description')?.trim()),
    ...textField('license', reader.text(contents, 'license')),
    ...textField('compatibility', reader.text(contents, 'compatibility')),
    ...textField('allowedTools', allowedTools(reader, contents)),
    ...textField('version', isMap(node) ? reader.quietText(node, 'version') : undefined),
    metadata,
    requires: readRequirements(metadata, warnings),
  }
  return { fields, warnings }
}

function textField<Key extends string>(key: Key, value: string | undefined): { readonly [K in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: string }
}

function repeatedKeys(map: YAMLMap): readonly string[] {
  const keys = map.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''))
  const again = new Set(keys.filter((key, index) => keys.indexOf(key) !== index))
  return [...again].map((key) => `${key} appears more than once; the last one counts`)
}

/** A name appears in a heading, in a line of a list and in a schema, so it is one line in one spelling. */
function cleanName(written: string | undefined, warnings: string[]): string | undefined {
  if (written === undefined || written.trim() === '') return undefined
  const trimmed = written.trim()
  const name = oneLine(trimmed).normalize('NFC')
  if (oneLine(trimmed) !== trimmed) warnings.push(`name has more than one line; it is read as ${name}`)
  return name
}

function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is taken out here
  return text.replaceAll(/[\s\u0000-\u001F\u007F-\u009F]+/g, ' ').trim()
}

function allowedTools(reader: FieldReader, contents: YAMLMap): string | undefined {
  const node = reader.node(contents, 'allowed-tools')
  if (!isSeq(node)) return reader.text(contents, 'allowed-tools')
  return node.items.flatMap((item) => (isScalar(item) ? [String(item.value)] : [])).join(' ')
}

function readMetadata(document: Document, node: Node | undefined, warnings: string[]): Frontmatter['metadata'] {
  if (node === undefined || (isScalar(node) && node.value === null)) return {}
  const value: unknown = node.toJS(document, { maxAliasCount: MOST_ALIASES })
  const fields = objectFields(value)
  if (fields === undefined) warnings.push('metadata is not a list of fields and is not used')
  return fields ?? {}
}

interface FieldReader {
  /** The value of a key, aliases resolved; the last one of a repeated key. */
  node(map: YAMLMap, key: string): Node | undefined
  /** The text of a key; any other single value is read as written, with a warning. */
  text(map: YAMLMap, key: string): string | undefined
  /** The same without a warning. */
  quietText(map: YAMLMap, key: string): string | undefined
}

function fieldReader(document: Document, warn: (warning: string) => void): FieldReader {
  const resolve = (node: unknown) => (isAlias(node) ? node.resolve(document) : node)
  const node = (map: YAMLMap, key: string) => {
    const pair = map.items.findLast((item) => isScalar(item.key) && item.key.value === key)
    return resolve(pair?.value) as Node | undefined
  }
  const readText = (map: YAMLMap, key: string, say: (warning: string) => void) => {
    const found = node(map, key)
    if (found === undefined || found === null || (isScalar(found) && found.value === null)) return undefined
    if (!isScalar(found)) {
      say(`${key} is not a text and is not used`)
      return undefined
    }
    if (typeof found.value === 'string') return found.value
    const written = found.source ?? String(found.value)
    say(`${key} is not a text; it is read as "${written}"`)
    return written
  }
  return {
    node,
    text: (map, key) => readText(map, key, warn),
    quietText: (map, key) => readText(map, key, () => {}),
  }
}

/** The fields of a skill that plain lines give. */
interface FieldLines {
  readonly name?: string
  readonly description?: string
}

/**
 * Reads `name` and `description` as `key: rest of the line` (BEHAVIOURS §1.1), for frontmatter that is no YAML. Where the
 * line only announces a text (`|`, `>`), the value is the indented lines below. Quotes around the whole value are removed.
 */
function readFieldLines(frontmatter: string): FieldLines {
  const lines = frontmatter.split(/\r?\n/)
  const fieldText = (key: string): string | undefined => {
    const at = lines.findIndex((line) => line.startsWith(`${key}:`))
    if (at < 0) return undefined
    const first = lines[at]!.slice(key.length + 1).trim()
    const text = isBlockMark(first) ? indentedText(lines.slice(at + 1)) : unquote(first)
    return text === '' ? undefined : text
  }
  const [name, description] = [fieldText('name'), fieldText('description')]
  return { ...(name !== undefined && { name }), ...(description !== undefined && { description }) }
}

/** The YAML mark of a text on the next lines. */
function isBlockMark(text: string): boolean {
  return /^[|>][-+\d]*$/.test(text)
}

function indentedText(lines: readonly string[]): string {
  const end = lines.findIndex((line) => !/^\s/.test(line))
  return lines
    .slice(0, end < 0 ? lines.length : end)
    .map((line) => line.trim())
    .join(' ')
    .trim()
}

function unquote(text: string): string {
  const [, , inside] = /^(["'])(.*)\1$/s.exec(text) ?? []
  return inside?.trim() ?? text
}

/** The longest frontmatter that is read, characters. */
export const LARGEST_FRONTMATTER = 65_536
/** How often aliases may be expanded, so that a few lines cannot grow to millions. */
const MOST_ALIASES = 32

/** Frontmatter as a YAML document with positions. Tags have no meaning, and a repeated key is no error. */
export function frontmatterDocument(yaml: string): { readonly document: Document; readonly lines: LineCounter } {
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
