import { randomUUID } from 'node:crypto'
import { isAbsolute, join } from 'node:path'
import type { AccessRead, SandboxAccess } from '../access/access.ts'
import { allowingPrefix } from '../access/command-answer.ts'
import type { Program, ProgramEnd, ProgramLimits } from '../process/program.ts'
import { runProgram } from '../process/run-program.ts'
import { bubblewrapArgv, isBelow } from './bubblewrap.ts'
import { findSandbox, type SandboxProgram } from './find-bubblewrap.ts'
import { existingPaths, hiddenPlaces, programFolders } from './hidden-places.ts'
import { findOwnerFiles, type OwnerFiles, restoreOwnerFiles } from './owner-files.ts'

/** Confines the programs that tools run. */
export interface Sandbox {
  /** How a program would run, for its plan. Starts nothing of it. */
  plan(wish: SandboxWish): Promise<SandboxPlan>
}

export interface SandboxWish {
  /** Program and arguments: they decide about the network. */
  readonly argv: readonly string[]
  /** Folders that it has to read wherever they lie, such as that of its skill: absolute. */
  readonly readable?: readonly string[]
}

/** The answer to a wish. */
export type SandboxPlan =
  | { readonly type: 'refused'; readonly why: string }
  | {
      readonly type: 'planned'
      /** What holds for the run, for people: `workspace, no network`. `none` where nothing confines it. */
      readonly text: string
      /** Why a person has to be asked, whatever the policy says of the tool. */
      readonly asks?: string
      /** Runs a program that way. Never throws. */
      run(program: Program, limits: ProgramLimits): Promise<ProgramEnd>
    }

/** What a sandbox has to know of the home. Absolute paths. */
export interface SandboxOptions {
  /** The folder that programs may write. */
  readonly workspace: string
  /** Where files go that a program should not have made. */
  readonly setAside: string
  readonly environment: Readonly<Record<string, string | undefined>>
  access(): Promise<AccessRead>
  /** `outOfReach` is hidden, `readOnly` is not written, `readable` and `programs` are shown. */
  places(): {
    readonly outOfReach: readonly string[]
    readonly readOnly: readonly string[]
    readonly readable: readonly string[]
    readonly programs: readonly string[]
  }
}

/** The most entries of the owner that are protected one by one: each is an argument of the sandbox. */
const MOST_PROTECTED = 500

/** Creates the sandbox of a home. It reads the policy for every plan, so that a change applies to the next one. */
export function createSandbox(options: SandboxOptions): Sandbox {
  const { environment, access, places, workspace } = options

  async function plan({ argv, readable = [] }: SandboxWish): Promise<SandboxPlan> {
    const read = await access()
    if (read.type === 'faulty')
      return { type: 'refused', why: `tool-access.json is faulty: ${read.problems.join('; ')}` }
    const { sandbox } = read.access
    if (!sandbox.enabled) return { type: 'planned', text: 'none', run: runProgram }
    const found = await findSandbox()
    if (found.type === 'none') return withoutSandbox(found, sandbox)
    const network = allowingPrefix(argv, sandbox.network) !== undefined
    return {
      type: 'planned',
      text: sandboxText(sandbox, network),
      ...(network && { asks: 'it may use the network' }),
      run: (program, limits) => runConfined(found.path, { sandbox, network, readable }, program, limits),
    }
  }

  /** Looks at the disk for every run: what is there may have changed since the plan. */
  async function runConfined(
    bubblewrap: string,
    { sandbox, network, readable }: { sandbox: SandboxAccess; network: boolean; readable: readonly string[] },
    program: Program,
    limits: ProgramLimits,
  ): Promise<ProgramEnd> {
    const started = performance.now()
    try {
      const { outOfReach, readOnly, ...shown } = places()
      const hidden = await hiddenPlaces(environment, outOfReach)
      const [[root = workspace], others, visible, programs] = await Promise.all([
        existingPaths([workspace]),
        existingPaths(sandbox.writable.map((path) => personalPath(path, environment))),
        existingPaths([
          ...shown.readable,
          ...shown.programs,
          ...readable,
          ...sandbox.readable.map((path) => personalPath(path, environment)),
        ]),
        programFolders(environment, hidden),
      ])
      const writable = [root, ...others]
      const before = await Promise.all(writable.map(findOwnerFiles))
      // Of a link the target counts: a link itself cannot be covered, and is made again after the run.
      const owned = await existingPaths([...before.flatMap(({ entries }) => [...entries.keys()]), ...readOnly])
      const fault = protectionFault(before, owned)
      if (fault !== undefined) return notStarted(fault, started)
      const confined = bubblewrapArgv(bubblewrap, program.argv, {
        writable,
        readable: [...programs, ...visible, ...(isShown(program.folder, writable) ? [] : [program.folder])],
        hidden,
        readOnly: owned.filter((path) => isShown(path, writable)),
        network,
        folder: program.folder,
        memoryKiB: sandbox.memoryMiB * 1024,
      })
      const end = await runProgram({ ...program, argv: confined }, limits)
      const place = join(options.setAside, randomUUID())
      const moved: string[] = []
      for (const [index, folder] of writable.entries()) {
        moved.push(...(await restoreOwnerFiles(folder, before[index]!, join(place, String(index)))))
      }
      return { ...withoutWrapper(end, program.argv[0]!), ...(moved.length > 0 && { setAside: moved }) }
    } catch (error) {
      return notStarted(`the sandbox could not be prepared: ${(error as Error).message}`, started)
    }
  }

  return { plan }
}

