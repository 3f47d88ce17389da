import { realpath, stat } from 'node:fs/promises'
import { isWithin } from '../../platform.ts'
import { dirname, resolve, relative } from 'node:path'
import type { PromptBlock } from '../../capability.ts'
import { confinedPath, isKeptElsewhere, pathInput, resolvedPath } from '../../capability/toolkit.ts'
import {
  type AccessRead,
  allowingPrefix,
  cleanEnvironment,
  commandPresets,
  commandWords,
  faultyText,
  findLoadableFiles,
  findPlannedFiles,
  pathOutside,
  plannedFilesChange,
  plannedFolders,
  prefixWords,
  presetAnswer,
  presetReadsOnly,
  type PresetAnswer,
  type PlannedSandbox,
  type Program,
  type ProgramLimits,
  programResult,
  type Sandbox,
  type ShellAccess,
  type Tool,
  type ToolFailed,
  type ToolPlan,
  type ToolResult,
  obeyedPath,
  obeyedWithin,
  isSecretName,
  type PlaceWord,
  toolFailure,
} from '../../tool.ts'

/** The prompt block and the tool that run programs: nothing runs until `tool-access.json` allows it (BEHAVIOURS §2.4). */
export function shellBlock(options: ShellOptions): PromptBlock {
  return {
    id: 'shell',
    version: '1',
    description: 'Runs programs in the workspace.',
    promptBlock,
    tools: [shellTool(options)],
  }
}

const promptBlock = [
  'The tool shell runs one program in the workspace and answers with its output and exit code.',
  'Use it for what no other tool does; read and edit files with their own tools where they are offered.',
  'A refusal says what is allowed: adapt to it, and do not try to get around it.',
].join(' ')

/** Limits that neither the settings nor a call can exceed (BEHAVIOURS §2.4): ms, characters. */
const MOST_MS = 120_000
const MOST_CHARS = 200_000

interface ShellOptions {
  /** Folder that commands work in, absolute. */
  readonly workspace: string
  readonly access: () => Promise<AccessRead>
  /** Of this process. Programs receive a clean part of it. */
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly sandbox: Sandbox
  /** What is kept from commands that a preset allows. Default: nothing but what is outside the workspace. */
  places?(): Pick<CommandPlace, 'outOfReach' | 'readOnly'>
}

interface ShellInput {
  readonly cmd: string
  readonly cwd?: string
  readonly timeoutMs?: number
  readonly maxOutputChars?: number
}

function shellTool({ workspace, access, environment, sandbox, places }: ShellOptions): Tool {
  return {
    name: 'shell',
    // A command is run as it was written, or not at all.
    takesExactInput: true,
    description:
      'Run one program in the workspace. In allowlist mode no shell reads the command: no pipes, redirection, variables or globs.',
    inputSchema: {
      type: 'object',
      properties: {
        cmd: { type: 'string', description: 'Program and arguments' },
        cwd: { ...pathInput, description: 'Folder, relative to the workspace' },
        timeoutMs: { type: 'integer', minimum: 1 },
        maxOutputChars: { type: 'integer', minimum: 1 },
      },
      required: ['cmd'],
      additionalProperties: false,
    },
    timeoutMs: MOST_MS,
    runsPrograms: true,
    async plan(input) {
      const { cmd, cwd, timeoutMs, maxOutputChars } = input as ShellInput
      const shell = shellSettings(await access())
      if ('error' in shell) return shell
      const command = readCommand(cmd, shell)
      if ('error' in command) return command
      const { argv, preset } = command
      const folder = await workingFolder(workspace, cwd, shell.allowAnyCwd)
      if (typeof folder !== 'string') return folder
      const kept = places?.() ?? { outOfReach: [], readOnly: [] }
      const pathFault = async () =>
        preset && presetPathFault(preset.paths, { folder, workspace, ...kept }, preset.preset)
      const outside = await pathFault()
      if (outside !== undefined) return toolFailure(outside)
      const misplaced = await relativeProgramFault(argv, folder, workspace)
      if (misplaced !== undefined) return toolFailure(misplaced)
      const clean = cleanEnvironment(environment)
      const path = await pathOutside(clean['PATH'] ?? '', workspace)
      const place = { folder, path, workspace }
      const files = await findPlannedFiles(argv, place)
      if ('why' in files) return toolFailure(files.why)
      const limits = {
        timeoutMs: Math.min(timeoutMs ?? shell.timeoutMs, MOST_MS),
        maxOutputChars: Math.min(maxOutputChars ?? shell.maxOutputChars, MOST_CHARS),
      }
      const confined = await sandbox.plan({ argv })
      if (confined.type === 'refused') return toolFailure(confined.why)
      const started = [files.program, ...argv.slice(1)]
      const program = {
        argv: started,
        folder,
        environment: {
          ...clean,
          ...(clean['PATH'] !== undefined && { PATH: path }),
          // Git looks for a repository in the folders above, and a preset is about the workspace.
          ...(preset && { GIT_CEILING_DIRECTORIES: dirname(await realpath(workspace)) }),
        },
      }
      const readsOnly = preset && presetReadsOnly(preset.preset)
      return {
        argv,
        ...(shell.mode === 'full' && { command: cmd }),
        folder,
        facts: {
          ...(preset && { preset: preset.preset }),
          sandbox: confined.text,
          ...(shell.mode !== 'full' && files.facts),
        },
        asks: confined.asks,
        ...((readsOnly || confined.isConfined) && { afterUntrusted: 'allow' as const }),
        ...(!readsOnly && { loads: () => findLoadableFiles(workspace, [...plannedFolders(files), folder]) }),
        async run({ signal }) {
          const changed = (await pathFault()) ?? (await plannedFilesChange(files, argv, place))
          return changed === undefined ? runIn(confined, program, { ...limits, signal }) : toolFailure(changed)
        },
      } satisfies ToolPlan
    },
  }
}

