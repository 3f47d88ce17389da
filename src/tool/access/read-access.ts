import { isDeepStrictEqual } from 'node:util'
import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { z } from 'zod'
import type { TextRead, TextReader } from '../text-reader.ts'
import {
  type Access,
  type AccessRead,
  accessShape,
  globalShape,
  sandboxShape,
  SHELL_LIMITS,
  type ShellAccess,
  shellShape,
  toolSetting,
} from './access.ts'

/** The policy with every default in its place. Anything wrong: no policy, and nothing may run (BEHAVIOURS §2.3). Never throws. */
export function readAccess(
  text: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): AccessRead {
  const written = parseAccess(text ?? '')
  const knobs = shellKnobs(environment)
  const problems = [...written.problems, ...knobs.problems]
  if (problems.length > 0) return { type: 'faulty', problems }
  return { type: 'access', access: settled(written.value, knobs.values) }
}

function settled(
  { global, sandbox, tools: { shell: shellWritten, ...tools } = {} }: WrittenAccess,
  knobs: ShellKnobs['values'],
): Access {
  const asked = shellWritten?.approval === undefined ? toolSetting(tools, 'shell', 'approval') : undefined
  const shell = {
    approval: 'never' as const,
    ...(asked && { approval: asked.value, approvalRule: asked.rule }),
    ...shellShape.parse({ ...shellWritten, ...knobs }),
    ...(knobs.enabled === true && { entry: 'SHELL_TOOL_ENABLED' }),
  }
  return {
    global: globalShape.parse({ ...global }),
    sandbox: sandboxShape.parse({ ...sandbox }),
    tools: Object.fromEntries(Object.entries(tools).map(([name, said]) => [name, { ...said }])),
    shell: {
      ...shell,
      timeoutMs: Math.min(shell.timeoutMs, SHELL_LIMITS.timeoutMs),
      maxOutputChars: Math.min(shell.maxOutputChars, SHELL_LIMITS.maxOutputChars),
    },
  }
}

/** The settings of the shell that environment variables override, and what is wrong with them (BEHAVIOURS §2.4). */
interface ShellKnobs {
  readonly values: Partial<ShellAccess>
  readonly problems: readonly string[]
}

/** The setting of each variable, and what its text means. What means nothing stays a text, which is then found wrong. */
const KNOBS = {
  SHELL_TOOL_ENABLED: [
    'enabled',
    (text) => ({ true: true, '1': true, false: false, '0': false })[text.toLowerCase()] ?? text,
  ],
  SHELL_TOOL_MODE: ['mode', (text) => text],
  SHELL_TOOL_TIMEOUT_MS: ['timeoutMs', parseCount],
  SHELL_TOOL_MAX_OUTPUT_CHARS: ['maxOutputChars', parseCount],
  SHELL_TOOL_PRESETS: ['presets', parseList],
  SHELL_TOOL_ALLOWED_PREFIXES: ['allowedPrefixes', parseList],
} as const satisfies Record<string, readonly [keyof typeof shellShape.shape, (text: string) => unknown]>

/** Environment variables that override settings of the shell. */
export const SHELL_VARIABLES: readonly string[] = Object.keys(KNOBS)

/** Reads the environment variables of the shell tool. An empty variable counts as absent. */
function shellKnobs(environment: Readonly<Record<string, string | undefined>>): ShellKnobs {
  const values: Record<string, unknown> = {}
  const problems: string[] = []
  for (const [variable, [name, meaning]] of Object.entries(KNOBS)) {
    const text = environment[variable]?.trim() ?? ''
    if (text === '') continue
    const { data, error } = shellShape.shape[name].safeParse(meaning(text))
    if (error) problems.push(`${variable} ${error.issues[0]!.message}`)
    else values[name] = data
  }
  return { values, problems }
}

function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

function parseCount(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text
}

/** The contents of `tool-access.json`, or every problem with its line. */
interface AccessText {
  /** Only what was written, without comments; empty where there are problems. */
  readonly value: WrittenAccess
  readonly problems: readonly string[]
}

/** Objects have no prototype: a tool may be named `constructor`. */
export type WrittenAccess = z.input<typeof accessShape>

const MOST_PROBLEMS = 50

