import { countedText, phrase } from '../../context.ts'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { Finding } from '../../capability.ts'
import { followWithin, openWithin, withOpened } from '../../platform.ts'
import type { Configuration } from '../../runtime.ts'
import { looksLikeRepository, packageFolders } from '../../tool.ts'
import { sizeText } from '../state-text.ts'
import { firstNames, ok, warning } from './finding.ts'

const MOST_FOLDERS = 5000

/** The most entries of a folder and those below that are looked at one by one. */
const MOST_FILES = 50_000

/** Keys of a repository whose values Git runs, or looks for programs in. `core.fsmonitor` may be a switch too. */
const RUNS =
  /^\s*(?:fsmonitor\s*=\s*(?!true\b|false\b|1\b|0\b)\S|hookspath\s*=|sshcommand\s*=|gitproxy\s*=|askpass\s*=|editor\s*=|pager\s*=|external\s*=|textconv\s*=|command\s*=|cmd\s*=|clean\s*=|smudge\s*=|process\s*=|driver\s*=|program\s*=|uploadpack\s*=|receivepack\s*=|helper\s*=|\w+\s*=\s*"?!)/im

const MOST_NAMED = 5

/** Folders that only look like a repository, and repositories that name programs: Git runs them for you, if not for tools. */
export async function checkRepositories({ agent }: Configuration): Promise<Finding> {
  const workspace = await realpath(agent.workspace).catch(() => undefined)
  if (workspace === undefined) return ok('repositories', phrase`there is no workspace yet`)
  const bare: string[] = []
  const running: string[] = []
  const open = [workspace]
  let looked = 0
  for (let folder = open.pop(); folder !== undefined && looked < MOST_FOLDERS; folder = open.pop()) {
    looked += 1
    const way = relative(workspace, folder).split(sep).filter(Boolean)
    const entries = await withOpened(workspace, way, (path) => readdir(path, { withFileTypes: true })).catch(() => [])
    const names = new Set(entries.map(({ name }) => name))
    if (looksLikeRepository(names)) bare.push(folder)
    if (names.has('.git') && RUNS.test(await gitConfig(workspace, way).catch(() => '')))
      running.push(join(folder, '.git/config'))
    for (const entry of entries) {
      if (entry.isDirectory() && entry.name !== '.git' && !packageFolders.has(entry.name))
        open.push(join(folder, entry.name))
    }
  }
  const said = [
    ...(bare.length > 0 ? [phrase`folders that Git takes for a repository: ${listed(workspace, bare)}`] : []),
    ...(running.length > 0 ? [phrase`configuration that names programs: ${listed(workspace, running)}`] : []),
  ]
  if (said.length === 0) {
    return ok(
      'repositories',
      looked < MOST_FOLDERS
        ? phrase`none runs programs`
        : phrase`none of the first ${MOST_FOLDERS} folders runs programs`,
    )
  }
  const hint = phrase`Look at them in ${workspace}, and remove what you did not put there before you run git in it.`
  return warning('repositories', said.join('; '), hint)
}

async function gitConfig(workspace: string, way: readonly string[]): Promise<string> {
  const found = await followWithin(workspace, [...way, '.git', 'config'])
  if (found.type !== 'inside') return ''
  await using file = await openWithin(workspace, found.names)
  return (await file.stat()).isFile() ? await file.readFile('utf8') : ''
}

function listed(workspace: string, paths: readonly string[]): string {
  return firstNames(
    paths.map((path) => relative(workspace, path) || '.'),
    MOST_NAMED,
  )
}

/**
 * Files that run as their owner, or with their group, for anyone who starts them. Programs in the sandbox cannot make one, but one
 * that is there is theirs to write.
 */
export async function checkBits({ agent }: Configuration): Promise<Finding> {
  const workspace = await realpath(agent.workspace).catch(() => undefined)
  if (workspace === undefined) return ok('bits', phrase`there is no workspace yet`)
  const found: string[] = []
  const folders = [workspace]
  let looked = 0
  for (const folder of folders) {
    await withOpened(workspace, relative(workspace, folder).split(sep).filter(Boolean), async (path) => {
      for (const name of await readdir(path)) {
        if (looked++ === MOST_FILES) return folders.splice(0)
        const facts = await lstat(join(path, name)).catch(() => undefined)
        if (facts?.isDirectory()) folders.push(join(folder, name))
        if (facts?.isFile() && (facts.mode & 0o6000) !== 0) found.push(join(folder, name))
      }
    }).catch(() => {})
  }
  const first = looked > MOST_FILES ? phrase` of the first ${MOST_FILES}` : ''
  if (found.length === 0) return ok('bits', phrase`no file${first} runs as its owner for others`)
  return warning(
    'bits',
    phrase`files${first} that run as their owner or with their group for anyone who starts them: ${listed(workspace, found)}`,
    phrase`Run \`chmod ug-s\` on them in ${workspace}, unless you set these bits yourself.`,
  )
}

/** What programs made in the place of files of the owner, and was moved away after their runs. */
export async function checkSetAside(data: string, { keep }: Configuration): Promise<Finding> {
  const place = join(data, 'set-aside')
  const runs = await readdir(place).catch(() => [])
  if (runs.length === 0) return ok('set-aside', phrase`no program has made a file that belongs to you alone`)
  const times = await Promise.all(runs.map(async (name) => (await stat(join(place, name))).mtime.toISOString()))
  const newest = times.toSorted().at(-1)!
  const count = runs.length === 1 ? phrase`one run` : phrase`${runs.length} runs`
  return warning(
    'set-aside',
    phrase`${count} made files that agents or Git would obey, the newest at ${newest}`,
    phrase`Look at them in ${place}: what you want, move yourself. Each is removed after ${daysText(keep.setAsideDays)} (keep.setAsideDays).`,
  )
}

/** Above so many bytes somebody should look before the time of what was moved away is over. */
const MUCH_SET_ASIDE = 100_000_000

/** How large each part of the data is (the store with the log, the audit and the bodies of calls, files, what was set aside), and what ends it. */
export async function checkSizes(data: string, { keep }: Configuration): Promise<Finding> {
  const names = await readdir(data).catch(() => [])
  const parts = await Promise.all(names.map(async (name) => ({ name, bytes: await sizeOf(join(data, name)) })))
  const large = parts.filter(({ bytes }) => bytes > 0).toSorted((left, right) => right.bytes - left.bytes)
  const named = large.slice(0, MOST_NAMED).map(({ name, bytes }) => `${name} ${sizeText(bytes)}`)
  const rules = phrase`kept: bodies of calls ${daysText(keep.bodyDays)}, set-aside ${daysText(keep.setAsideDays)}, the audit until \`foreword audit archive\``
  const text = `${named.length === 0 ? phrase`empty` : named.join(', ')}; ${rules}`
  if ((parts.find(({ name }) => name === 'set-aside')?.bytes ?? 0) <= MUCH_SET_ASIDE) return ok('size', text)
  return warning(
    'size',
    text,
    phrase`Look at ${join(data, 'set-aside')}: what you want, move yourself; remove the rest.`,
  )
}

function daysText(days: number): string {
  return countedText(days, 'day')
}

/** Bytes of a file, or of the first files of a folder at any depth. Links count as nothing. */
async function sizeOf(path: string): Promise<number> {
  let bytes = 0
  let looked = 0
  const open = [path]
  for (let place = open.pop(); place !== undefined && looked < MOST_FILES; place = open.pop()) {
    looked += 1
    const facts = await lstat(place).catch(() => undefined)
    if (facts?.isFile()) bytes += facts.size
    if (!facts?.isDirectory()) continue
    for (const name of await readdir(place).catch(() => [])) open.push(join(place, name))
  }
  return bytes
}
