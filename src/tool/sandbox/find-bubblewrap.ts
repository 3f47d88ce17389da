import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { constants, existsSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { access, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { promisify } from 'node:util'
import { phrase } from '../../context.ts'
import { singleFlight } from '../../platform.ts'
import { type Bubblewrap, bubblewrapArgv, closedArgv, type ClosedProgram, NARROW } from './bubblewrap.ts'
import { syscallFilter } from './syscall-filter.ts'

/** Whether this machine can confine programs. */
export type SandboxProgram =
  | ({ readonly type: 'bubblewrap' } & Bubblewrap)
  | {
      readonly type: 'none'
      /** A clause for a sentence: `bubblewrap is not installed`. */
      readonly why: string
      readonly hint: string
      /** The trial took too long, as on a machine that is very busy: there may be one. */
      readonly isUnsure?: true
    }

/** Only where the system keeps programs of its own: a `PATH` may name folders that others write. */
const PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap']

/** How long a trial run may take, ms: more than a busy machine needs. */
const TRIAL_MS = 60_000

/** Finds bubblewrap and sees it work. */
export const findSandbox = keepWorking(lookForSandbox)

/** Looks until it has seen something work once. Until then each call looks again, so that no restart is needed. */
function keepWorking(look: () => Promise<SandboxProgram>): () => Promise<SandboxProgram> {
  const looking = singleFlight<string, SandboxProgram>()
  let working: SandboxProgram | undefined
  return async () => {
    if (working) return working
    const found = await looking.run('sandbox', look)
    if (found.type === 'bubblewrap') working = found
    return found
  }
}

async function lookForSandbox(): Promise<SandboxProgram> {
  if (process.platform !== 'linux') {
    return {
      type: 'none',
      why: phrase`there is no sandbox for ${process.platform} yet`,
      hint: phrase`Approve each run, or set sandbox.withoutIt in tool-access.json.`,
    }
  }
  for (const place of PLACES) {
    const path = await executable(place)
    if (path !== undefined) return tryBubblewrap(path)
  }
  return {
    type: 'none',
    why: phrase`bubblewrap is not installed`,
    hint: phrase`Install the package bubblewrap (apt install bubblewrap, dnf install bubblewrap, pacman -S bubblewrap).`,
  }
}

async function executable(place: string): Promise<string | undefined> {
  try {
    const path = await realpath(place)
    await access(path, constants.X_OK)
    return path
  } catch {
    return undefined
  }
}

/** With as many walls as this machine has: an older kernel or bubblewrap lacks some. */
async function tryBubblewrap(path: string): Promise<SandboxProgram> {
  const filter = filterFile()
  const filtered = filter === undefined ? [] : [{ path, filter }]
  const kinds: readonly Bubblewrap[] = [...filtered, { path }]
  let found: SandboxProgram | undefined
  const guarded = kinds.flatMap((each) => [{ ...each, forbidsNamespaces: true }, each])
  for (const kind of guarded.flatMap((each) => [{ ...each, narrows: true }, each])) {
    found = await trySandbox(kind, trialArgv(kind))
    if (found.type === 'bubblewrap' || found.isUnsure) return found
  }
  return found!
}

/** Which walls are missing here, each as a clause; none where all stand. */
export function missingWalls({ filter, forbidsNamespaces, narrows }: Bubblewrap): readonly string[] {
  return [
    ...(filter === undefined
      ? [
          phrase`calls to the kernel are not filtered (seccomp), so that keys, VSOCK, bpf and io_uring can be reached, and files can be made that run as their owner`,
        ]
      : []),
    ...(filter === undefined && !forbidsNamespaces
      ? [phrase`programs can make user namespaces (bubblewrap before 0.8)`]
      : []),
    ...(narrows
      ? []
      : [
          phrase`while a sandbox is prepared, a program in the same workspace can lead bubblewrap to files outside of it`,
        ]),
  ]
}

/** The filter as a file that has no name any more: this process holds it open, and what it starts reads it by its descriptor. */
function filterFile(): string | undefined {
  const filter = syscallFilter(process.arch)
  if (!filter) return undefined
  try {
    const path = join(tmpdir(), `foreword-filter-${randomUUID()}`)
    const descriptor = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    writeSync(descriptor, filter)
    return `/proc/${process.pid}/fd/${descriptor}`
  } catch {
    return undefined
  }
}

function trialArgv(bubblewrap: Bubblewrap): readonly string[] {
  const made = `/tmp/${randomUUID()}`
  // Only where the view is narrowed there is something to show at the second place.
  const narrowing = ['--dir', made, ...NARROW, '--ro-bind-try', made, `${made}-seen`]
  const program = bubblewrap.narrows ? ['/bin/sh', '-c', 'test -d "$0"', `${made}-seen`] : ['/bin/true']
  const argv = bubblewrapArgv(bubblewrap, program, {
    writable: [],
    readable: [],
    hidden: [{ path: '/tmp', kind: 'folder' }],
    readOnly: [],
    network: false,
    folder: '/',
    memoryKiB: 1_048_576,
  })
  return bubblewrap.narrows ? argv.toSpliced(argv.indexOf(NARROW[0]!), NARROW.length, ...narrowing) : argv
}

/** Whether a program runs to its end in a sandbox of this bubblewrap. Never rejects. */
export async function trySandbox(
  bubblewrap: Bubblewrap,
  [program, ...words]: readonly string[],
  timeoutMs = TRIAL_MS,
): Promise<SandboxProgram> {
  try {
    await promisify(execFile)(program!, words, { env: {}, timeout: timeoutMs, killSignal: 'SIGKILL' })
    return { type: 'bubblewrap', ...bubblewrap }
  } catch (error) {
    const { stderr = '', message, killed } = error as Error & { readonly stderr?: string; readonly killed?: boolean }
    if (killed) {
      const why = phrase`bubblewrap did not end a trial within ${timeoutMs / 1000} seconds`
      return { type: 'none', why, hint: phrase`Try again when this machine is less busy.`, isUnsure: true }
    }
    const line = stderr.trim().split('\n').at(-1) || message.split('\n', 1)[0]!
    return {
      type: 'none',
      why: phrase`bubblewrap cannot run here (${line.slice(0, 200)})`,
      hint: phrase`Allow user namespaces for it: sysctl kernel.unprivileged_userns_clone=1, an AppArmor profile for bwrap, or in a container the option --security-opt seccomp=unconfined.`,
    }
  }
}

/** A program of Foreword itself that works on what strangers wrote, such as the one that reads documents. */
interface NodeProgram {
  /** The Node that runs this (`process.execPath`), its arguments and the file. */
  readonly argv: readonly string[]
  /** Files and folders that it has to read beside Node itself, absolute. */
  readonly readable: readonly string[]
  /** The most memory that it may fill with data, bytes. It gets no more, and is not told of it: a smaller limit is its own. */
  readonly memoryBytes: number
}

/**
 * What to start instead of the program, so that it has nothing of this machine but the files it has to read: no network, no
 * other processes, no place to write. `undefined` on a machine without a sandbox. The policy of tools does not count here:
 * it is about programs that a model runs.
 *
 * @throws Error where it is not sure that there is no sandbox, so that nobody gets past it by keeping the machine busy
 */
export async function confineNode(program: NodeProgram): Promise<readonly string[] | undefined> {
  const found = await findNodeSandbox()
  if (found.type === 'bubblewrap') return closedArgv(found, closedNode(program))
  if (found.isUnsure) throw new Error(`${found.why}. ${found.hint}`)
  return undefined
}

/** Whether this machine can confine Node in that way. */
export const findNodeSandbox = keepWorking(tryNode)

async function tryNode(): Promise<SandboxProgram> {
  const found = await findSandbox()
  if (found.type === 'none') return found
  const trial = closedNode({ argv: [process.execPath, '--eval', '0'], readable: [], memoryBytes: 4 * 2 ** 30 })
  return trySandbox(found, closedArgv(found, trial))
}

/** Node with its own files, and what the program needs. */
export function closedNode({ argv, readable, memoryBytes }: NodeProgram): ClosedProgram {
  return { argv, readable: [...nodeFiles(), ...readable], memoryKiB: Math.ceil(memoryBytes / 1024) }
}

/** Where loaders look up libraries, and where some distributions keep parts of Node. */
const BESIDE_NODE = ['/etc/ld.so.cache', '/usr/share/nodejs']

let files: readonly string[] | undefined

/** The Node that runs this, and the libraries of the system that it has loaded. */
function nodeFiles(): readonly string[] {
  files ??= [process.execPath, ...loadedLibraries(), ...BESIDE_NODE].filter((path) => existsSync(path))
  return files
}

function loadedLibraries(): readonly string[] {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork: boolean }
  const { excludeNetwork } = report
  // Otherwise it asks for the name of every address that is connected.
  report.excludeNetwork = true
  try {
    const { sharedObjects = [] } = report.getReport() as { readonly sharedObjects?: readonly string[] }
    return sharedObjects.filter(isAbsolute)
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}
