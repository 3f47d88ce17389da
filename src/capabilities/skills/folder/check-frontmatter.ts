import { frontmatterDocument, LARGEST_FRONTMATTER } from './read-frontmatter.ts'
import { splitFrontmatter } from './strip-frontmatter.ts'
import { isMap, isScalar, type Node, type Pair } from 'yaml'

type FieldFinding = Pick<SkillFinding, 'level' | 'message'> & { readonly start?: number }

/** The rules of the standard for each field. A rule receives the text, or `undefined` where the value is not a text. */
const rules: Readonly<
  Record<string, (text: string | undefined, folder: string, value: unknown) => readonly FieldFinding[]>
> = {
  name: nameFindings,
  description: (text) => [
    ...textFindings('description', text, 1_024),
    ...(text?.trim() === '' ? [error('description is empty')] : []),
  ],
  license: (text) => textFindings('license', text, Infinity),
  compatibility: (text) => textFindings('compatibility', text, 500),
  'allowed-tools': (text, _, value) =>
    text === undefined && !isScalar(value)
      ? [note('allowed-tools is not a text: write names separated by spaces')]
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
    findings.push(at(1, note('the frontmatter does not begin on the first line: other agents may not see it')))
  }
  if (split.frontmatter.length > LARGEST_FRONTMATTER) {
    return [...findings, at(split.line, error(`the frontmatter has more than ${LARGEST_FRONTMATTER} characters`))]
  }
  const { document, lines } = frontmatterDocument(split.frontmatter)
  const lineNumber = (offset: number) => split.line + lines.linePos(offset).line - 1
  if (document.errors.length > 0) {
    const faults = document.errors.map(({ message, pos }) => ({ line: lineNumber(pos[0]), fault: yamlFault(message) }))
    // The parser may report one mistake twice in its line.
    const once = new Map(faults.map((each) => [`${each.line} ${each.fault}`, each]))
    return [...findings, ...[...once.values()].map(({ line, fault }) => at(line, error(fault)))]
  }
  if (!isMap(document.contents)) return [...findings, at(split.line, error('the frontmatter is not a list of fields'))]
  const seen = new Set<string>()
  for (const pair of document.contents.items) {
    const { key, start } = pairKey(pair)
    const own = (rules[key] ?? unknownField(key))(scalarText(pair.value), folder, pair.value)
    const twice = seen.has(key) ? [error(`${key} appears more than once`)] : []
    findings.push(...[...twice, ...own].map((finding) => at(lineNumber(finding.start ?? start), finding)))
    seen.add(key)
  }
  for (const key of ['name', 'description']) {
    if (!seen.has(key)) findings.push(at(split.line - 1, error(`${key} is missing`)))
  }
  return findings
}

function missingFrontmatter(text: string): string {
  const begins = text.replace(/^\uFEFF?\s*/, '').startsWith('---')
  return begins
    ? 'the frontmatter does not end: add a second line ---'
    : 'it has no frontmatter: begin the file with a line ---, fields, and a second line ---'
}

function yamlFault(message: string): string {
  const fault = message.split('\n', 1)[0]!.replace(/ at line \d+, column \d+:?$/, '')
  return `${fault} (text with a colon, or one that begins with a special character, needs quotes)`
}

function pairKey({ key }: Pair): { readonly key: string; readonly start: number } {
  return { key: isScalar(key) ? String(key.value) : '', start: (key as Node).range?.[0] ?? 0 }
}

function scalarText(value: unknown): string | undefined {
  return isScalar(value) && typeof value.value === 'string' ? value.value : undefined
}

function nameFindings(text: string | undefined, folder: string): readonly FieldFinding[] {
  if (text === undefined) return textFindings('name', text, 64)
  const name = text.normalize('NFC')
  const faults = [...textFindings('name', name, 64)]
  if (name === '') return [error('name is empty')]
  if (name !== name.toLowerCase() || /[^\p{L}\p{M}\p{N}-]/u.test(name)) {
    faults.push(error('name may have only lowercase letters, digits and hyphens'))
  }
  if (name.startsWith('-') || name.endsWith('-')) faults.push(error('name may not begin or end with a hyphen'))
  if (name.includes('--')) faults.push(error('name may not have two hyphens in a row'))
  if (name !== folder.normalize('NFC')) faults.push(error(`name is ${name}, but the folder is ${folder}`))
  return faults
}

function textFindings(field: string, text: string | undefined, most: number): readonly FieldFinding[] {
  if (text === undefined) return [error(`${field} is not a text`)]
  if (text.length <= most) return []
  return [error(`${field} has ${text.length} characters, more than the ${most} allowed`)]
}

function metadataFindings(value: unknown): readonly FieldFinding[] {
  if (!isMap(value)) return [error('metadata is not a list of fields')]
  return value.items.flatMap((pair) => {
    if (scalarText(pair.value) !== undefined) return []
    const { key, start } = pairKey(pair)
    const fault = isScalar(pair.value) ? 'is not a text: put it in quotes' : 'is nested: the standard allows only texts'
    return [{ ...note(`metadata.${key} ${fault}`), start }]
  })
}

function unknownField(key: string): () => readonly FieldFinding[] {
  return () => [note(`the standard has no field ${key}`)]
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
