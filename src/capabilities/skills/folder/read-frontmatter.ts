import { defined, errorMessage } from '../../../platform.ts'
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

/** Never throws: a field that cannot be understood is a warning, and counts as absent (BEHAVIOURS §1.1). */
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
  const name = cleanName(fieldLine('name', yaml), warnings)
  const fields = defined({ name, description: fieldLine('description', yaml) })
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
  const nodeOf = (map: YAMLMap, key: string) => fieldNode(document, map, key)
  const textOf = (key: string) => nodeText(nodeOf(contents, key), key, warnings)
  const tools = nodeOf(contents, 'allowed-tools')
  const node = nodeOf(contents, 'metadata')
  const metadata = readMetadata(document, node, warnings)
  const fields: Frontmatter = {
    ...defined({
      name: cleanName(textOf('name'), warnings),
      description: textOf('description')?.trim(),
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
  return [...again].map((key) => `${key} appears more than once; the last one counts`)
}

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

function readMetadata(document: Document, node: Node | undefined, warnings: string[]): Frontmatter['metadata'] {
  if (node === undefined || (isScalar(node) && node.value === null)) return {}
  const value: unknown = node.toJS(document, { maxAliasCount: MOST_ALIASES })
  const fields = objectFields(value)
  if (fields === undefined) warnings.push('metadata is not a list of fields and is not used')
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
    warnings.push(`${key} is not a text and is not used`)
    return undefined
  }
  if (typeof node.value === 'string') return node.value
  const written = node.source ?? String(node.value)
  warnings.push(`${key} is not a text; it is read as "${written}"`)
  return written
}

/**
 * A field as `key: rest of the line` (BEHAVIOURS §1.1), for frontmatter that is no YAML. After `|` or `>`, the value
 * is the indented lines below. Quotes around the whole value are removed.
 */
function fieldLine(key: string, frontmatter: string): string | undefined {
  const lines = frontmatter.split(/\r?\n/)
  const at = lines.findIndex((line) => line.startsWith(`${key}:`))
  if (at < 0) return undefined
  const first = lines[at]!.slice(key.length + 1).trim()
  const text = /^[|>][-+\d]*$/.test(first) ? indentedText(lines.slice(at + 1)) : unquote(first)
  return text === '' ? undefined : text
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
