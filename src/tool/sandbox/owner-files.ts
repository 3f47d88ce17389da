import type { Dirent } from 'node:fs'
import { cp, lstat, mkdir, readdir, readlink, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { errorMessage } from '../../platform.ts'

/**
 * Names of files that other programs obey as the owner's word: instructions of agents, settings of editors, shells, package
 * managers and Git. Tools may read them, and neither change nor make them, at any depth of a workspace.
 */
const FILES = new Set(
  [
    'AGENTS.md',
    'AGENTS.override.md',
    'CLAUDE.md',
    'CLAUDE.local.md',
    'GEMINI.md',
    '.cursorrules',
    '.windsurfrules',
    '.mcp.json',
    '.envrc',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.gitmodules',
    '.gitconfig',
  ].map((name) => name.toLowerCase()),
)

/** The same for folders, with everything in them. */
const FOLDERS = new Set([
  '.git',
  '.agents',
  '.claude',
  '.codex',
  '.cursor',
  '.gemini',
  '.vscode',
  '.idea',
  '.husky',
  '.devcontainer',
])

/** Folders with very many files of others, which nothing obeys where they lie. */
const NOT_SEARCHED = new Set(['node_modules', '.venv', 'venv', '__pycache__'])

/** The most folders that one search opens. */
const MOST_FOLDERS = 20_000

/** Whether an entry of this name belongs to the owner alone, on any file system. */
export function isOwnersName(name: string): boolean {
  const plain = plainName(name)
  return FILES.has(plain) || FOLDERS.has(plain)
}

/**
 * A name without the differences that some file systems ignore: case and invisible characters, and on Windows and its shares
 * what a name ends in (`.git.`, `.git `), a short name (`GIT~1`), and a stream behind a colon.
 */
function plainName(name: string): string {
  const [file] = name.replace(/\p{Cf}/gu, '').split(':', 1)
  const plain = file!
    .replace(/[. ]+$/, '')
    .toUpperCase()
    .toLowerCase()
  return plain === 'git~1' ? '.git' : plain
}

/** Entries of a workspace that belong to the owner alone. */
export interface OwnerFiles {
  /** By absolute path. */
  readonly entries: ReadonlyMap<string, OwnerFile>
  /** Sockets that lie in the workspace. Absolute. */
  readonly sockets: readonly string[]
  /** `false` where the workspace has more folders than were searched. */
  readonly isComplete: boolean
}

interface OwnerFile {
  /** Another one for every other content and every other file. */
  readonly identity: string
  /** Where it leads, if it is a link. */
  readonly link?: string
}

/** Looks for the owner's entries in a folder and all folders below. What cannot be opened is not searched. */
export async function findOwnerFiles(folder: string): Promise<OwnerFiles> {
  const entries = new Map<string, OwnerFile>()
  const sockets: string[] = []
  const open = [folder]
  let searched = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (++searched > MOST_FOLDERS) return { entries, sockets, isComplete: false }
    for (const entry of await listFolder(next)) {
      const path = join(next, entry.name)
      if (entry.isSocket()) sockets.push(path)
      if (isOwnersName(entry.name)) {
        const found = await lookAt(path)
        if (found) entries.set(path, found)
      } else if (entry.isDirectory() && !NOT_SEARCHED.has(entry.name)) open.push(path)
    }
  }
  return { entries, sockets, isComplete: true }
}

async function listFolder(folder: string): Promise<readonly Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch(() => [])
}

async function lookAt(path: string): Promise<OwnerFile | undefined> {
  const found = await lstat(path).catch(() => undefined)
  if (!found) return undefined
  const { dev, ino, ctimeMs } = found
  // What is in a folder cannot change while it is protected, and other people may work in it.
  const identity = `${dev}:${ino}:${found.isDirectory() ? 'folder' : ctimeMs}`
  return found.isSymbolicLink() ? { identity, link: await readlink(path) } : { identity }
}

/** What was moved out of a folder, and what could not be: paths within the folder. */
interface MovedFiles {
  readonly moved: readonly string[]
  readonly stuck: readonly StuckFile[]
}

interface StuckFile {
  readonly path: string
  /** Where it should have gone: absolute. */
  readonly place: string
  readonly why: string
}

/**
 * Undoes what a run did to the owner's entries, and returns the paths of what it had made, within the folder. What it made
 * is moved to `place`, so that nothing obeys it and nothing is lost; a link that it replaced is made again. What was only
 * moved with its folder was there before. What cannot be moved stays, and is told.
 */
export async function restoreOwnerFiles(folder: string, before: OwnerFiles, place: string): Promise<MovedFiles> {
  const after = await findOwnerFiles(folder)
  const known = new Set([...before.entries.values()].map(({ identity }) => identity))
  const made = [...after.entries].filter(([, { identity }]) => !known.has(identity)).map(([path]) => path)
  const moved: string[] = []
  const stuck: StuckFile[] = []
  for (const path of made) {
    const within = relative(folder, path)
    const target = join(place, within)
    try {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 })
      if (await move(path, target)) moved.push(within)
    } catch (error) {
      stuck.push({ path: within, place: target, why: errorMessage(error) })
    }
  }
  const kept = new Set([...after.entries.values()].map(({ identity }) => identity))
  for (const [path, { identity, link }] of before.entries) {
    if (link !== undefined && !kept.has(identity)) await symlink(link, path).catch(() => {})
  }
  return { moved, stuck }
}

/** Answers false where it is gone: another run that ended at the same time has moved it. */
async function move(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to)
    return true
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return false
    if (code !== 'EXDEV') throw error
    await cp(from, to, { recursive: true, verbatimSymlinks: true })
    await rm(from, { recursive: true, force: true })
    return true
  }
}
