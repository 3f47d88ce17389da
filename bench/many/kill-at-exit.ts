import type { ChildProcess } from 'node:child_process'

const children = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** The benchmark ends what it started, however it ends itself. */
export function killAtExit(child: ChildProcess): void {
  children.add(child)
  child.once('exit', () => children.delete(child))
}
