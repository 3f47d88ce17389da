import { randomUUID } from 'node:crypto'
import { dirname, isAbsolute, join } from 'node:path'
import { systemClock, errorMessage, isWithin, serialQueue } from '../../platform.ts'
import type { AccessRead, SandboxAccess } from '../access/access.ts'
import { allowingPrefix, faultyText } from '../access/access-answer.ts'
import type { Program, ProgramEnd, ProgramLimits } from '../process/program.ts'
import { runProgram } from '../process/run-program.ts'
import { type Bubblewrap, bubblewrapArgv, type Hidden, isBelow } from './bubblewrap.ts'
import { findSandbox, type SandboxProgram } from './find-bubblewrap.ts'
import { type Cover, createHeldCovers } from './held-covers.ts'
import {
  existingPaths,
  hiddenPlaces,
  listeningSockets,
  personalSecrets,
  programFolders,
  socketsAt,
  SYSTEM_SECRETS,
  tidyingLocks,
} from './hidden-places.ts'
import { linksToKept } from './other-names.ts'
import { findOwnerFiles, identityAt, type OwnerFiles, TOO_MANY_FOLDERS } from './owner-files.ts'
import { undoChanges } from './restore.ts'
import { boundWrites, isMisplaced, isPlaceGone, withoutWrapper } from './sandbox-end.ts'

/** Confines the programs that tools run. */
export interface Sandbox {
  /** How a program would run, for its plan. Starts nothing. */
  plan(wish: SandboxWish): Promise<SandboxPlan>
  /** Confines a program that goes on running, such as a server; starts nothing. Throws an Error that says why it cannot. */
  enter(program: Pick<Program, 'argv' | 'folder'>, network: boolean): Promise<ConfinedProgram>
}

export interface ConfinedProgram {
  readonly argv: readonly string[]
  /** To be called once the program has ended. Moves out what it should not have made, and tells what stays. Never rejects. */
  leave(): Promise<LeftSandbox>
}

interface Confined extends ConfinedProgram {
  /** Places that are hidden or protected. */
  readonly covered: readonly string[]
}

/** What became of what a program should not have made. */
interface LeftSandbox {
  /** Paths within the workspace, of what was moved out of it. */
  readonly moved: readonly string[]
  /** Paths within the workspace, of files that it made or changed and that decide what others run. They stay. */
  readonly changed: readonly string[]
  /** What could not be undone, and why: a sentence. */
  readonly fault?: string
}

export interface SandboxWish {
  /** Program and arguments: they decide about the network. */
  readonly argv: readonly string[]
  /** Folders that it has to read wherever they lie, such as that of its skill: absolute. */
  readonly readable?: readonly string[]
}

/** The answer to a wish. */
export type SandboxPlan = { readonly type: 'refused'; readonly why: string } | PlannedSandbox

/** How a program will run. */
export interface PlannedSandbox {
  readonly type: 'planned'
  /** What holds for the run, for people: `workspace, no network`. Begins with `none` where nothing confines it. */
  readonly text: string
  /** A person has to be asked, whatever the policy says of the tool. */
  readonly asks: boolean
  /** It can change nothing but the workspace, and has no network. */
  readonly isConfined: boolean
  /** Runs a program that way. Never throws. */
  run(program: Program, limits: ProgramLimits): Promise<ProgramEnd>
}

/** The most entries of the owner that are protected one by one: each is an argument of the sandbox. */
const MOST_PROTECTED = 500

