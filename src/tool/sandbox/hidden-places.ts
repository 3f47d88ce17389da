import { existsSync, readdirSync } from 'node:fs'
import { lstat, mkdir, readdir, readFile, readlink, realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, delimiter, isAbsolute, join, relative } from 'node:path'
import { isWithin } from '../../platform.ts'
import { obeyedNames } from '../access/owners-names.ts'
import { type Hidden, isBelow } from './bubblewrap.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Homes of people, and places where running programs keep their sockets and scratch files. */
const FOLDERS = ['/home', '/root', '/run', '/tmp', '/var/tmp', '/var/mail', '/var/spool', '/var/backups']

/** What only the system itself reads, and a gateway that runs as root could. */
export const SYSTEM_SECRETS = [
  '/etc/shadow',
  '/etc/shadow-',
  '/etc/gshadow',
  '/etc/gshadow-',
  '/etc/sudoers',
  '/etc/sudoers.d',
  '/etc/ssl/private',
  '/etc/krb5.keytab',
  '/var/lib/docker',
]

const TIDYING_LOCKS = '.cache/foreword'

/**
 * The folder in which the gateways of one account lock a workspace while they tidy it. It is made, since only what is there can be
 * hidden: a program that opened a lock could keep a workspace untidy. `undefined` where it cannot be made, or programs may write it.
 */
export async function tidyingLocks(environment: Environment, writable: readonly string[]): Promise<string | undefined> {
  try {
    const home = await realpath(personalHomes(environment).at(-1)!)
    const above = await realpath(join(home, dirname(TIDYING_LOCKS))).catch(() => home)
    if (writable.some((folder) => isWithin(folder, above))) return undefined
    const folder = join(home, TIDYING_LOCKS)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    return folder
  } catch {
    return undefined
  }
}

/** Keys, passwords and browser profiles, below the home of a person. They stay hidden where the owner shows the home. */
const PERSONAL_SECRETS = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.netrc',
  '.git-credentials',
  '.npmrc',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.cargo/credentials.toml',
  '.config/gcloud',
  '.config/gh',
  '.config/git/credentials',
  '.config/google-chrome',
  '.config/chromium',
  '.config/BraveSoftware',
  '.mozilla',
  '.thunderbird',
  '.password-store',
  '.local/share/keyrings',
  '.bash_history',
  '.zsh_history',
  TIDYING_LOCKS,
]

/** Names of folders that a project has too, with nothing secret in them. */
const NOT_ONLY_SECRETS = ['.docker', '.kube', '.azure']

/** Whether a file or folder of this name holds keys, passwords or a history of commands, wherever it lies. */
export function isSecretName(name: string): boolean {
  const lower = name.toLowerCase()
  return PERSONAL_SECRETS.includes(lower) && !NOT_ONLY_SECRETS.includes(lower)
}

/** Places of keys and passwords in the homes of a person. They need not exist. */
export function personalSecrets(environment: Environment): readonly string[] {
  return personalHomes(environment).flatMap((home) => PERSONAL_SECRETS.map((name) => join(home, name)))
}

/** What shells, editors and agents obey in the homes of a person, as far as it exists. */
export function obeyedAtHome(environment: Environment): readonly string[] {
  return personalHomes(environment).flatMap((home) => {
    const names = namesIn(home)
    return OBEYED_AT_HOME.filter((name) => names.has(name.split('/')[0]!))
      .map((name) => join(home, name))
      .filter((path) => existsSync(path))
  })
}

/** One look at the folder: each of some hundred names would be another one, before every program. */
function namesIn(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder))
  } catch {
    return new Set()
  }
}

const OBEYED_AT_HOME = obeyedNames
  .filter(({ level }) => level === 'never')
  .flatMap(({ names }) => names.split(' '))
  .filter((name) => name.startsWith('.'))

function personalHomes({ HOME }: Environment): readonly string[] {
  return [...new Set([homedir(), ...(HOME ? [HOME] : [])])].filter(isAbsolute)
}