/** The policy has checked the settings before the call; they are checked here again. */
function shellSettings(read: AccessRead): ShellAccess | ToolFailed {
  if (read.type === 'faulty') return toolFailure(`Tools are disabled (${faultyText(read.problems)})`)
  const { shell } = read.access
  return shell.enabled && shell.mode !== 'off' ? shell : toolFailure('Tool disabled in config: shell')
}

interface AllowedCommand {
  readonly argv: readonly string[]
  /** What allows it, where no free prefix does. */
  readonly preset?: Extract<PresetAnswer, { type: 'allowed' }>
}

function readCommand(cmd: string, { mode, presets, allowedPrefixes }: ShellAccess): AllowedCommand | ToolFailed {
  if (cmd.trim() === '') return toolFailure('the command (cmd) is empty')
  if (mode === 'full') {
    return cmd.includes('\0') ? toolFailure('a command cannot hold a NUL byte') : { argv: ['/bin/sh', '-c', cmd] }
  }
  const read = commandWords(cmd)
  if (read.type === 'refused') return toolFailure(read.why)
  const argv = read.words
  if (isAllowed(argv, allowedPrefixes)) return { argv }
  const preset = presetAnswer(argv, presets)
  if (preset.type === 'allowed') return { argv, preset }
  const why = preset.isNear ? `: ${preset.why}` : `; ${allowedText(allowedPrefixes, presets)}`
  return toolFailure(`the command is not allowed: ${commandStart(argv)}${why}`)
}