/** Creates the sandbox of a home. It reads the policy for every plan, so that a change applies to the next one. */
export function createSandbox(options: {
  /** Its folder. What a killed process leaves behind is ended by the next one of this home; without it by none. */
  readonly home?: string
  /** The folder that programs may write. */
  readonly workspace: string
  /** Where files go that a program should not have made. */
  readonly setAside: string
  readonly environment: Readonly<Record<string, string | undefined>>
  access(): Promise<AccessRead>
  /** How many bytes the workspace may have now; `undefined`: as many as the disk has. Absent: the same. */
  readonly maxBytes?: (() => number | undefined) | undefined
  /** What this machine can confine with. Default: `findSandbox`. */
  readonly find?: () => Promise<SandboxProgram>
  /** `outOfReach` is hidden, `readOnly` is not written, `readable` and `programs` are shown. */
  places(): {
    readonly outOfReach: readonly string[]
    readonly readOnly: readonly string[]
    readonly readable: readonly string[]
    readonly programs: readonly string[]
  }
}): Sandbox {
  const { environment, access, places, workspace, find = findSandbox, home: owner } = options
  const runOpen: PlannedSandbox['run'] = (program, limits) => runProgram(systemClock, program, limits, owner)

  async function plan({ argv, readable = [] }: SandboxWish): Promise<SandboxPlan> {
    const read = await access()
    if (read.type === 'faulty') return { type: 'refused', why: faultyText(read.problems) }
    const { sandbox } = read.access
    if (!sandbox.enabled) return { type: 'planned', text: 'none', asks: false, isConfined: false, run: runOpen }
    const found = await find()
    if (found.type === 'none') return withoutSandbox(found, sandbox, runOpen)
    const network = allowingPrefix(argv, sandbox.network) !== undefined
    return {
      type: 'planned',
      text: `${['workspace', ...sandbox.writable].join(' and ')}, ${network ? 'with network' : 'no network'}`,
      asks: network,
      isConfined: !network && sandbox.writable.length === 0,
      run: (program, limits) => runConfined(found, { sandbox, network, readable }, program, limits),
    }
  }

  /** Runs that live now, by folder, and what it held before the first of them. A server that goes on running is not counted. */
  const living = new Map<string, { runs: number; before: Begun }>()
  /** A run begins and ends one after another, so that nothing is restored while another one begins. */
  const turns = serialQueue()
  let begun = 0
  const heldCovers = createHeldCovers()
  /** Programs that live now, servers too. */
  let alive = 0

  function begin(writable: readonly string[], isCounted: boolean): Promise<readonly Begun[]> {
    return turns.add(async () => {
      const number = ++begun
      const before = await Promise.all(writable.map(async (path) => ({ number, files: await findOwnerFiles(path) })))
      alive += 1
      if (!isCounted) return before
      for (const [index, folder] of writable.entries()) {
        const group = living.get(folder)
        if (group) group.runs += 1
        else living.set(folder, { runs: 1, before: before[index]! })
      }
      return before
    })
  }

  /** Ends a run: what the folder held that it is restored to; `undefined` while another run lives there: the last one restores it for all. */
  function filesToRestore(folder: string, own: Begun, isCounted: boolean): OwnerFiles | undefined {
    const group = living.get(folder)
    if (!group) return own.files
    if (isCounted) group.runs -= 1
    if (own.number < group.before.number) group.before = own
    if (group.runs > 0) return undefined
    living.delete(folder)
    return group.before.files
  }

  /** Hidden places in writable folders, and which folder held each when it was first seen. */
  const held = new Map<string, Hidden & { readonly folder: string | undefined }>()

  /** The outermost hidden places in writable folders. Throws where one is not in the folder that held it: a program renamed a part of its path. */
  async function placesInside(hidden: readonly Hidden[], writable: readonly string[]) {
    const isInside = ({ path }: Hidden) => writable.some((folder) => isBelow(folder, path))
    const inside = hidden.filter(isInside)
    for (const one of inside) {
      if (held.has(one.path) || inside.some((other) => isBelow(other.path, one.path))) continue
      held.set(one.path, { ...one, folder: await identityAt(dirname(one.path)) })
    }
    const known = [...held.values()].filter(isInside)
    for (const { path, folder } of known) {
      if ((await identityAt(dirname(path))) === folder) continue
      throw new Error(
        `${dirname(path)} is not the folder that held ${path}, which no program may see: move it back, or restart Foreword if you moved it yourself`,
      )
    }
    const there = await existingPaths(known.map(({ path }) => path))
    return known.filter(({ path }) => there.includes(path))
  }

  /** Looks at the disk for every run: what is there may have changed since the plan. */
  async function confine(
    bubblewrap: Bubblewrap,
    { sandbox, network, readable }: Grants,
    program: Pick<Program, 'argv' | 'folder'>,
    isCounted: boolean,
  ): Promise<Confined> {
    const { outOfReach, readOnly, ...shown } = places()
    const [workspaces, others, closed] = await Promise.all([
      existingPaths([workspace]),
      existingPaths(sandbox.writable.map((path) => personalPath(path, environment))),
      existingPaths(outOfReach),
    ])
    // A person who names the home itself does not mean what is secret in it.
    const isOpen = (path: string) => !closed.includes(path)
    const writable = [...workspaces, ...others.filter(isOpen)]
    const locks = await tidyingLocks(environment, writable)
    const hidden = await hiddenPlaces(environment, outOfReach)
    const [[home], visible, programs] = await Promise.all([
      existingPaths(environment['HOME'] ? [environment['HOME']] : []),
      existingPaths([
        ...shown.readable,
        ...shown.programs,
        ...readable,
        ...sandbox.readable.map((path) => personalPath(path, environment)),
      ]),
      programFolders(environment, hidden),
    ])
    const folders = isShown(program.folder, writable) ? [] : [program.folder]
    const inside = await placesInside(hidden, writable)
    const own = await begin(writable, isCounted)
    const before = own.map(({ files }) => files)
    try {
      // Of a link the target counts: a link itself cannot be covered, and is made again after the run.
      const owned = await existingPaths([...before.flatMap(({ entries }) => [...entries.keys()]), ...readOnly])
      const fault = protectionFault(before, owned)
      if (fault !== undefined) throw new Error(fault)
      const [sockets, links] = await Promise.all([
        (network ? socketsAt : listeningSockets)(before.flatMap((each) => each.sockets)),
        linksToKept(writable, [...SYSTEM_SECRETS, ...personalSecrets(environment), ...outOfReach], readOnly),
      ])
      // A program could open it to itself, and nothing in it would be protected.
      const unsearched = before.flatMap((each) => each.closed.map((path) => ({ path, kind: 'folder' }) as const))
      const protectedPaths = [...owned, ...links.readOnly].filter((path) => isShown(path, writable))
      const inWritable: readonly Cover[] = [
        ...protectedPaths.map((path) => ({ path, kind: 'read-only' }) as const),
        ...[...unsearched, ...sockets, ...links.hidden].filter(({ path }) => isShown(path, writable)),
      ]
      const moved = (await turns.add(() => heldCovers.hold(inWritable))).filter(({ path }) => isShown(path, writable))
      const covers: readonly Cover[] = [...inWritable, ...sockets, ...hidden, ...inside, ...moved]
      const readOnlyPaths = covers.flatMap(({ path, kind }) => (kind === 'read-only' ? [path] : []))
      const identities = new Map<string, string | undefined>([
        ...links.identities,
        ...inside.map(({ path, folder }) => [dirname(path), folder] as const),
        ...before.flatMap((each) => [...each.identities]),
        ...moved.flatMap(({ path, identity, folder }) => [[path, identity] as const, [dirname(path), folder] as const]),
      ])
      for (const path of [...readOnlyPaths, ...covers.map((each) => dirname(each.path))]) {
        if (!identities.has(path) && isShown(path, writable)) identities.set(path, await identityAt(path))
      }
      const argv = bubblewrapArgv(bubblewrap, program.argv, {
        hidden: [...new Map(covers.filter(isHidden).map((one) => [one.path, one])).values()],
        readOnly: [...new Set(readOnlyPaths)],
        identities,
        writable,
        readable: [...programs, ...[...visible, ...folders].filter(isOpen)],
        home,
        network,
        folder: program.folder,
        memoryKiB: sandbox.memoryMiB * 1024,
      })
      return { argv, covered: covers.map(({ path }) => path), leave }
    } catch (error) {
      await leave()
      throw error
    }

    function leave(): Promise<LeftSandbox> {
      return turns.add(async () => {
        const place = join(options.setAside, randomUUID())
        const moved: string[] = []
        const changed: string[] = []
        const faults: string[] = []
        for (const [index, folder] of writable.entries()) {
          const files = filesToRestore(folder, own[index]!, isCounted)
          if (files === undefined) continue
          try {
            const target = join(place, String(index))
            const restored = await undoChanges(systemClock, bubblewrap, folder, files, target, locks)
            moved.push(...restored.moved)
            changed.push(...restored.changed)
            faults.push(...restored.faults)
          } catch (error) {
            faults.push(
              `${folder} could not be searched for files that only its owner may make: ${errorMessage(error)}`,
            )
          }
        }
        alive -= 1
        if (alive === 0) await heldCovers.release()
        return { moved, changed, ...(faults.length > 0 && { fault: faults.join('; ') }) }
      })
    }
  }

  async function runConfined(
    bubblewrap: Bubblewrap,
    grants: Grants,
    program: Program,
    limits: ProgramLimits,
    earlier?: LeftSandbox,
  ): Promise<ProgramEnd> {
    const started = systemClock.monotonic()
    const most = options.maxBytes?.()
    const bound = most === undefined ? undefined : await boundWrites(workspace, most, program)
    let confined: Confined
    try {
      confined = await confine(bubblewrap, grants, bound?.program ?? program, true)
    } catch (error) {
      return notStarted(`the sandbox could not be prepared: ${errorMessage(error)}`, started)
    }
    const run = await runProgram(systemClock, { ...program, argv: confined.argv }, { ...limits, disk: bound }, owner)
    const end = bound ? await bound.ended(run) : run
    const left = await confined.leave()
    const isTriedAgain = !earlier && (isMisplaced(end) || (await isPlaceGone(end, confined.covered)))
    if (isTriedAgain) return runConfined(bubblewrap, grants, program, limits, left)
    const moved = [...(earlier?.moved ?? []), ...left.moved]
    const changed = [...(earlier?.changed ?? []), ...left.changed]
    const fault = [earlier?.fault ?? [], left.fault ?? []].flat().join('; ')
    return {
      ...withoutWrapper(end, program.argv[0]!),
      ...(moved.length > 0 && { setAside: moved }),
      ...(changed.length > 0 && { obeyed: changed }),
      ...(fault !== '' && { setAsideFault: fault }),
    }
  }

  async function enter(program: Pick<Program, 'argv' | 'folder'>, network: boolean): Promise<ConfinedProgram> {
    const read = await access()
    if (read.type === 'faulty') throw new Error(faultyText(read.problems))
    const found = await find()
    if (found.type === 'none') throw new Error(`it needs a sandbox, and ${found.why}. ${found.hint}`)
    return confine(found, { sandbox: read.access.sandbox, network, readable: [] }, program, false)
  }

  return { plan, enter }
}

