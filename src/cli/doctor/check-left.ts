import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { Finding } from '../../capability.ts'
import type { Configuration } from '../../runtime.ts'
import { ok, warning } from './finding.ts'

/** The most folders of a workspace that are looked into. */
const MOST_FOLDERS = 5000

/** Folders with very many files of others, in which nobody runs Git. */
const NOT_SEARCHED = new Set(['node_modules', '.venv', 'venv', '__pycache__'])

/** Keys of a repository whose values Git runs, or looks for programs in. `core.fsmonitor` may be a switch too. */
const RUNS =
  /^\s*(?:fsmonitor\s*=\s*(?!true\b|false\b|1\b|0\b)\S|hookspath\s*=|sshcommand\s*=|gitproxy\s*=|askpass\s*=|editor\s*=|pager\s*=|external\s*=|textconv\s*=|command\s*=|cmd\s*=|clean\s*=|smudge\s*=|process\s*=|driver\s*=|program\s*=|uploadpack\s*=|receivepack\s*=|helper\s*=|\w+\s*=\s*"?!)/im

const MOST_NAMED = 5

/** Folders that only look like a repository, and repositories that name programs: Git runs them for you, if not for tools. */
export async function checkRepositories({ agent }: Configuration): Promise<Finding> {
  const workspace = await realpath(agent.workspace).catch(() => undefined)
  if (workspace === undefined) return ok('repositories', 'there is no workspace yet')
  const bare: string[] = []
  const running: string[] = []
  const open = [workspace]
  let looked = 0
  for (let folder = open.pop(); folder !== undefined && looked < MOST_FOLDERS; folder = open.pop()) {
    looked += 1
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    const names = new Set(entries.map(({ name }) => name))
    if (['HEAD', 'objects', 'refs'].every((name) => names.has(name))) bare.push(folder)
    if (names.has('.git') && RUNS.test(await readFile(join(folder, '.git', 'config'), 'utf8').catch(() => '')))
      running.push(join(folder, '.git/config'))
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name !== '.git' && !NOT_SEARCHED.has(entry.name))
        open.push(join(folder, entry.name))
    }
  }
  const said = [
    ...(bare.length > 0 ? [`folders that Git takes for a repository: ${listed(workspace, bare)}`] : []),
    ...(running.length > 0 ? [`configuration that names programs: ${listed(workspace, running)}`] : []),
  ]
  if (said.length === 0) {
    return ok(
      'repositories',
      looked < MOST_FOLDERS ? 'none runs programs' : `none of the first ${MOST_FOLDERS} folders runs programs`,
    )
  }
  const hint = `Look at them in ${workspace}, and remove what you did not put there before you run git in it.`
  return warning('repositories', said.join('; '), hint)
}

function listed(workspace: string, paths: readonly string[]): string {
  const names = paths.slice(0, MOST_NAMED).map((path) => relative(workspace, path) || '.')
  const more = paths.length - names.length
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}

/** What programs made in the place of files of the owner, and was moved away after their runs. */
export async function checkSetAside(data: string): Promise<Finding> {
  const place = join(data, 'set-aside')
  const runs = await readdir(place).catch(() => [])
  if (runs.length === 0) return ok('set-aside', 'no program has made a file that belongs to you alone')
  const times = await Promise.all(runs.map(async (name) => (await stat(join(place, name))).mtime.toISOString()))
  const newest = times.toSorted().at(-1)!
  const count = runs.length === 1 ? 'one run' : `${runs.length} runs`
  return warning(
    'set-aside',
    `${count} made files that agents or Git would obey, the newest at ${newest}`,
    `Look at them in ${place}: what you want, move yourself; remove the rest.`,
  )
}
