import { createHash } from 'node:crypto'
import { type BigIntStats, constants } from 'node:fs'
import { access, type FileHandle, realpath, stat } from 'node:fs/promises'
import { basename, delimiter, dirname, join, parse, resolve, sep } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { isWithin, openWithin } from '../../platform.ts'

/** The files that a command runs. */
export interface PlannedFiles {
  /** The program as the system is given it: a path where it was found on the `PATH`. */
  readonly program: string
  /** For the plan: where the links of each file lead, and its SHA-256. */
  readonly facts: {
    readonly program?: string
    /** The program that its first line (`#!`) names. */
    readonly interpreter?: string
    /** The files that the command line of an interpreter names: its script, what it loads before, and what they are given. */
    readonly scripts?: readonly string[]
  }
}

/** The command cannot be planned; `why` is a sentence. */
interface NoPlannedFiles {
  readonly why: string
}

/** Where a command is looked for. */
export interface PlannedPlace {
  /** The folder that it runs in, absolute. */
  readonly folder: string
  readonly path: string
  readonly workspace: string
}

/** Finds the files of a command. No file of the workspace stands for a bare name: a model could put its own `git` there. */
export async function findPlannedFiles(
  argv: readonly string[],
  place: PlannedPlace,
): Promise<PlannedFiles | NoPlannedFiles> {
  const [name = '', ...rest] = argv
  const found = await findProgram(name, place)
  if ('why' in found) return found
  const path = resolve(place.folder, found.path)
  const program = await readPlanned(path)
  // What is not there is reported where it is started.
  if (program === undefined) return { program: found.path, facts: {} }
  const by = await findInterpreter(program.firstLine, place)
  if (by !== undefined && 'why' in by) return by
  const interpreter = by === undefined ? undefined : (await readPlanned(by.path))?.described
  const takesScript = INTERPRETERS.test(basename(found.path)) || by !== undefined
  const scripts = takesScript ? await findScripts(rest, place.folder) : []
  return {
    program: found.path,
    facts: {
      program: program.described,
      ...(interpreter !== undefined && { interpreter }),
      ...(scripts.length > 0 && { scripts }),
    },
  }
}

/** A sentence about the first file that is no longer as a person approved it; `undefined` where all are. */
export async function plannedFilesChange(
  planned: PlannedFiles,
  argv: readonly string[],
  place: PlannedPlace,
): Promise<string | undefined> {
  const now = await findPlannedFiles(argv, place)
  if ('why' in now) return now.why
  const parts = [
    ['program', [planned.facts.program], [now.facts.program]],
    ['interpreter', [planned.facts.interpreter], [now.facts.interpreter]],
    ['file', planned.facts.scripts ?? [], now.facts.scripts ?? []],
  ] as const
  for (const [what, before, after] of parts) {
    const index = Array.from({ length: Math.max(before.length, after.length) }).findIndex(
      (_, each) => before[each] !== after[each],
    )
    if (index !== -1) return changeText(what, before[index] ?? after[index] ?? now.program)
  }
  return planned.program === now.program ? undefined : changeText('program', now.program)
}

export function plannedFolders({ facts: { program, interpreter, scripts = [] } }: PlannedFiles): readonly string[] {
  const described = [program, interpreter, ...scripts].filter((each) => each !== undefined)
  return described.map((each) => dirname(each.split(MARK, 1)[0]!))
}

function changeText(what: string, described: string): string {
  const [path] = described.split(MARK)
  return `the ${what} ${path} has changed since the command was planned, so it was not run; call again`
}

/** A `PATH` without those entries that lead into the workspace, or would if they were there. */
export async function pathOutside(path: string, workspace: string): Promise<string> {
  const root = await realpath(workspace).catch(() => workspace)
  const kept: string[] = []
  for (const place of path.split(delimiter)) {
    const real = await realpath(place).catch(() => resolve(place))
    if (![root, resolve(workspace)].some((folder) => isWithin(folder, real))) kept.push(place)
  }
  return kept.join(delimiter)
}

/** Programs that run files which their command line names. */
const INTERPRETERS =
  /^(?:node|deno|bun|tsx|ts-node|(?:ba|da|z|k|fi|a)?sh|python[\d.]*|pypy[\d.]*|ruby|perl|php|lua[\d.]*|Rscript)$/