/** What a folder held when a run began, and which one it was of all. */
interface Begun {
  readonly number: number
  readonly files: OwnerFiles
}

interface Grants {
  readonly sandbox: SandboxAccess
  readonly network: boolean
  readonly readable: readonly string[]
}

function withoutSandbox(
  { why, hint, isUnsure }: Extract<SandboxProgram, { type: 'none' }>,
  sandbox: SandboxAccess,
  run: PlannedSandbox['run'],
): SandboxPlan {
  if (sandbox.withoutIt === 'refuse') {
    return { type: 'refused', why: `programs run only in a sandbox here, and ${why}. ${hint}` }
  }
  // There may be a sandbox, and who allowed programs to run without one meant a machine that has none.
  const asks = sandbox.withoutIt === 'ask' || isUnsure === true
  return { type: 'planned', text: `none, since ${why}`, asks, isConfined: false, run }
}

function isHidden(cover: Cover): cover is Hidden {
  return cover.kind !== 'read-only'
}

function isShown(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => isWithin(folder, path))
}

/** `~/` is the home of the person. */
function personalPath(path: string, { HOME }: Readonly<Record<string, string | undefined>>): string {
  return path.startsWith('~/') && HOME !== undefined && isAbsolute(HOME) ? join(HOME, path.slice(2)) : path
}

function protectionFault(before: readonly OwnerFiles[], owned: readonly string[]): string | undefined {
  if (before.some(({ isComplete }) => !isComplete)) return `the workspace ${TOO_MANY_FOLDERS}: move some out of it`
  const closed = before.reduce((count, each) => count + each.closed.length, 0)
  if (closed > MOST_PROTECTED) {
    return `the workspace has ${closed} folders that you closed to yourself, more than the sandbox can hide (${MOST_PROTECTED})`
  }
  if (owned.length <= MOST_PROTECTED) return undefined
  return `the workspace has ${owned.length} files of the owner (such as AGENTS.md), more than the sandbox can protect (${MOST_PROTECTED})`
}

const NOTHING = { text: '', bytes: 0, characters: 0, truncated: false, binary: false } as const

function notStarted(why: string, started: number): ProgramEnd {
  const durationMs = Math.round(systemClock.monotonic() - started)
  return { end: { type: 'not-started', why }, stdout: NOTHING, stderr: NOTHING, durationMs }
}
