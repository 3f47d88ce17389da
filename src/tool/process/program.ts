import { countedText, imageType } from '../../context.ts'
import { defined, SIGNATURE_BYTES, signatureType } from '../../platform.ts'
import { truncationNote } from '../output-cap.ts'
import type { ToolMeta, ToolResult } from '../tool.ts'

/** A program to run. No shell is involved: the system gets exactly what is here. */
export interface Program {
  /** Program and arguments; at least one entry. Of a bare name the `PATH` of `environment` decides. */
  readonly argv: readonly string[]
  readonly folder: string
  /** All of its environment. `cleanEnvironment` makes one. */
  readonly environment: Readonly<Record<string, string>>
  /** Given to its standard input, which is then closed. Closed at once where absent. */
  readonly input?: string
}

/** Limits of one run of a program: time in ms, output in characters, and processes. `signal` stops it early. */
export interface ProgramLimits {
  readonly timeoutMs: number
  /** Of each of the two outputs, characters that are kept, counted as JavaScript does (UTF-16). */
  readonly maxOutputChars: number
  /** Processes that it may have at one time. 256 unless given. */
  readonly maxProcesses?: number
  readonly signal?: AbortSignal
  /** `outgrows` is asked again and again while it runs: whether there are more than `maxBytes` by it, so that it is stopped. */
  readonly disk?: { readonly maxBytes: number; outgrows(): Promise<boolean> } | undefined
}

/** How a program ended. No process of it is left by then. */
export interface ProgramEnd {
  readonly end:
    | { readonly type: 'exit'; readonly code: number }
    | { readonly type: 'signal'; readonly signal: string }
    | { readonly type: 'not-started'; readonly why: string }
    | { readonly type: 'timeout' }
    | { readonly type: 'cancelled' }
    | { readonly type: 'too-many-processes'; readonly limit: number }
    /** The workspace would have more bytes than it may. */
    | { readonly type: 'too-much-disk'; readonly limit: number }
  readonly stdout: ProgramOutput
  readonly stderr: ProgramOutput
  readonly durationMs: number
  /** Entries that only the owner may make, and that the run made: paths within the workspace. They were moved out of it. */
  readonly setAside?: readonly string[]
  /** Which of these could not be moved, where to, and why: a sentence. */
  readonly setAsideFault?: string
  /** Files that the run made or changed and that decide what other programs run, such as `package.json`. */
  readonly obeyed?: readonly string[]
}

export interface ProgramOutput {
  /** As much as was kept, cut at a whole character; of binary output a line that names it, and nothing of it. */
  readonly text: string
  readonly bytes: number
  readonly characters: number
  readonly truncated: boolean
  readonly binary: boolean
}

/**
 * What the model reads of a program that ran. 0 is success: what it wrote, and what it complained of below a line
 * `[stderr]`. Any other exit is `exit {code}: {stdout}\n{stderr}` (BEHAVIOURS §1.5). A run that was ended keeps in `output`
 * what it had written.
 */
export function programResult(run: ProgramEnd, limits: { readonly timeoutMs: number }): ToolResult {
  const result = endResult(run, limits)
  const { setAside, setAsideFault, obeyed } = run
  if (setAside === undefined && setAsideFault === undefined && obeyed === undefined) return result
  const note = [
    ...(setAside ? [fileNote('moved out of the workspace, since only its owner may make such files', setAside)] : []),
    ...(obeyed ? [fileNote('changed, and decides what other programs run', obeyed)] : []),
    ...(setAsideFault === undefined ? [] : [`[only its owner may make such files: ${setAsideFault}]`]),
  ].join('\n')
  const noted = result.ok ? { output: joinLines(result.output, note) } : { error: joinLines(result.error, note) }
  return { ...result, ...noted, meta: { ...result.meta, ...defined({ setAside, setAsideFault, obeyed }) } }
}

const MOST_LISTED = 10

/** `[changed, and decides what other programs run: package.json]` */
function fileNote(what: string, paths: readonly string[]): string {
  const more = paths.length > MOST_LISTED ? ` and ${paths.length - MOST_LISTED} more` : ''
  return `[${what}: ${paths.slice(0, MOST_LISTED).join(', ')}${more}]`
}

