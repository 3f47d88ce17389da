import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { singleFlight } from '../../platform.ts'
import { closedArgv, type ClosedProgram } from './bubblewrap.ts'
import { findSandbox, type SandboxProgram, trySandbox } from './find-bubblewrap.ts'

/** A program of Foreword itself that works on what strangers wrote, such as the one that reads documents. */
export interface NodeProgram {
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

const looking = singleFlight<string, SandboxProgram>()
let working: SandboxProgram | undefined

/** Whether this machine can confine Node in that way. Sees it work once; where it does not, the next call looks again. */
export async function findNodeSandbox(): Promise<SandboxProgram> {
  if (working) return working
  const found = await looking.run('node', tryNode)
  if (found.type === 'bubblewrap') working = found
  return found
}

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
