import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Environment } from '../configuration/value.ts'
import type { CheckpointTarget } from './checkpoint-target.ts'
import { runHostProgram } from './host-program.ts'

/** The branch of checkpoints: a commit each. It is in no work tree. */
const REF = 'refs/foreword/audit'

/** Who the commits are by: the signature in the line says whose they are. */
const author = { name: 'Foreword', email: 'audit@foreword.invalid' }

/** A git repository, bare or not. Each commit follows the one before, so what is removed from the middle is missed as well. */
export function gitTarget({
  name,
  folder,
  environment,
}: {
  readonly name: string
  readonly folder: string
  readonly environment: Environment
}): CheckpointTarget {
  const git = (words: readonly string[], input?: string, signal?: AbortSignal) =>
    runHostProgram('git', [...(isBare(folder) ? ['--git-dir', folder] : ['-C', folder]), ...words], {
      environment,
      variables: {
        GIT_AUTHOR_NAME: author.name,
        GIT_AUTHOR_EMAIL: author.email,
        GIT_COMMITTER_NAME: author.name,
        GIT_COMMITTER_EMAIL: author.email,
      },
      ...(input === undefined ? {} : { input }),
      ...(signal ? { signal } : {}),
    })
  const newest = async (signal?: AbortSignal) => {
    const found = await git(['for-each-ref', '--format=%(objectname)', REF], undefined, signal)
    return found.trim() === '' ? undefined : found.trim()
  }

  return {
    name,
    path: folder,
    async append(line, signal) {
      const parent = await newest(signal)
      const blob = (await git(['hash-object', '-w', '--stdin'], `${line}\n`, signal)).trim()
      const tree = (await git(['mktree'], `100644 blob ${blob}\tcheckpoint.json\n`, signal)).trim()
      const after = parent === undefined ? [] : ['-p', parent]
      const commit = (await git(['commit-tree', tree, ...after], `${line}\n`, signal)).trim()
      // Fails where somebody else has moved the ref since.
      await git(['update-ref', REF, commit, parent ?? '0'.repeat(commit.length)], undefined, signal)
    },
    async read() {
      if (!existsSync(folder)) return []
      const commit = await newest()
      if (commit === undefined) return []
      const text = await git(['log', '--reverse', '--first-parent', '--format=%B', commit])
      return text.split('\n').filter((line) => line !== '')
    },
  }
}

/** Git takes a bare repository for one only where it is named as one (`safe.bareRepository`). */
function isBare(folder: string): boolean {
  return ['HEAD', 'objects', 'refs'].every((name) => existsSync(join(folder, name)))
}