function joinLines(text: string, line: string): string {
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}`
}

function endResult(run: ProgramEnd, limits: { readonly timeoutMs: number }): ToolResult {
  const { end } = run
  const written = outputText(run)
  const stopped = (error: string, facts: ToolMeta = {}): ToolResult => ({
    ok: false,
    error,
    ...(written !== '' && { output: written }),
    meta: { ...facts, ...programMeta(run) },
  })
  switch (end.type) {
    case 'exit':
      if (end.code === 0) return { ok: true, output: written, meta: programMeta(run) }
      return { ok: false, error: `exit ${end.code}: ${bothOutputs(run)}`, meta: programMeta(run) }
    case 'signal':
      return { ok: false, error: `ended by ${end.signal}: ${bothOutputs(run)}`, meta: programMeta(run) }
    case 'not-started':
      return { ok: false, error: end.why, meta: programMeta(run) }
    case 'timeout':
      return stopped(`timed out after ${limits.timeoutMs} ms`, { failure: 'timeout' })
    case 'cancelled':
      return stopped('cancelled', { failure: 'cancelled' })
    case 'too-many-processes':
      return stopped(`stopped, because it ran more than ${end.limit} processes at one time`)
    case 'too-much-disk':
      return stopped(
        `stopped, because the workspace may have ${countedText(end.limit, 'byte')}: remove files that are not needed any more`,
      )
  }
}

/** Both outputs of a program as one text; a truncated one ends with a note. */
function outputText({ stdout, stderr }: Pick<ProgramEnd, 'stdout' | 'stderr'>): string {
  const [output, errors] = [shownText(stdout), shownText(stderr)]
  if (errors.trim() === '') return output
  const between = output === '' || output.endsWith('\n') ? '' : '\n'
  return `${output}${between}[stderr]\n${errors}`
}

/** One output as it is shown: with `...[truncated: N of M characters shown]` below it where it was cut (BEHAVIOURS §2.4). */
function shownText({ text, characters, truncated }: ProgramOutput): string {
  return truncated ? `${text}${truncationNote(text.length, characters)}` : text
}

function bothOutputs({ stdout, stderr }: ProgramEnd): string {
  return `${shownText(stdout)}\n${shownText(stderr)}`
}

function programMeta({ end, stdout, stderr }: ProgramEnd): ToolMeta {
  return {
    ...(end.type === 'exit' && { exitCode: end.code }),
    bytes: stdout.bytes + stderr.bytes,
    truncated: stdout.truncated || stderr.truncated,
  }
}

/** Text in which more than this share of the characters is not UTF-8 is none: a page of Latin-1 still is. */
const LARGEST_UNREADABLE_SHARE = 0.1

/** Keeps the first `limit` characters of an output, counted as JavaScript does (UTF-16), and counts the rest. */
export function collectOutput(limit: number) {
  const decoder = new TextDecoder('utf-8')
  let beginning: Uint8Array = new Uint8Array()
  let text = ''
  let bytes = 0
  let characters = 0
  let unreadable = 0
  let hasZeros = false

  function take(decoded: string): void {
    characters += decoded.length
    unreadable += replacements(decoded)
    if (text.length < limit) text += decoded.slice(0, limit - text.length)
  }

  return {
    add(chunk: Uint8Array): void {
      const missing = SIGNATURE_BYTES - beginning.length
      if (missing > 0) beginning = Buffer.concat([beginning, chunk.subarray(0, missing)])
      bytes += chunk.length
      hasZeros ||= chunk.includes(0)
      take(decoder.decode(chunk, { stream: true }))
    },
    end(): ProgramOutput {
      take(decoder.decode())
      const facts = { bytes, characters }
      if (hasZeros || unreadable > characters * LARGEST_UNREADABLE_SHARE) {
        return {
          ...facts,
          text: binaryLine(bytes, imageType(beginning) ?? signatureType(beginning)),
          truncated: false,
          binary: true,
        }
      }
      // A pair of UTF-16 units is one character: half of it is none.
      const whole = characters > limit ? text.replace(/[\uD800-\uDBFF]$/, '') : text
      return { ...facts, text: whole, truncated: characters > whole.length, binary: false }
    },
  }
}

/** `[binary output: 12,345 bytes, image/png]` */
function binaryLine(bytes: number, kind: string | undefined): string {
  const size = countedText(bytes, 'byte')
  return `[binary output: ${size}${kind === undefined ? '' : `, ${kind}`}]`
}

/** The number of replacement characters, each for bytes that are not UTF-8. */
function replacements(text: string): number {
  let count = 0
  for (let at = text.indexOf('\uFFFD'); at !== -1; at = text.indexOf('\uFFFD', at + 1)) count++
  return count
}