function commandStart(words: readonly string[]): string {
  const text = words
    .slice(0, 3)
    .map((word) => JSON.stringify(word))
    .join(' ')
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

/** A relative path names another program in every folder, and an allowed prefix means the one in the workspace. */
async function relativeProgramFault(argv: readonly string[], folder: string, workspace: string) {
  const [program = ''] = argv
  if (!program.includes('/') || program.startsWith('/') || folder === (await realpath(workspace))) return undefined
  return `${JSON.stringify(program)} is a path from the workspace: leave cwd out to run it`
}

/** Runs the planned program in the planned folder, unless that folder has been replaced since. */
async function runIn(confined: PlannedSandbox, program: Program, limits: ProgramLimits): Promise<ToolResult> {
  const now = await realpath(program.folder).catch(() => undefined)
  if (now !== program.folder)
    return toolFailure('the working folder has changed since the command was planned; call again')
  return programResult(await confined.run(program, limits), limits)
}

const MOST_LISTED = 20

export function isAllowed(argv: readonly string[], prefixes: readonly string[]): boolean {
  return allowingPrefix(argv, prefixes) !== undefined
}

/** Lists what is allowed for the model, so that it can choose another command. */
export function allowedText(prefixes: readonly string[], presets: readonly string[] = []): string {
  const listed = prefixes.filter((prefix) => prefixWords(prefix) !== undefined)
  const begins = commandPresets
    .filter(({ name }) => presets.includes(name))
    .flatMap(({ commands }) => commands.flatMap((command) => command.begins))
  const known = [...new Set(begins)]
  if (listed.length + known.length === 0) return 'no command is allowed'
  const [ofPresets, ofPrefixes] = known.length > 0 && listed.length > 0 ? [12, 8] : [MOST_LISTED, MOST_LISTED]
  return [
    ...(known.length === 0 ? [] : [`allowed with some of their flags are: ${few(known, ofPresets)}`]),
    ...(listed.length === 0 ? [] : [`allowed are commands that begin with: ${few(listed, ofPrefixes)}`]),
  ].join('; ')
}

function few(words: readonly string[], most: number): string {
  const more = words.length - most
  return `${words.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** The folder that a call names, links resolved: the workspace if it names none, and inside it unless `anywhere`. */
async function workingFolder(
  workspace: string,
  asked: string | undefined,
  anywhere: boolean,
): Promise<string | ToolFailed> {
  const within = await confinedPath(workspace, asked ?? '.')
  if (within.type === 'inside') return checkFolder(within.path, asked ?? workspace)
  if (!anywhere || asked === undefined || asked === '' || asked.includes('\0')) {
    return toolFailure(`the working folder (cwd) cannot be used: ${within.why}`)
  }
  try {
    return await checkFolder(await realpath(resolve(await realpath(workspace), asked)), asked)
  } catch {
    return missingFolder(asked)
  }
}

async function checkFolder(path: string, asked: string): Promise<string | ToolFailed> {
  const found = await stat(path).catch(() => undefined)
  if (!found) return missingFolder(asked)
  return found.isDirectory() ? path : toolFailure(`the working folder (cwd) ${JSON.stringify(asked)} is not a folder`)
}

function missingFolder(asked: string): ToolFailed {
  return toolFailure(
    `the working folder (cwd) ${JSON.stringify(asked)} does not exist; leave cwd out to work in the workspace`,
  )
}

/** Where a command works, and what is kept from it. All paths are absolute. */
interface CommandPlace {
  /** Without links. */
  readonly folder: string
  readonly workspace: string
  readonly outOfReach: readonly string[]
  readonly readOnly: readonly string[]
}

/**
 * `undefined` where a preset may run it. Links are followed. Asked again right before the run: the world can change.
 */
async function presetPathFault(
  words: readonly PlaceWord[],
  place: CommandPlace,
  preset: string,
): Promise<string | undefined> {
  const root = await resolvedPath(place.workspace)
  if (root === undefined || !isWithin(root, place.folder)) {
    return `the preset ${preset} allows commands in the workspace only: leave cwd out`
  }
  for (const word of words) {
    const why = await wordFault(word, place, root)
    if (why !== undefined) return `${why} (preset ${preset})`
  }
  return undefined
}

async function wordFault({ word, kind }: PlaceWord, place: CommandPlace, root: string): Promise<string | undefined> {
  const shown = JSON.stringify(word.length > 200 ? `${word.slice(0, 200)}…` : word)
  const segments = word.split('/').filter((one) => one !== '' && one !== '.')
  // Behind a link, the system takes .. from where the link leads.
  if (
    segments.slice(segments.findIndex((one) => one !== '..')).includes('..') &&
    segments.some((one) => one !== '..')
  ) {
    return `${shown} goes up behind a folder: write the path without ..`
  }
  const asked = word === '' ? '' : relative(root, resolve(place.folder, word)) || '.'
  const found = await confinedPath(root, asked, place.outOfReach)
  if (found.type === 'refused') return found.why
  const names = [...segments, ...found.names]
  if (names.some(isSecretName)) return `${shown} is out of reach: such a file holds keys or passwords`
  const facts = await stat(found.path, { bigint: true }).catch(() => undefined)
  if (facts?.isFile() && (await isKeptElsewhere(facts, found))) {
    return `${shown} is out of reach: it is another name of a file that is kept from tools`
  }
  if (facts?.isDirectory() && found.closed.some((one) => isWithin(found.path, one))) {
    return `${shown} contains a place that is kept from tools: name a folder of it`
  }
  if (kind !== 'path' && facts?.isDirectory()) return `${shown} is a folder: name a file`
  if (kind !== 'written') return undefined
  if (!facts?.isFile()) return `${shown} is no file: name one that is there`
  const obeying = [obeyedPath(names), await obeyedWithin(root, found.names)]
  if (obeying.some((one) => one?.level === 'never')) return `${shown} is a file of the owner, which tools do not change`
  const kept = await Promise.all(place.readOnly.map(resolvedPath))
  return kept.some((one) => one !== undefined && isWithin(one, found.path))
    ? `${shown} is a file of the owner, which tools do not change`
    : undefined
}