/** Everything that a program must not see: the homes of people, known places of secrets, and `more`. Only what exists. */
export async function hiddenPlaces(environment: Environment, more: readonly string[]): Promise<readonly Hidden[]> {
  const wanted = [
    ...FOLDERS,
    ...personalHomes(environment),
    ...SYSTEM_SECRETS,
    ...personalSecrets(environment),
    ...(await hostKeys()),
    ...more,
  ]
  const found = await Promise.all(wanted.map(existing))
  const byPath = new Map(found.flatMap((one) => (one && one.path !== '/' ? [[one.path, one] as const] : [])))
  return [...byPath.values()]
}

/** The most sockets that are hidden one by one: each is an argument of the sandbox. */
const MOST_SOCKETS = 500

/** The most places that are looked at for sockets that were bound by a name in some folder. */
const MOST_PLACES = 20_000

/** Paths of sockets that a process listens at, such as a database or an agent of keys: no network hides these. */
export async function listeningSockets(more: readonly string[]): Promise<readonly Hidden[]> {
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const tables = await Promise.all((await differentFiles(processes, 'net/unix')).map(readLines))
  // A name that begins with @ is none of a file, and belongs to the network.
  const named = tables.flat().flatMap((line) => /^(?:\S+ +){6}\d+ ([^@].*)$/.exec(line)?.[1] ?? [])
  const bare = [...new Set(named.filter((name) => !isAbsolute(name)))]
  // A socket may be bound by a name in a folder in which its process works, as far as that can be seen.
  const folders = bare.length === 0 ? [] : await workingFolders(processes)
  if (bare.length * folders.length > MOST_PLACES) throw new Error('too many sockets have a name without a folder')
  const inFolders = folders.flatMap((folder) => bare.map((name) => join(folder, name)))
  const places = [...new Set([...named.filter(isAbsolute), ...inFolders, ...more])]
  const found = await Promise.all(places.map(socketAt))
  const elsewhere = await placesElsewhere(
    processes,
    places.filter((_, index) => found[index] === undefined),
  )
  return hiddenSockets([...found, ...(await Promise.all(elsewhere.map(socketAt)))])
}

/** Sockets and pipes with a name at these paths, which a program that has a network reaches too. */
export async function socketsAt(places: readonly string[]): Promise<readonly Hidden[]> {
  return hiddenSockets(await Promise.all(places.map(socketAt)))
}

function hiddenSockets(found: readonly (string | undefined)[]): readonly Hidden[] {
  const paths = new Set(found.filter((path) => path !== undefined))
  if (paths.size > MOST_SOCKETS) throw new Error(`more than ${MOST_SOCKETS} sockets have a path on this machine`)
  return [...paths].map((path) => ({ path, kind: 'file' }))
}

async function workingFolders(processes: readonly string[]): Promise<readonly string[]> {
  const found = processes.map((id) => readlink(`/proc/${id}/cwd`).catch(() => undefined))
  return [...new Set(await Promise.all(found))].filter((path) => path?.startsWith('/') === true) as string[]
}

/** Paths of a file in the folders of processes, one for each that is different: processes in one namespace share theirs. */
async function differentFiles(processes: readonly string[], name: string): Promise<readonly string[]> {
  const byFile = new Map<number, string>()
  const paths = ['self', ...processes].map((id) => `/proc/${id}/${name}`)
  const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
  for (const [index, path] of paths.entries()) {
    const file = found[index]?.ino
    if (file !== undefined && !byFile.has(file)) byFile.set(file, path)
  }
  return [...byFile.values()]
}

async function readLines(path: string): Promise<readonly string[]> {
  return (await readFile(path, 'utf8').catch(() => '')).split('\n')
}

