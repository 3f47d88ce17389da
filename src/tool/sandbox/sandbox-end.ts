import { folderBytes } from '../../platform.ts'
import type { Program, ProgramEnd } from '../process/program.ts'
import { LIMITER, MISPLACED, MISPLACED_CODE } from './bubblewrap.ts'
import { existingPaths } from './hidden-places.ts'

/** A cover did not lie where it belongs, and the program was not started. */
export function isMisplaced({ end, stderr }: ProgramEnd): boolean {
  return end.type === 'exit' && end.code === MISPLACED_CODE && stderr.text === MISPLACED
}

/** Whether bubblewrap found a place gone that it was to cover, such as the socket of a program that has ended. */
export async function isPlaceGone({ end, stderr: { text } }: ProgramEnd, covered: readonly string[]): Promise<boolean> {
  if (end.type !== 'exit' || end.code !== 1 || !/^bwrap: .*\n$/.test(text)) return false
  const there = await existingPaths(covered)
  return covered.some((path) => text.includes(`${path}: `) && !there.includes(path))
}

/** What bubblewrap and the shell in it say of themselves, in words that tell what to do. */
export function withoutWrapper(run: ProgramEnd, name: string): ProgramEnd {
  const { end, stderr } = run
  if (end.type !== 'exit') return run
  if (end.code === 1 && stderr.text.startsWith('bwrap: ')) {
    const said = stderr.text.slice('bwrap: '.length).trim()
    return { ...run, end: { type: 'not-started', why: `the sandbox could not be made: ${said}` } }
  }
  if (isMisplaced(run)) {
    const why =
      'the sandbox could not be made: another program exchanges folders of the workspace that hold hidden or protected files. End it and try again'
    return { ...run, end: { type: 'not-started', why } }
  }
  if ((end.code !== 126 && end.code !== 127) || !stderr.text.startsWith(`${LIMITER}: `)) return run
  const said = stderr.text.slice(stderr.text.lastIndexOf(':') + 1).trim()
  const why =
    end.code === 127
      ? `${name}: there is no such program in the sandbox (a folder that sandbox.readable in tool-access.json names can be seen there)`
      : `${name}: it may not be run (${said})`
  return { ...run, end: { type: 'not-started', why } }
}

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
