import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { frontmatterDocument, LARGEST_FRONTMATTER, MOST_ALIASES } from './frontmatter-document.ts'
import { type Frontmatter, type FrontmatterRead, noFrontmatter } from './frontmatter.ts'
import { splitFrontmatter } from './strip-frontmatter.ts'

/**
 * Reads the frontmatter of a `SKILL.md`. Never throws: what cannot be understood is a warning, and counts as not said
 * (BEHAVIOURS §1.1). Fields that the standard does not know are ignored.
 */
export function readFrontmatter(text: string): FrontmatterRead {
  const yaml = splitFrontmatter(text)?.frontmatter
  if (yaml === undefined) return { fields: noFrontmatter, warnings: [] }
  if (yaml.length > LARGEST_FRONTMATTER) {
    return unusable(`it has ${yaml.length} characters, more than the ${LARGEST_FRONTMATTER} that are read`)
  }
  try {
    return read(frontmatterDocument(yaml).document)
  } catch (error) {
    return unusable(firstLine(error))
  }
}

function unusable(why: string): FrontmatterRead {
  return { fields: noFrontmatter, warnings: [`the frontmatter is not used: ${why}`] }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0]!.replace(/:$/, '')
}

function read(document: Document): FrontmatterRead {
  const [fault] = document.errors
  if (fault) return unusable(`it is not valid YAML: ${firstLine(fault)}`)
  const { contents } = document
  if (contents === null || (isScalar(contents) && contents.value === null)) {
    return { fields: noFrontmatter, warnings: [] }
  }
  if (!isMap(contents)) return unusable('it is not a list of fields')
  const warnings = [
    ...document.warnings.map((warning) => `${firstLine(warning)}; the tag is ignored`),
    ...twice(contents),
  ]
  const reader = fieldReader(document, (warning) => warnings.push(warning))
  const metadata = reader.node(contents, 'metadata')
  const fields: Frontmatter = {
    ...given('name', nameOf(reader.text(contents, 'name'), warnings)),
    ...given('description', reader.text(contents, 'description')?.trim()),
    ...given('license', reader.text(contents, 'license')),
    ...given('compatibility', reader.text(contents, 'compatibility')),
    ...given('allowedTools', allowedTools(reader, contents)),
    ...given('version', isMap(metadata) ? reader.quietText(metadata, 'version') : undefined),
    metadata: metadataOf(document, metadata, warnings),
    requires: requirements(reader, metadata, warnings),
  }
  return { fields, warnings }
}

function given<Key extends string>(key: Key, value: string | undefined): { readonly [K in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: string }
}

function twice(map: YAMLMap): readonly string[] {
  const keys = map.items.map(({ key }) => (isScalar(key) ? String(key.value) : ''))
  const again = new Set(keys.filter((key, index) => keys.indexOf(key) !== index))
  return [...again].map((key) => `${key} stands more than once; the last one counts`)
}

/** A name stands in a heading, in a line of a list and in a schema, so it is one line in one spelling. */
function nameOf(written: string | undefined, warnings: string[]): string | undefined {
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

function metadataOf(document: Document, node: Node | undefined, warnings: string[]): Frontmatter['metadata'] {
  if (node === undefined || (isScalar(node) && node.value === null)) return {}
  if (!isMap(node)) {
    warnings.push('metadata is not a list of fields and is not used')
    return {}
  }
  return node.toJS(document, { maxAliasCount: MOST_ALIASES }) as Frontmatter['metadata']
}

function requirements(reader: FieldReader, metadata: Node | undefined, warnings: string[]): Frontmatter['requires'] {
  const requires = isMap(metadata) ? reader.node(metadata, 'requires') : undefined
  const bins = isMap(requires) ? reader.node(requires, 'bins') : undefined
  if (bins === undefined || (isScalar(bins) && bins.value === null)) return []
  const entries: readonly unknown[] = isSeq(bins) ? bins.items : [bins]
  return entries.flatMap((entry) => {
    const resolved = reader.resolve(entry)
    const programs = (isSeq(resolved) ? resolved.items : [resolved]).flatMap((item) => programOf(reader.resolve(item)))
    if (programs.length > 0) return [programs]
    warnings.push('metadata.requires.bins has an entry that names no program; it is ignored')
    return []
  })
}

function programOf(node: unknown): readonly string[] {
  return isScalar(node) && typeof node.value === 'string' && node.value.trim() !== '' ? [node.value.trim()] : []
}

interface FieldReader {
  /** What stands under a key, aliases resolved; of a key that stands twice the last. */
  node(map: YAMLMap, key: string): Node | undefined
  resolve(node: unknown): unknown
  /** The text under a key; anything else that is one value is taken as it was written, with a warning. */
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
  const textOf = (map: YAMLMap, key: string, say: (warning: string) => void) => {
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
    resolve,
    text: (map, key) => textOf(map, key, warn),
    quietText: (map, key) => textOf(map, key, () => {}),
  }
}
