import type { Proposal } from './proposal.ts'

/** Whether every line that would be added stands in the diff. One of a great change, or beside very long lines, is cut. */
export function diffShowsAll({ diff, content }: Pick<Proposal, 'diff' | 'content'>): boolean {
  const shown = new Set(diff.split(/\r?\n/))
  return content.split(/\r\n|\n|\r/).every((line) => shown.has(`+${line}`))
}
