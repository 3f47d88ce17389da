import type { ProgramEnd } from '../process/program.ts'
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