/** Parses the text of `tool-access.json`, with comments. A blank text is an empty policy. Never throws. */
export function parseAccess(text: string): AccessText {
  try {
    return parsed(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    // A thousand brackets in a row are more than any reader of trees can follow.
    const why = error instanceof RangeError ? 'it is nested too deeply' : String(error)
    return { value: {}, problems: [`it cannot be read: ${why}`] }
  }
}

function parsed(text: string): AccessText {
  const errors: ParseError[] = []
  const tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  const formatLine = (offset: number) => `line ${text.slice(0, offset).split('\n').length}`
  const [error] = errors
  if (error) {
    const why = printParseErrorCode(error.error)
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
      .toLowerCase()
    return { value: {}, problems: [`${formatLine(error.offset)}: this is not JSON: ${why}`] }
  }
  if (!tree) return { value: {}, problems: [] }
  const twice: Fault[] = []
  const value = plain(tree, [], twice)
  const faults = [...twice, ...(accessShape.safeParse(value).error?.issues.flatMap(toFaults) ?? [])]
  if (faults.length === 0) return { value: value as WrittenAccess, problems: [] }
  const problems = faults
    .slice(0, MOST_PROBLEMS)
    .map(({ path, isOfName, node = nodeAt(tree, path, isOfName), words }) => ({ at: node.offset, path, words }))
    .toSorted((left, right) => left.at - right.at)
    .map(({ at, path, words }) => `${formatLine(at)}: ${formatPath(path)} ${words}`)
  return { value: {}, problems }
}

interface Fault {
  readonly path: Path
  /** What is wrong, behind the name. Never a value. */
  readonly words: string
  /** The problem is the name, not its value. */
  readonly isOfName?: boolean
  readonly node?: Node
}

type Path = readonly (string | number)[]

/** The value of a tree. Keys that begin with `_` are comments (BEHAVIOURS §2.3); repeated ones are added to `twice`. */
function plain(node: Node, path: Path, twice: Fault[]): unknown {
  if (node.type !== 'object') return getNodeValue(node)
  const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>
  for (const { children: [key, inner] = [] } of node.children ?? []) {
    if (!key || !inner) continue
    const name = String(key.value)
    if (name.startsWith('_')) continue
    const place = [...path, name]
    if (name in values) twice.push({ path: place, words: 'appears a second time: remove one of the two', node: key })
    values[name] = plain(inner, place, twice)
  }
  return values
}

function toFaults({ path, message, ...issue }: z.core.$ZodIssue): readonly Fault[] {
  const at = path as Path
  if (issue.code !== 'unrecognized_keys') return [{ path: at, words: message, isOfName: issue.code === 'custom' }]
  return issue.keys.map((key) => ({ path: [...at, key], words: message, isOfName: true }))
}

function nodeAt(tree: Node, path: Path, isOfName = false): Node {
  const node = findNodeAtLocation(tree, [...path]) ?? tree
  return isOfName ? (node.parent?.children?.[0] ?? node) : node
}

function formatPath(path: Path): string {
  if (path.length === 0) return 'the file'
  return path.reduce<string>(
    (name, key) => (typeof key === 'number' ? `${name}[${key}]` : name === '' ? key : `${name}.${key}`),
    '',
  )
}

/**
 * The policy in the first of some files that is there, with the environment over it. Where none is there it is all
 * defaults; an unreadable one is a faulty policy, and none behind it is looked at. The text is read for each question:
 * size and times of a file can be the same after a change, and its text cannot.
 */
export function accessFile(
  paths: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  read: TextReader,
) {
  let last: { readonly found: TextRead; readonly read: AccessRead } | undefined
  return {
    /** The policy of the file as it is now: the same value as long as the text is the same. Never rejects. */
    async current(): Promise<AccessRead> {
      const found = await readFirst(paths, read)
      if (!isDeepStrictEqual(last?.found, found)) last = { found, read: toAccess(found, environment) }
      return last!.read
    },
  }
}

async function readFirst(paths: readonly string[], read: TextReader): Promise<TextRead> {
  for (const path of paths) {
    const found = await read(path)
    if (found.type !== 'missing') return found
  }
  return { type: 'missing' }
}

function toAccess(found: TextRead, environment: Readonly<Record<string, string | undefined>>): AccessRead {
  if (found.type === 'unreadable') return { type: 'faulty', problems: [`it cannot be read: ${found.why}`] }
  return readAccess(found.type === 'text' ? found.text : undefined, environment)
}
