import { folderBytes } from '../../platform.ts'
import type { Program, ProgramEnd } from '../process/program.ts'
import { LIMITER } from './bubblewrap.ts'

/** The unit of `ulimit -f`, bytes. */
const BLOCK = 512
const LIMITED = 'ulimit -f "$1" || exit 1; shift; exec "$@"'
/** How a shell ends that a signal for a file that became too large has ended. */
const FILE_TOO_LARGE = 153

/**
 * Bounds what a program writes in a workspace that may have `most` bytes: no file of it becomes larger than what is left, and
 * `outgrows` says whether it has passed the limit. In a workspace that is full, a program can still remove something.
 */
export async function boundWrites(workspace: string, most: number, program: Program) {
  const used = await folderBytes(workspace)
  const blocks = Math.floor(Math.max(0, most - used) / BLOCK)
  const outgrows = async () => (await folderBytes(workspace)) > Math.max(most, used)
  return {
    program: { ...program, argv: ['/bin/sh', '-c', LIMITED, LIMITER, String(blocks), ...program.argv] },
    maxBytes: most,
    outgrows,
    /** The end of the run, where it was one by this limit. */
    async ended(run: ProgramEnd): Promise<ProgramEnd> {
      const { end } = run
      const isStopped =
        (end.type === 'exit' && end.code === FILE_TOO_LARGE) || (end.type === 'signal' && end.signal === 'SIGXFSZ')
      return isStopped || (await outgrows()) ? { ...run, end: { type: 'too-much-disk', limit: most } } : run
    },
  }
}