/** Where this process sees what lies at paths as other processes see them, such as those in a container that shares a folder. */
async function placesElsewhere(processes: readonly string[], paths: readonly string[]): Promise<readonly string[]> {
  if (paths.length === 0) return []
  const own = mounts(await readLines('/proc/self/mountinfo'))
  const found = new Set<string>()
  const seen = new Set([await readlink('/proc/self/ns/mnt').catch(() => 'self')])
  for (const id of processes) {
    // Of a process of another user it is not known.
    const namespace = await readlink(`/proc/${id}/ns/mnt`).catch(() => id)
    if (seen.has(namespace)) continue
    seen.add(namespace)
    const theirs = mounts(await readLines(`/proc/${id}/mountinfo`))
    for (const path of paths) {
      const mount = theirs.findLast(({ place }) => isWithin(place, path))
      if (!mount) continue
      const source = join(mount.source, relative(mount.place, path))
      for (const one of own) {
        if (one.device === mount.device && isWithin(one.source, source)) {
          found.add(join(one.place, relative(one.source, source)))
        }
      }
    }
  }
  return [...found]
}

/** Mounts, the later over the earlier: a device, the folder of it that is mounted, and where. */
function mounts(lines: readonly string[]) {
  return lines.flatMap((line) => {
    const [, , device = '', source = '', place = ''] = line.split(' ').map(unescapeOctal)
    return place === '' ? [] : [{ device, source, place }]
  })
}

function unescapeOctal(word: string): string {
  return word.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
}

async function socketAt(place: string): Promise<string | undefined> {
  try {
    const path = await realpath(place)
    const found = await lstat(path)
    return found.isSocket() || found.isFIFO() ? path : undefined
  } catch {
    return undefined
  }
}

async function hostKeys(): Promise<readonly string[]> {
  const names = await readdir('/etc/ssh').catch(() => [])
  return names.filter((name) => name.endsWith('_key')).map((name) => join('/etc/ssh', name))
}

async function existing(place: string): Promise<Hidden | undefined> {
  try {
    const path = await realpath(place)
    return { path, kind: (await lstat(path)).isDirectory() ? 'folder' : 'file' }
  } catch {
    return undefined
  }
}

/** Folders of a home that hold more than programs: of these the folder on the `PATH` alone is shown. */
const NOT_ONLY_PROGRAMS = new Set(['.local', '.config', '.cache'])

/**
 * Folders of programs that lie in hidden places, such as a Node of the owner's home: those of the `PATH`, and all of the
 * Node that runs this. Without them hardly any program of such a person could run. A folder such as `~/.pyenv` is shown whole,
 * since the programs in its `shims` or `bin` need the rest; secrets that are known in one stay hidden.
 */
export async function programFolders(environment: Environment, hidden: readonly Hidden[]): Promise<readonly string[]> {
  const places = (environment['PATH'] ?? '').split(delimiter).filter(isAbsolute)
  const found = await Promise.all(
    [...places.map((place) => [ownFolder(place), place]), nodeFolders()].map(existingPaths),
  )
  // A folder that is hidden itself, such as a home or `~/.docker`, is never shown whole: at most what is named in it.
  const isHidden = (path: string) => hidden.some((one) => one.path === path)
  const shown = found.flatMap((paths) => paths.find((path) => !isHidden(path)) ?? [])
  return [...new Set(shown)].filter((path) => hidden.some((one) => isBelow(one.path, path)))
}

function ownFolder(place: string): string {
  const parent = dirname(place)
  const isOwn = basename(parent).startsWith('.') && !NOT_ONLY_PROGRAMS.has(basename(parent))
  return isOwn && /^(?:bin|shims)$/.test(basename(place)) ? parent : place
}

function nodeFolders(): readonly string[] {
  const folder = dirname(process.execPath)
  return basename(folder) === 'bin' ? [dirname(folder), folder] : [folder]
}

/** Those of the paths that exist, without links. */
export async function existingPaths(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map(async (path) => (await existing(path))?.path))
  return [...new Set(found)].filter((path): path is string => path !== undefined)
}