function withoutSandbox({ why, hint }: Extract<SandboxProgram, { type: 'none' }>, sandbox: SandboxAccess): SandboxPlan {
  if (sandbox.withoutIt === 'refuse') {
    return { type: 'refused', why: `programs run only in a sandbox here, and ${why}. ${hint}` }
  }
  const asks = sandbox.withoutIt === 'ask' ? { asks: `it would run without a sandbox, since ${why}` } : {}
  return { type: 'planned', text: 'none', ...asks, run: runProgram }
}

function sandboxText({ writable }: SandboxAccess, network: boolean): string {
  return `${['workspace', ...writable].join(' and ')}, ${network ? 'with network' : 'no network'}`
}

function isShown(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path === folder || isBelow(folder, path))
}

/** `~/` is the home of the person. */
function personalPath(path: string, { HOME }: Readonly<Record<string, string | undefined>>): string {
  return path.startsWith('~/') && HOME !== undefined && isAbsolute(HOME) ? join(HOME, path.slice(2)) : path
}

function protectionFault(before: readonly OwnerFiles[], owned: readonly string[]): string | undefined {
  if (before.some(({ isComplete }) => !isComplete)) {
    return 'the workspace has more folders than the sandbox can search for files of the owner (20,000)'
  }
  if (owned.length <= MOST_PROTECTED) return undefined
  return `the workspace has ${owned.length} files of the owner (such as AGENTS.md), more than the sandbox can protect (${MOST_PROTECTED})`
}

/** What bubblewrap says of itself, in words that tell what to do. */
function withoutWrapper(run: ProgramEnd, name: string): ProgramEnd {
  const { end, stderr } = run
  if (end.type !== 'exit' || end.code !== 1 || !stderr.text.startsWith('bwrap: ')) return run
  const said = stderr.text.slice('bwrap: '.length).trim()
  if (!said.startsWith('execvp '))
    return { ...run, end: { type: 'not-started', why: `the sandbox could not be made: ${said}` } }
  const isMissing = said.endsWith('No such file or directory')
  const why = isMissing
    ? `${name}: there is no such program in the sandbox (a folder that sandbox.readable in tool-access.json names can be seen there)`
    : `${name}: it may not be run (${said.slice(said.lastIndexOf(':') + 1).trim()})`
  return { ...run, end: { type: 'not-started', why } }
}

const NOTHING = { text: '', bytes: 0, characters: 0, truncated: false, binary: false } as const

function notStarted(why: string, started: number): ProgramEnd {
  const durationMs = Math.round(performance.now() - started)
  return { end: { type: 'not-started', why }, stdout: NOTHING, stderr: NOTHING, durationMs }
}
