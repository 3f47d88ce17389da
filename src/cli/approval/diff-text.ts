import { exactLines } from '../exact-text.ts'
import type { Io } from '../../capability.ts'
import { type Look, styled } from '../style.ts'

/** A unified diff, in colours on a terminal. */
export function diffText(diff: string, io: Io): string {
  return exactLines(diff.replace(/\n$/, ''))
    .split('\n')
    .map((line) => {
      const look = lookOf(line)
      return look === undefined ? `  ${line}` : `  ${styled(io, look, line)}`
    })
    .join('\n')
}

function lookOf(line: string): Look | undefined {
  if (line.startsWith('+++') || line.startsWith('---')) return 'bold'
  if (line.startsWith('+')) return 'green'
  if (line.startsWith('-')) return 'red'
  return line.startsWith('@@') ? 'cyan' : undefined
}