async function findProgram(
  name: string,
  { path, workspace }: PlannedPlace,
): Promise<{ readonly path: string } | NoPlannedFiles> {
  if (name.includes('/') || process.platform === 'win32') return { path: name }
  const root = await realpath(workspace).catch(() => resolve(workspace))
  let inWorkspace: string | undefined
  for (const place of path.split(delimiter).filter(Boolean)) {
    const candidate = join(place, name)
    const real = await runnable(candidate)
    if (real === undefined) continue
    if (!isWithin(root, real)) return { path: candidate }
    inWorkspace ??= candidate
  }
  if (inWorkspace === undefined) return { path: name }
  return {
    why: `${JSON.stringify(name)} on the PATH is ${inWorkspace}, a file of the workspace: give it as a path from the workspace to run it`,
  }
}

async function runnable(path: string): Promise<string | undefined> {
  try {
    if (!(await stat(path)).isFile()) return undefined
    await access(path, constants.X_OK)
    return await realpath(path)
  } catch {
    return undefined
  }
}

/** The longest first line that the system reads, bytes. */
const FIRST_LINE_BYTES = 256

/** The program that a script names in its first line: of `#!/usr/bin/env NAME`, the one of that name on the `PATH`. */
async function findInterpreter(
  line: string,
  place: PlannedPlace,
): Promise<{ readonly path: string } | NoPlannedFiles | undefined> {
  if (!line.startsWith('#!')) return undefined
  const [program, ...words] = line.slice(2).trim().split(/\s+/)
  if (program === undefined || program === '') return undefined
  if (basename(program) !== 'env') return { path: resolve(place.folder, program) }
  const name = words.find((word) => !word.startsWith('-') && !word.includes('='))
  if (name === undefined) return { path: program }
  const found = await findProgram(name, place)
  return 'why' in found ? found : { path: resolve(place.folder, found.path) }
}

/** The most files of one command line that are described. */
const MOST_SCRIPTS = 100

/** Describes every file that the words of an interpreter name: only the interpreter knows which of them it runs. */
async function findScripts(words: readonly string[], folder: string): Promise<readonly string[]> {
  const paths = new Set(words.flatMap(namedPaths).map((path) => resolve(folder, path)))
  const described = await Promise.all([...paths].slice(0, MOST_SCRIPTS).map((path) => readPlanned(path, LARGE_BYTES)))
  return described.flatMap((each) => each?.described ?? [])
}

/** `a.mjs`, `--import=a.mjs`, `-ra.mjs` and `file:///a.mjs` name files. */
function namedPaths(word: string): readonly string[] {
  const value = word.startsWith('-') ? [word.slice(word.indexOf('=') + 1), word.slice(2)] : [word]
  return value.flatMap((each) => {
    if (each === '' || each.includes('\0')) return []
    if (!each.startsWith('file:')) return [each]
    try {
      return [fileURLToPath(each)]
    } catch {
      return []
    }
  })
}

const MARK = ' sha256:'

/** Files above this size are told apart by their times, which change with every write, bytes. */
const LARGE_BYTES = 16 * 1024 * 1024

interface PlannedFile {
  /** `PATH sha256:DIGEST`. */
  readonly described: string
  readonly firstLine: string
}

/**
 * Reads a file once it has followed the links to it: all that it answers is of the file that it opened at that very path.
 * `undefined` where there is no such file.
 */
async function readPlanned(path: string, largest = Infinity): Promise<PlannedFile | undefined> {
  try {
    const real = await realpath(path)
    // A pipe or a device is not opened at all.
    if (!(await stat(real)).isFile()) return undefined
    const { root } = parse(real)
    await using file = await openWithin(root, real.slice(root.length).split(sep))
    const facts = await file.stat({ bigint: true })
    if (!facts.isFile()) return undefined
    const isLarge = facts.size > largest
    const digest = isLarge ? `none, ${facts.size} bytes, changed at ${facts.ctimeNs} ns` : await fileDigest(file, facts)
    return { described: `${real}${MARK}${digest}`, firstLine: await firstLine(file) }
  } catch {
    return undefined
  }
}

async function firstLine(file: FileHandle): Promise<string> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_LINE_BYTES), 0, FIRST_LINE_BYTES, 0)
  return buffer.toString('latin1', 0, bytesRead).split('\n', 1)[0]!
}

/** Digests of files that have not changed since, by what the system changes with every write. */
const known = new Map<string, string>()

const MOST_KNOWN = 500

async function fileDigest(file: FileHandle, { dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Promise<string> {
  const identity = [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  const before = known.get(identity)
  if (before !== undefined) return before
  const hash = createHash('sha256')
  await pipeline(file.createReadStream({ start: 0, autoClose: false }), hash)
  const digest = hash.digest('hex')
  if (known.size >= MOST_KNOWN) known.clear()
  known.set(identity, digest)
  return digest
}
